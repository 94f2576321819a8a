#include "tscatter/plan/unlisted_writes.hpp"

#include <algorithm>
#include <utility>

#include "tscatter/core/parallel.hpp"
#include "tscatter/plan/destinations.hpp"

namespace tscatter {

void StridedAxes::append(Axis axis) {
  count_ *= axis.count;
  if (axis.count == 1) return;
  if (!axes_.empty() && axes_.back().stride == axis.count * axis.stride) {
    axes_.back() = {.count = axes_.back().count * axis.count, .stride = axis.stride};
  } else {
    axes_.push_back(axis);
  }
}

std::int64_t StridedAxes::offset(std::int64_t index) const {
  if (is_linear()) return index * stride();
  std::int64_t offset = 0;
  for (std::size_t i = axes_.size(); i-- > 0;) {
    offset += index % axes_[i].count * axes_[i].stride;
    index /= axes_[i].count;
  }
  return offset;
}

namespace {

std::int64_t count_trues(std::span<const std::byte> bytes) {
  std::int64_t trues = 0;
  for (const std::byte each : bytes) trues += each == std::byte{0} ? 0 : 1;
  return trues;
}

}  // namespace

MaskCounts::MaskCounts(Tensor mask, const Parallelism& parallelism) : mask_{std::move(mask)} {
  const std::int64_t pieces = (mask_.count() + piece - 1) / piece;
  before_.assign(static_cast<std::size_t>(pieces) + 1, 0);
  for_each_task(pieces, parallelism, [&] {
    return [&, bytes = std::vector<std::byte>()](std::int64_t task) mutable {
      const std::int64_t first = task * piece;
      bytes.resize(static_cast<std::size_t>(std::min(piece, mask_.count() - first)));
      read(first, bytes);
      before_[static_cast<std::size_t>(task) + 1] = count_trues(bytes);
    };
  });
  for (std::size_t i = 1; i < before_.size(); ++i) before_[i] += before_[i - 1];
}

void MaskCounts::read(std::int64_t place, std::span<std::byte> into) const {
  mask_.source().read(place, into);
}

std::int64_t MaskCounts::before(std::int64_t place) const {
  const std::int64_t number = place / piece;
  const std::int64_t rest = place % piece;
  const std::int64_t trues = before_[static_cast<std::size_t>(number)];
  if (rest == 0) return trues;
  std::vector<std::byte> bytes(static_cast<std::size_t>(rest));
  read(number * piece, bytes);
  return trues + count_trues(bytes);
}

void MaskCounts::places(std::int64_t first, std::span<std::int64_t> into) const {
  auto next = std::ranges::upper_bound(before_, first) - 1;
  std::vector<std::byte> bytes;
  std::vector<std::int64_t> found;                        // in a piece, and room for one more
  auto passed = static_cast<std::size_t>(first - *next);  // of these
  for (std::size_t filled = 0; filled < into.size(); ++next) {
    const std::int64_t begin = (next - before_.begin()) * piece;
    if (begin >= mask_.count()) refuse_changed_entries();
    bytes.resize(static_cast<std::size_t>(std::min(piece, mask_.count() - begin)));
    read(begin, bytes);
    found.resize(bytes.size() + 1);
    std::size_t count = 0;
    // Without a branch on what nothing could predict.
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      found[count] = begin + static_cast<std::int64_t>(i);
      count += bytes[i] == std::byte{0} ? 0 : 1;
    }
    const std::size_t left = count - std::min(count, passed);
    const std::size_t taken = std::min(left, into.size() - filled);
    std::copy_n(found.data() + count - left, taken, into.data() + filled);
    filled += taken;
    passed = 0;
  }
}

}  // namespace tscatter
