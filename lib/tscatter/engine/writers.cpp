#include "tscatter/engine/writers.hpp"

#include <atomic>
#include <cstring>
#include <utility>

#include "tscatter/core/byte_order.hpp"

namespace tscatter {
namespace {

std::endian working_order(const Tensor& data, Reduction reduction) {
  return reduction == Reduction::none ? data.type().byte_order : std::endian::native;
}

// Of single elements: a bucket for each tile.
BucketGrid grid_of_elements(const ListedWrites& writes, const Grouping& grouping) {
  return BucketGrid::of(writes.destinations, grouping.tile_elements, grouping.phase);
}

// Calls function.operator()<size>(). REQUIRES: size is 8, or with `widest` of 4: 1, 2 or 4.
template <std::size_t widest, class Function>
void visit_value_size(std::size_t size, const Function& function) {
  if constexpr (widest == 8) return function.template operator()<8>();
  if (size == 1) return function.template operator()<1>();
  if (size == 2) return function.template operator()<2>();
  function.template operator()<4>();
}

// Counts the distinct destinations of one bucket: sorts them if they are few in a wide bucket, else
// sets a bit for each.
class DistinctCounter {
 public:
  template <class Records>
  std::int64_t count(const Records& records, std::int64_t first_destination, std::int64_t width) {
    constexpr std::int64_t bits_per_record = 64;
    const auto entries = static_cast<std::int64_t>(records.size());
    if (entries < 2) return entries;
    return width <= entries * bits_per_record ? count_bits(records, first_destination, width)
                                              : count_sorted(records);
  }

 private:
  template <class Records>
  std::int64_t count_bits(const Records& records, std::int64_t first_destination,
                          std::int64_t width) {
    bits_.assign(static_cast<std::size_t>(width + 63) / 64, 0);
    std::int64_t distinct = 0;
    for (const auto& record : records) {
      const auto local = static_cast<std::uint64_t>(static_cast<std::int64_t>(record.destination) -
                                                    first_destination);
      std::uint64_t& word = bits_[local / 64];
      const std::uint64_t before = word;
      word |= std::uint64_t{1} << (local % 64);
      distinct += word == before ? 0 : 1;
    }
    return distinct;
  }

  template <class Records>
  std::int64_t count_sorted(const Records& records) {
    destinations_.clear();
    for (const auto& record : records)
      destinations_.push_back(static_cast<std::int64_t>(record.destination));
    std::sort(destinations_.begin(), destinations_.end());
    return std::unique(destinations_.begin(), destinations_.end()) - destinations_.begin();
  }

  std::vector<std::uint64_t> bits_;
  std::vector<std::int64_t> destinations_;
};

// `destinations_are_local`: they count from their bucket (element records), not from the batch
// (blocks).
template <class Record>
std::int64_t count_distinct_in(const Buckets<Record>& buckets, const Grouping& grouping,
                               bool destinations_are_local) {
  constexpr std::int64_t buckets_per_task = 64;
  if (buckets.size() == 0) return 0;
  std::atomic<std::int64_t> distinct{0};
  const auto count = static_cast<std::int64_t>(buckets.grid().count());
  for_each_task((count + buckets_per_task - 1) / buckets_per_task, grouping.threads, grouping.stop,
                [&] {
                  return [&, counter = DistinctCounter()](std::int64_t task) mutable {
                    std::int64_t sum = 0;
                    const std::int64_t end = std::min((task + 1) * buckets_per_task, count);
                    for (std::int64_t i = task * buckets_per_task; i < end; ++i) {
                      const auto bucket = static_cast<std::size_t>(i);
                      const std::int64_t first =
                          destinations_are_local ? 0 : buckets.grid().first_destination(bucket);
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
  const bool is_sequential = writes.has_linear_entries() && writes.entries.stride() == 1;
  const BucketGrid grid = grid_of_elements(writes, grouping);
  return fits && is_single && is_sequential && grid.width() <= grouping.tile_elements;
}

template <class Record>
ElementWriters<Record>::ElementWriters(ListedWrites writes, const Tensor& data,
                                       const Tensor& updates, const Grouping& grouping)
    : loop_{scatter_loop<Record>(data.type().dtype, data.type().size, grouping.reduction)} {
  const std::size_t size = data.type().size;
  const BucketGrid grid = grid_of_elements(writes, grouping);
  const std::endian order = working_order(data, grouping.reduction);
  if (grouping.progress != nullptr) grouping.progress->begin(updates.byte_size());
  const auto make = [&] {
    return [&, values = std::vector<std::byte>()](std::int64_t first, auto destinations,
                                                  const auto& write) mutable {
      values.resize(destinations.size() * size);
      if (grouping.progress != nullptr)
        grouping.progress->add(static_cast<std::int64_t>(values.size()));
      read_elements(updates, first, values, order);
      const std::byte* value = values.data();
      visit_value_size<sizeof(Record::value)>(size, [&]<std::size_t width>() {
        for (const auto destination : destinations) {
          Record record{.destination = grid.place_of(static_cast<std::int64_t>(destination)),
                        .value = {}};
          std::memcpy(record.value.data(), value, width);
          write(destination, record);
          value += width;
        }
      });
    };
  };
  records_ = grouping.window
                 ? Buckets<Record>(*grouping.window, grouping.threads, grouping.stop, make)
                 : Buckets<Record>(writes.destination_of_entry, grid, grouping.threads,
                                   grouping.stop, make);
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
      writes.destination_of_entry.kept() * writes.batches.count() * writes.blocks.count();
  return elements * static_cast<std::int64_t>(type.size) <= grouping.ungrouped_bytes;
}

WriteSizes UngroupedWriters::sizes() const {
  const std::int64_t block = writes_.blocks.count();
  const std::int64_t batches = writes_.batches.count();
  const std::int64_t extents = writes_.destination_of_entry.kept() * batches;
  return {.tile_elements = std::max<std::int64_t>(batches * writes_.destinations * block, 1),
          .elements_per_destination = block * batches,
          .updates_read = extents * block,
          .extents = extents,
          .run_elements = block};
}

bool UngroupedWriters::is_packed() const {
  const StridedAxes& entries = writes_.entries;
  const StridedAxes& blocks = writes_.blocks;
  return writes_.destination_of_entry.dropped() == 0 && blocks.is_linear() &&
         blocks.stride() == 1 && writes_.has_linear_entries() &&
         (entries.count() == 1 || entries.stride() == blocks.count());
}

std::int64_t UngroupedWriters::count_distinct(const Grouping&) const {
  return writes_.destination_of_entry.visit([](auto destinations) {
    std::vector<std::uint64_t> sorted;
    for (const auto destination : destinations) {
      if (!is_dropped(destination)) sorted.push_back(destination);
    }
    std::sort(sorted.begin(), sorted.end());
    return std::int64_t{std::unique(sorted.begin(), sorted.end()) - sorted.begin()};
  });
}

BlockWriters::BlockWriters(ListedWrites writes, const Grouping& grouping)
    : writes_{std::move(writes)},
      reduction_{grouping.reduction},
      tile_elements_{grouping.tile_elements} {
  entries_ = grouping.window ? GroupedEntries(*grouping.window, grouping.threads, grouping.stop)
                             : GroupedEntries(std::exchange(writes_.destination_of_entry, {}),
                                              grid_of(writes_, tile_elements_), grouping.threads,
                                              grouping.stop);
  if (reduction_ == Reduction::none) entries_.keep_last(grouping.threads, grouping.stop);
}

// A tile of short blocks is several buckets: where it ends within a batch, fewer entries of other
// tiles are looked at.
BucketGrid BlockWriters::grid_of(const ListedWrites& writes, std::int64_t tile_elements) {
  constexpr std::int64_t narrowest = 4096;
  constexpr std::int64_t per_tile = 16;
  const std::int64_t of_tile = tile_elements / std::max<std::int64_t>(writes.blocks.count(), 1);
  return BucketGrid::of(writes.destinations,
                        std::min(of_tile, std::max(narrowest, of_tile / per_tile)));
}

WriteSizes BlockWriters::sizes() const {
  const std::int64_t batches = writes_.batches.count();
  const auto entries = static_cast<std::int64_t>(entries_.size());
  const std::vector<StridedAxes::Axis>& block = writes_.blocks.axes();
  return {.tile_elements = tile_elements_,
          .elements_per_destination = writes_.blocks.count() * batches,
          .updates_read = entries * writes_.blocks.count() * batches,
          .extents = entries * batches,
          .run_elements = block.empty() || block.back().stride != 1 ? 1 : block.back().count};
}

std::int64_t BlockWriters::count_distinct(const Grouping& grouping) const {
  if (reduction_ == Reduction::none) return static_cast<std::int64_t>(entries_.size());
  return count_distinct_in(entries_.buckets(), grouping, false);
}

bool BlockWriters::meets(Range range) const {
  bool meets = false;
  visit_batches(
      range, [&](std::int64_t, Range, Range destinations, std::span<const IndexEntry> writers) {
        meets = meets || std::any_of(writers.begin(), writers.end(), [&](const IndexEntry& writer) {
                  return writer.destination >= destinations.begin &&
                         writer.destination < destinations.end;
                });
      });
  return meets;
}

bool BlockWriters::overwrites(Range range) const {
  if (reduction_ != Reduction::none) return false;
  const std::int64_t block = writes_.blocks.count();
  std::int64_t covered = 0;
  std::int64_t at_most = 0;
  visit_batches(range, [&](std::int64_t, Range, Range, std::span<const IndexEntry> writers) {
    at_most += static_cast<std::int64_t>(writers.size()) * block;
  });
  if (at_most < range.length()) return false;
  visit_batches(range, [&](std::int64_t, Range local, Range destinations,
                           std::span<const IndexEntry> writers) {
    for (const IndexEntry& writer : writers) {
      if (writer.destination < destinations.begin || writer.destination >= destinations.end)
        continue;
      covered += intersection(local, {.begin = writer.destination * block,
                                      .end = (writer.destination + 1) * block})
                     .length();
    }
  });
  return covered == range.length();
}

StreamedWriters::StreamedWriters(ListedWrites writes, const Grouping& grouping)
    : writes_{std::move(writes)},
      window_{*grouping.window},
      stop_{grouping.stop},
      tile_elements_{grouping.tile_elements},
      entries_{window_.counts->kept(window_.buckets)} {}

WriteSizes StreamedWriters::sizes() const {
  const std::int64_t batches = writes_.batches.count();
  return {.tile_elements = tile_elements_,
          .elements_per_destination = writes_.blocks.count() * batches,
          .updates_read = entries_ * writes_.blocks.count() * batches,
          .extents = entries_ * batches};
}

std::int64_t StreamedWriters::count_distinct(const Grouping&) const {
  const Range destinations = window_.destinations;
  std::vector<bool> is_written(static_cast<std::size_t>(destinations.length()), false);
  visit_entries(destinations, [&](std::int64_t, std::int64_t destination) {
    is_written[static_cast<std::size_t>(destination - destinations.begin)] = true;
  });
  return std::count(is_written.begin(), is_written.end(), true);
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

std::int64_t Writers::count_distinct(const Grouping& grouping) const {
  return std::visit([&](const auto& form) { return form.count_distinct(grouping); }, form_);
}

bool Writers::meets(Range range) const {
  return std::visit([&](const auto& form) { return form.meets(range); }, form_);
}

bool Writers::overwrites(Range range) const {
  return std::visit(
      [&](const auto& form) {
        if constexpr (requires { form.overwrites(range); }) {
          return form.overwrites(range);
        } else {
          return false;
        }
      },
      form_);
}

EntryGrid entry_grid(const ListedWrites& writes, const ElementType& type,
                     const Grouping& grouping) {
  const bool is_small = ElementWriters<SmallRecord>::fits(writes, type, grouping);
  if (is_small || ElementWriters<LargeRecord>::fits(writes, type, grouping)) {
    return {.buckets = grid_of_elements(writes, grouping),
            .bytes_per_entry =
                is_small ? std::int64_t{sizeof(SmallRecord)} : std::int64_t{sizeof(LargeRecord)}};
  }
  return {.buckets = BlockWriters::grid_of(writes, grouping.tile_elements),
          .bytes_per_entry = sizeof(IndexEntry)};
}

Writers make_writers(ScatterPlan plan, const Tensor& data, const Tensor& updates,
                     const Grouping& grouping) {
  if (auto* lattice = std::get_if<LatticeWrites>(&plan.writes))
    return Writers(LatticeWriters(std::move(*lattice), grouping));
  if (auto* indexed = std::get_if<IndexedWrites>(&plan.writes)) {
    const ElementType& type = data.type();
    return Writers(BoxWriters(std::move(*indexed), *grouping.boxes,
                              placed_loop(type.dtype, type.size, grouping.reduction)));
  }
  auto& listed = std::get<ListedWrites>(plan.writes);
  if (grouping.window && grouping.window->is_streamed)
    return Writers(StreamedWriters(std::move(listed), grouping));
  if (!grouping.window && UngroupedWriters::fits(listed, data.type(), grouping))
    return Writers(UngroupedWriters(std::move(listed)));
  if (ElementWriters<SmallRecord>::fits(listed, data.type(), grouping)) {
    return Writers(ElementWriters<SmallRecord>(std::move(listed), data, updates, grouping));
  }
  if (ElementWriters<LargeRecord>::fits(listed, data.type(), grouping)) {
    return Writers(ElementWriters<LargeRecord>(std::move(listed), data, updates, grouping));
  }
  return Writers(BlockWriters(std::move(listed), grouping));
}

}  // namespace tscatter
