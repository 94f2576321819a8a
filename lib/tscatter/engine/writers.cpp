#include "tscatter/engine/writers.hpp"

#include <utility>

#include "tscatter/core/fail.hpp"
#include "tscatter/engine/grouped_entries.hpp"

namespace tscatter {

BlockWriters::BlockWriters(ListedWrites writes, const Grouping& grouping)
    : writes_{std::move(writes)},
      reduction_{grouping.reduction},
      tile_elements_{grouping.tile_elements} {
  entries_ = grouping.window
                 ? GroupedEntries(*grouping.window, grouping.parallelism)
                 : GroupedEntries(std::exchange(writes_.destination_of_entry, {}),
                                  grid_of(writes_, tile_elements_), grouping.parallelism);
  if (reduction_ == Reduction::none) entries_.keep_last(grouping.parallelism);
  if (!has_places()) return;
  for (const IndexEntry& each : entries_.all())
    places_.push_back(static_cast<std::uint32_t>(each.destination));
}

bool BlockWriters::has_places() const {
  constexpr std::int64_t most = std::int64_t{1} << 20U;  // entries: 4 MiB of places
  const std::int64_t entries = writes_.entries.count();
  return reduction_ != Reduction::none && writes_.blocks.count() == 1 &&
         writes_.batches.count() > 1 && writes_.has_linear_entries() &&
         writes_.entries.stride() == 1 && entries <= most && entries_.bucket_count() == 1 &&
         static_cast<std::int64_t>(entries_.size()) == entries;
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
      stop_{grouping.parallelism.stop},
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

std::int64_t Writers::count_distinct(const Grouping& grouping) const {
  return std::visit(
      [&](const auto& form) -> std::int64_t {
        if constexpr (requires { form.count_distinct(grouping); }) {
          return form.count_distinct(grouping);
        } else {
          unreachable();
        }
      },
      form_);
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
  if (auto* masked = std::get_if<MaskWrites>(&plan.writes))
    return Writers(MaskWriters(std::move(*masked), grouping));
  if (auto* indexed = std::get_if<IndexedWrites>(&plan.writes)) {
    const ElementType& type = data.type();
    return Writers(BoxWriters(std::move(*indexed), *grouping.boxes,
                              placed_loop(type.dtype, type.size, grouping.reduction)));
  }
  auto& listed = std::get<ListedWrites>(plan.writes);
  if (grouping.window && grouping.window->is_streamed)
    return Writers(StreamedWriters(std::move(listed), grouping));
  if (grouping.straight_tile) return Writers(StraightWriters(std::move(listed), grouping));
  if (ElementWriters<SmallRecord>::fits(listed, data.type(), grouping)) {
    return Writers(ElementWriters<SmallRecord>(std::move(listed), data, updates, grouping));
  }
  if (ElementWriters<LargeRecord>::fits(listed, data.type(), grouping)) {
    return Writers(ElementWriters<LargeRecord>(std::move(listed), data, updates, grouping));
  }
  return Writers(BlockWriters(std::move(listed), grouping));
}

}  // namespace tscatter
