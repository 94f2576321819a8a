#include "tscatter/engine/writers.hpp"

#include <bit>
#include <span>
#include <utility>

namespace tscatter {
namespace {

constexpr std::int64_t max_buckets = std::int64_t{1} << 16;

// The largest power of two of slots that stay within `bucket_elements`, or what keeps the buckets to max_buckets.
int shift_for(std::int64_t slots, std::int64_t block, std::int64_t bucket_elements) {
  const std::int64_t wanted = std::max<std::int64_t>(bucket_elements / std::max<std::int64_t>(block, 1), 1);
  int shift = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(wanted))) - 1;
  while ((slots >> shift) >= max_buckets) ++shift;
  return shift;
}

}  // namespace

ListedWriters::ListedWriters(ListedWrites writes, Reduction reduction, std::int64_t bucket_elements)
    : writes_{std::move(writes)},
      reduction_{reduction},
      bucket_shift_{shift_for(writes_.slots, writes_.blocks.count(), bucket_elements)} {
  group(std::exchange(writes_.slot_of_entry, {}));
  const std::size_t entries = writers_.size();
  if (reduction_ == Reduction::none) {
    keep_last_writers();
    distinct_ = static_cast<std::int64_t>(writers_.size());
    duplicates_ = static_cast<std::int64_t>(entries) - distinct_;
  } else {
    count_duplicates();
    distinct_ = static_cast<std::int64_t>(entries) - duplicates_;
  }
}

void ListedWriters::group(std::vector<std::int64_t> slot_of_entry) {
  const auto buckets = static_cast<std::size_t>((std::max<std::int64_t>(writes_.slots, 1) - 1) >> bucket_shift_) + 1;
  bucket_begin_.assign(buckets + 1, 0);
  const auto bucket_of = [&](std::int64_t slot) { return static_cast<std::size_t>(slot >> bucket_shift_); };
  for (const std::int64_t slot : slot_of_entry) ++bucket_begin_[bucket_of(slot) + 1];
  for (std::size_t i = 0; i < buckets; ++i) bucket_begin_[i + 1] += bucket_begin_[i];

  writers_.resize(slot_of_entry.size());
  std::vector<std::size_t> next(bucket_begin_.begin(), bucket_begin_.end() - 1);
  for (std::size_t entry = 0; entry < slot_of_entry.size(); ++entry) {
    const std::int64_t slot = slot_of_entry[entry];
    writers_[next[bucket_of(slot)]++] = {.slot = slot, .entry = static_cast<std::int64_t>(entry)};
  }
}

std::span<ListedWriters::Writer> ListedWriters::bucket(std::size_t index) {
  return std::span(writers_).subspan(bucket_begin_[index], bucket_begin_[index + 1] - bucket_begin_[index]);
}

void ListedWriters::keep_last_writers() {
  std::size_t kept = 0;
  for (std::size_t index = 0; index + 1 < bucket_begin_.size(); ++index) {
    const std::span<Writer> writers = bucket(index);
    std::ranges::sort(writers, {}, [](const Writer& w) { return std::pair(w.slot, w.entry); });
    bucket_begin_[index] = kept;
    for (std::size_t i = 0; i < writers.size(); ++i) {
      const bool is_last = i + 1 == writers.size() || writers[i + 1].slot != writers[i].slot;
      if (is_last) writers_[kept++] = writers[i];
    }
  }
  bucket_begin_.back() = kept;
  writers_.resize(kept);
}

void ListedWriters::count_duplicates() {
  std::vector<std::int64_t> slots;
  for (std::size_t index = 0; index + 1 < bucket_begin_.size(); ++index) {
    const std::span<Writer> writers = bucket(index);
    slots.clear();
    for (const Writer& writer : writers) slots.push_back(writer.slot);
    std::ranges::sort(slots);
    duplicates_ += std::ranges::distance(std::ranges::unique(slots));
  }
}

std::span<const ListedWriters::Writer> ListedWriters::writers_of(Range slots) const {
  const std::size_t begin = bucket_begin_[static_cast<std::size_t>(slots.begin >> bucket_shift_)];
  const std::size_t end = bucket_begin_[static_cast<std::size_t>((slots.end - 1) >> bucket_shift_) + 1];
  return std::span(writers_).subspan(begin, end - begin);
}

std::int64_t ListedWriters::elements_written() const {
  return distinct_ * writes_.blocks.count() * writes_.batches.count();
}

std::int64_t ListedWriters::updates_read() const {
  return static_cast<std::int64_t>(writers_.size()) * writes_.blocks.count() * writes_.batches.count();
}

bool ListedWriters::overwrites(Range range) const {
  if (reduction_ != Reduction::none) return false;
  const std::int64_t block = writes_.blocks.count();
  std::int64_t covered = 0;
  std::int64_t at_most = 0;
  visit_batches(range, [&](std::int64_t, Range, Range, std::span<const Writer> writers) {
    at_most += static_cast<std::int64_t>(writers.size()) * block;
  });
  if (at_most < range.length()) return false;
  visit_batches(range, [&](std::int64_t, Range local, Range slots, std::span<const Writer> writers) {
    for (const Writer& writer : writers) {
      if (writer.slot < slots.begin || writer.slot >= slots.end) continue;
      const std::int64_t begin = writer.slot * block;
      covered += std::min(local.end, begin + block) - std::max(local.begin, begin);
    }
  });
  return covered == range.length();
}

LatticeWriters::LatticeWriters(LatticeWrites writes, Reduction reduction)
    : writes_{std::move(writes)}, reduction_{reduction}, extent_(writes_.axes.size() + 1, writes_.run) {
  for (std::size_t axis = writes_.axes.size(); axis-- > 0;) {
    extent_[axis] = (writes_.axes[axis].count - 1) * writes_.axes[axis].output_stride + extent_[axis + 1];
  }
}

// The number of lattice elements whose output position is below `output`.
std::int64_t LatticeWriters::elements_before(std::int64_t output) const {
  std::int64_t rest = output - writes_.output_origin;
  std::int64_t inner = elements_written();
  std::int64_t before = 0;
  for (const LatticeWrites::Axis& axis : writes_.axes) {
    if (rest <= 0) return before;
    inner /= axis.count;
    const std::int64_t whole = std::min(axis.count - 1, rest / axis.output_stride);
    before += whole * inner;
    rest -= whole * axis.output_stride;
  }
  return before + std::clamp<std::int64_t>(rest, 0, writes_.run);
}

bool LatticeWriters::overwrites(Range range) const {
  if (reduction_ != Reduction::none || elements_written() == 0) return false;
  return elements_before(range.end) - elements_before(range.begin) == range.length();
}

}  // namespace tscatter
