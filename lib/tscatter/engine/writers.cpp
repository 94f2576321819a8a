#include "tscatter/engine/writers.hpp"

#include <atomic>
#include <cstring>
#include <tuple>
#include <utility>

#include "tscatter/kernels/move.hpp"

namespace tscatter {
namespace {

// Reads the values of consecutive entries, in the byte order that the kernels want.
class ValueReader {
 public:
  ValueReader(const Tensor& updates, std::endian byte_order)
      : updates_{updates},
        reverses_{updates.type().word() > 1 && updates.type().byte_order != byte_order} {}

  std::span<const std::byte> read(std::int64_t first, std::int64_t count) {
    const auto size = static_cast<std::int64_t>(updates_.type().size);
    bytes_.resize(static_cast<std::size_t>(count * size));
    updates_.source().read(first * size, bytes_);
    if (reverses_) reverse_words(bytes_, updates_.type().word());
    return bytes_;
  }

 private:
  const Tensor& updates_;
  bool reverses_;
  std::vector<std::byte> bytes_;
};

std::endian working_order(const Tensor& data, Reduction reduction) {
  return reduction == Reduction::none ? data.type().byte_order : std::endian::native;
}

// Calls function.operator()<size>(). REQUIRES: size is 8, or with `widest` of 4: 1, 2 or 4.
template <std::size_t widest, class Function>
void visit_value_size(std::size_t size, const Function& function) {
  if constexpr (widest == 8) return function.template operator()<8>();
  if (size == 1) return function.template operator()<1>();
  if (size == 2) return function.template operator()<2>();
  function.template operator()<4>();
}

// Distinct slots of one bucket. For few in a wide bucket the slots are sorted; for many, each has a
// bit.
class DistinctCounter {
 public:
  template <class Records>
  std::int64_t count(const Records& records, std::int64_t first_slot, std::int64_t width) {
    constexpr std::int64_t bits_per_record = 64;
    const auto entries = static_cast<std::int64_t>(records.size());
    if (entries < 2) return entries;
    return width <= entries * bits_per_record ? count_bits(records, first_slot, width)
                                              : count_sorted(records);
  }

 private:
  template <class Records>
  std::int64_t count_bits(const Records& records, std::int64_t first_slot, std::int64_t width) {
    bits_.assign(static_cast<std::size_t>(width + 63) / 64, 0);
    std::int64_t distinct = 0;
    for (const auto& record : records) {
      const auto local =
          static_cast<std::uint64_t>(static_cast<std::int64_t>(record.slot) - first_slot);
      std::uint64_t& word = bits_[local / 64];
      const std::uint64_t before = word;
      word |= std::uint64_t{1} << (local % 64);
      distinct += word == before ? 0 : 1;
    }
    return distinct;
  }

  template <class Records>
  std::int64_t count_sorted(const Records& records) {
    slots_.clear();
    for (const auto& record : records) slots_.push_back(static_cast<std::int64_t>(record.slot));
    std::sort(slots_.begin(), slots_.end());
    return std::unique(slots_.begin(), slots_.end()) - slots_.begin();
  }

  std::vector<std::uint64_t> bits_;
  std::vector<std::int64_t> slots_;
};

// The origin of a record's slot: element records count from their tile, blocks from the batch.
template <class Record>
std::int64_t count_distinct_in(const Buckets<Record>& buckets, const Grouping& grouping,
                               bool slots_are_local) {
  constexpr std::int64_t buckets_per_task = 64;
  if (buckets.size() == 0) return 0;
  std::atomic<std::int64_t> distinct{0};
  const auto count = static_cast<std::int64_t>(buckets.grid().count());
  for_each_task(
      (count + buckets_per_task - 1) / buckets_per_task, grouping.threads, grouping.stop, [&] {
        return [&, counter = DistinctCounter()](std::int64_t task) mutable {
          std::int64_t sum = 0;
          const std::int64_t end = std::min((task + 1) * buckets_per_task, count);
          for (std::int64_t i = task * buckets_per_task; i < end; ++i) {
            const auto bucket = static_cast<std::size_t>(i);
            const std::int64_t first = slots_are_local ? 0 : buckets.grid().first_slot(bucket);
            sum += counter.count(buckets.bucket(bucket), first, buckets.grid().width());
          }
          distinct += sum;
        };
      });
  return distinct;
}

}  // namespace

template <class Record>
bool ElementWriters<Record>::fits(const ListedWrites& writes, const ElementType& type,
                                  const Grouping& grouping) {
  constexpr std::size_t widest = sizeof(Record::value);
  const bool fits =
      widest == 8 ? type.size == 8 : type.size == 1 || type.size == 2 || type.size == 4;
  const bool is_single = writes.blocks.count() == 1 && writes.batches.count() == 1;
  const bool is_sequential = writes.entries.is_linear() && writes.entries.stride() == 1;
  const BucketGrid grid = BucketGrid::of(writes.slots, grouping.tile_elements, grouping.phase);
  return fits && is_single && is_sequential && grid.width() <= grouping.tile_elements;
}

template <class Record>
ElementWriters<Record>::ElementWriters(ListedWrites writes, const Tensor& data,
                                       const Tensor& updates, const Grouping& grouping)
    : loop_{scatter_loop<Record>(data.type().dtype, data.type().size, grouping.reduction)} {
  const std::size_t size = data.type().size;
  const BucketGrid grid = BucketGrid::of(writes.slots, grouping.tile_elements, grouping.phase);
  const auto make = [&] {
    return [&, values = ValueReader(updates, working_order(data, grouping.reduction))](
               std::int64_t first, auto slots, const auto& write) mutable {
      const std::byte* value = values.read(first, static_cast<std::int64_t>(slots.size())).data();
      visit_value_size<sizeof(Record::value)>(size, [&]<std::size_t width>() {
        for (const auto slot : slots) {
          Record record{.slot = grid.place_of(static_cast<std::int64_t>(slot)), .value = {}};
          std::memcpy(record.value.data(), value, width);
          write(slot, record);
          value += width;
        }
      });
    };
  };
  records_ = Buckets<Record>(writes.slot_of_entry, grid, grouping.threads, grouping.stop, make);
}

template <class Record>
std::int64_t ElementWriters<Record>::count_distinct(const Grouping& grouping) const {
  return count_distinct_in(records_, grouping, true);
}

template class ElementWriters<SmallRecord>;
template class ElementWriters<LargeRecord>;

bool UngroupedWriters::fits(const ListedWrites& writes, const ElementType& type,
                            const Grouping& grouping) {
  if (grouping.ungrouped_bytes == 0) return false;
  const std::int64_t elements =
      writes.slot_of_entry.size() * writes.batches.count() * writes.blocks.count();
  return elements * static_cast<std::int64_t>(type.size) <= grouping.ungrouped_bytes;
}

bool UngroupedWriters::is_packed() const {
  const StridedAxes& entries = writes_.entries;
  const StridedAxes& blocks = writes_.blocks;
  return blocks.is_linear() && blocks.stride() == 1 && entries.is_linear() &&
         (entries.count() == 1 || entries.stride() == blocks.count());
}

std::int64_t UngroupedWriters::count_distinct(const Grouping&) const {
  return writes_.slot_of_entry.visit([](auto slots) {
    std::vector<std::uint64_t> sorted(slots.begin(), slots.end());
    std::sort(sorted.begin(), sorted.end());
    return std::int64_t{std::unique(sorted.begin(), sorted.end()) - sorted.begin()};
  });
}

BlockWriters::BlockWriters(ListedWrites writes, const Grouping& grouping)
    : writes_{std::move(writes)},
      reduction_{grouping.reduction},
      tile_elements_{grouping.tile_elements} {
  const std::int64_t width = tile_elements_ / std::max<std::int64_t>(writes_.blocks.count(), 1);
  const auto make = [] {
    return [](std::int64_t first, auto slots, const auto& write) {
      for (const auto slot : slots)
        write(slot, Writer{.slot = static_cast<std::int64_t>(slot), .entry = first++});
    };
  };
  const SlotList slots = std::exchange(writes_.slot_of_entry, {});
  records_ = Buckets<Writer>(slots, BucketGrid::of(writes_.slots, width), grouping.threads,
                             grouping.stop, make);
  if (reduction_ == Reduction::none) keep_last_writers(grouping);
}

void BlockWriters::keep_last_writers(const Grouping& grouping) {
  constexpr std::size_t few = 32768;  // sorted before another worker would have begun
  std::vector<std::size_t> kept(records_.grid().count(), 0);
  if (records_.size() == 0) return;
  const int threads = records_.size() < few ? 1 : grouping.threads;
  for_each_task(static_cast<std::int64_t>(kept.size()), threads, grouping.stop, [&] {
    return [&](std::int64_t task) {
      const std::span<Writer> writers = records_.bucket(static_cast<std::size_t>(task));
      std::sort(writers.begin(), writers.end(), [](const Writer& a, const Writer& b) {
        return std::tie(a.slot, a.entry) < std::tie(b.slot, b.entry);
      });
      std::size_t& count = kept[static_cast<std::size_t>(task)];
      for (std::size_t i = 0; i < writers.size(); ++i) {
        const bool is_last = i + 1 == writers.size() || writers[i + 1].slot != writers[i].slot;
        if (is_last) writers[count++] = writers[i];
      }
    };
  });
  records_.keep_first(kept);
}

std::int64_t BlockWriters::count_distinct(const Grouping& grouping) const {
  if (reduction_ == Reduction::none) return static_cast<std::int64_t>(records_.size());
  return count_distinct_in(records_, grouping, false);
}

bool BlockWriters::meets(Range range) const {
  bool meets = false;
  visit_batches(range, [&](std::int64_t, Range, Range slots, std::span<const Writer> writers) {
    meets = meets || std::any_of(writers.begin(), writers.end(), [&](const Writer& writer) {
              return writer.slot >= slots.begin && writer.slot < slots.end;
            });
  });
  return meets;
}

bool BlockWriters::overwrites(Range range) const {
  if (reduction_ != Reduction::none) return false;
  const std::int64_t block = writes_.blocks.count();
  std::int64_t covered = 0;
  std::int64_t at_most = 0;
  visit_batches(range, [&](std::int64_t, Range, Range, std::span<const Writer> writers) {
    at_most += static_cast<std::int64_t>(writers.size()) * block;
  });
  if (at_most < range.length()) return false;
  visit_batches(
      range, [&](std::int64_t, Range local, Range slots, std::span<const Writer> writers) {
        for (const Writer& writer : writers) {
          if (writer.slot < slots.begin || writer.slot >= slots.end) continue;
          covered +=
              intersection(local, {.begin = writer.slot * block, .end = (writer.slot + 1) * block})
                  .length();
        }
      });
  return covered == range.length();
}

LatticeWriters::LatticeWriters(LatticeWrites writes, const Grouping& grouping)
    : writes_{std::move(writes)},
      reduction_{grouping.reduction},
      tile_elements_{grouping.tile_elements},
      extent_(writes_.axes.size() + 1, writes_.run) {
  for (std::size_t axis = writes_.axes.size(); axis-- > 0;) {
    extent_[axis] =
        (writes_.axes[axis].count - 1) * writes_.axes[axis].output_stride + extent_[axis + 1];
  }
}

// The number of lattice elements whose output position is below `output`.
std::int64_t LatticeWriters::elements_before(std::int64_t output) const {
  std::int64_t rest = output - writes_.output_origin;
  std::int64_t inner = elements();
  std::int64_t before = 0;
  if (inner == 0) return 0;
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
  if (reduction_ != Reduction::none) return false;
  return elements_before(range.end) - elements_before(range.begin) == range.length();
}

Writers make_writers(ScatterPlan plan, const Tensor& data, const Tensor& updates,
                     const Grouping& grouping) {
  if (auto* lattice = std::get_if<LatticeWrites>(&plan.writes))
    return LatticeWriters(std::move(*lattice), grouping);
  auto& listed = std::get<ListedWrites>(plan.writes);
  if (UngroupedWriters::fits(listed, data.type(), grouping))
    return UngroupedWriters(std::move(listed));
  if (ElementWriters<SmallRecord>::fits(listed, data.type(), grouping)) {
    return ElementWriters<SmallRecord>(std::move(listed), data, updates, grouping);
  }
  if (ElementWriters<LargeRecord>::fits(listed, data.type(), grouping)) {
    return ElementWriters<LargeRecord>(std::move(listed), data, updates, grouping);
  }
  return BlockWriters(std::move(listed), grouping);
}

}  // namespace tscatter
