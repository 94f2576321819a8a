#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "tscatter/ops/forms/index_entries.hpp"
#include "tscatter/ops/forms/resolved_index.hpp"
#include "tscatter/views/strided_view.hpp"

namespace tscatter::forms {
namespace {

// How many of data's last axes the index takes whole, where they lie together in the result, too.
std::size_t whole_axes_at_end(const Tensor& data, const ResolvedIndex& index) {
  std::size_t axes = 0;
  if (data.order() != MemoryOrder::c) return axes;
  for (std::size_t axis = data.rank(); axis-- > 0; ++axes) {
    const std::size_t in_result = index.result.size() - 1 - axes;
    const bool is_last = axes < index.result.size() && index.axes[in_result] == axis;
    const bool is_after = in_result >= index.together_at + index.together.size();
    if (!is_last || !is_after || !index.is_whole(axis, data.shape()[axis])) return axes;
  }
  return axes;
}

class GatheredSource final : public Source {
 public:
  GatheredSource(const Operation& operation, Tensor data, const ResolvedIndex& index)
      : data_{std::move(data)}, view_{data_.source().view()}, count_{element_count(index.result)} {
    const std::size_t whole = whole_axes_at_end(data_, index);
    for (std::size_t i = 0; i < whole; ++i) block_ *= data_.shape()[data_.rank() - 1 - i];
    block_bytes_ = block_ * static_cast<std::int64_t>(data_.type().size);
    entries_ = std::make_unique<const IndexEntriesReader>(
        operation, data_, index, EntryAxes{.first = 0, .depth = data_.rank() - whole});
  }

  const IndexEntriesReader& entries() const { return *entries_; }

  std::int64_t size() const override {
    return count_ * static_cast<std::int64_t>(data_.type().size);
  }

  void read(std::int64_t offset, std::span<std::byte> into) const override {
    constexpr std::int64_t at_once = std::int64_t{32} * 1024;
    std::vector<std::uint64_t> places;
    while (!into.empty()) {
      const std::int64_t first = offset / block_bytes_;
      const auto wanted = static_cast<std::int64_t>(into.size());
      const std::int64_t last = (offset + wanted - 1) / block_bytes_;
      places.resize(static_cast<std::size_t>(std::min(last - first + 1, at_once)));
      entries_->read(first, places);
      const std::size_t before = into.size();
      read_blocks(places, offset - first * block_bytes_, into);
      offset += static_cast<std::int64_t>(before - into.size());
    }
    data_.source().check_view();
  }

  void check_content(const Parallelism& parallelism) const override {
    data_.source().check_content(parallelism);
  }

 private:
  // The blocks at these places, the first from byte `skip` on. Removes what is filled.
  void read_blocks(std::span<const std::uint64_t> places, std::int64_t skip,
                   std::span<std::byte>& into) const {
    constexpr std::size_t ahead = 16;
    if (!view_) return read_stretches(places, skip, into);
    for (std::size_t i = 0; i < places.size(); ++i) {
      if (i + ahead < places.size())
        __builtin_prefetch(view_->data() + bytes_before(places[i + ahead]));
      take(view_->data() + bytes_before(places[i]), skip, into);
    }
  }

  // Blocks that are near each other are read with what lies between them.
  void read_stretches(std::span<const std::uint64_t> places, std::int64_t skip,
                      std::span<std::byte>& into) const {
    std::vector<std::byte> stretch;
    while (!places.empty()) {
      const std::size_t count = count_near(places);
      const std::span<const std::uint64_t> near = places.first(count);
      places = places.subspan(count);
      if (count == 1) {
        read_block(near.front(), skip, into);
        continue;
      }
      const std::uint64_t blocks = near.back() - near.front() + 1;
      stretch.resize(static_cast<std::size_t>(bytes_before(blocks)));
      data_.source().read(bytes_before(near.front()), stretch);
      for (const std::uint64_t place : near)
        take(stretch.data() + bytes_before(place - near.front()), skip, into);
    }
  }

  // How many places, from the first on, ascend in short steps.
  std::size_t count_near(std::span<const std::uint64_t> places) const {
    constexpr std::int64_t longest = std::int64_t{64} * 1024;
    constexpr std::uint64_t farthest = 16;
    std::size_t count = 1;
    for (; count < places.size(); ++count) {
      const bool is_near = places[count] > places[count - 1] &&
                           places[count] - places[count - 1] <= farthest &&
                           bytes_before(places[count] - places[0]) < longest;
      if (!is_near) break;
    }
    return count;
  }

  std::int64_t bytes_before(std::uint64_t place) const {
    return static_cast<std::int64_t>(place) * block_bytes_;
  }

  // The block from byte `skip` on, which is 0 then. Removes what is filled.
  void take(const std::byte* block, std::int64_t& skip, std::span<std::byte>& into) const {
    const auto part = front_of(into, skip);
    std::memcpy(part.data(), block + skip, part.size());
    skip = 0;
  }
  void read_block(std::uint64_t place, std::int64_t& skip, std::span<std::byte>& into) const {
    const auto part = front_of(into, skip);
    data_.source().read(bytes_before(place) + skip, part);
    skip = 0;
  }

  // What of a block fits; removes it.
  std::span<std::byte> front_of(std::span<std::byte>& into, std::int64_t skip) const {
    const std::size_t count = std::min(static_cast<std::size_t>(block_bytes_ - skip), into.size());
    const std::span<std::byte> part = into.first(count);
    into = into.subspan(count);
    return part;
  }

  Tensor data_;
  std::optional<std::span<const std::byte>> view_;
  std::int64_t count_;
  std::int64_t block_ = 1;  // elements that lie together in data and in the result
  std::int64_t block_bytes_ = 1;
  std::unique_ptr<const IndexEntriesReader> entries_;
};

// Without positions: a view by strides.
Tensor sliced(const Tensor& data, const ResolvedIndex& index, std::string name) {
  const std::vector<std::int64_t> strides = strides_of(data.shape(), data.order());
  std::int64_t origin = 0;
  for (std::size_t axis = 0; axis < data.rank(); ++axis) {
    if (index.slices[axis]->count > 0) origin += index.slices[axis]->first * strides[axis];
  }
  std::vector<ViewAxis> axes;
  for (std::size_t i = 0; i < index.result.size(); ++i) {
    const std::int64_t count = index.result[i];
    const bool moves = index.axes[i] && count > 1;
    axes.push_back(
        {.count = count,
         .stride = moves ? index.slices[*index.axes[i]]->step * strides[*index.axes[i]] : 0});
  }
  return strided_view(data, origin, axes, std::move(name));
}

}  // namespace

Tensor gathered(const Operation& operation, const Arguments& arguments,
                const Parallelism& parallelism, std::string name) {
  const Tensor& data = arguments.operand("data");
  require_data_rank(operation, arguments);
  const ResolvedIndex index = forms::resolve_index(operation, arguments, parallelism);
  if (index.positions.empty()) return sliced(data, index, std::move(name));
  auto source = std::make_shared<const GatheredSource>(operation, data, index);
  source->entries().check_positions(parallelism.stop);
  return {{.type = data.type(), .shape = index.result}, std::move(source), std::move(name)};
}

}  // namespace tscatter::forms
