#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <optional>
#include <variant>

#include "tscatter/core/memory.hpp"
#include "tscatter/core/parallel.hpp"
#include "tscatter/engine/cost.hpp"
#include "tscatter/engine/stages.hpp"
#include "tscatter/engine/tile_hooks.hpp"
#include "tscatter/kernels/reduce.hpp"
#include "tscatter/kernels/scatter.hpp"

namespace tscatter {
namespace {

// How many elements lie between a page boundary and the output's first element, if that is a whole
// number.
std::int64_t phase_of(const Tensor& data, const Sink& output, std::int64_t tile_elements) {
  const auto size = static_cast<std::int64_t>(data.type().size);
  return output.page_offset() % size == 0 ? output.page_offset() / size % tile_elements : 0;
}

DType accumulator_of(const ScatterPlan& plan, const Tensor& data) {
  return tscatter::accumulator_of(data.type().dtype, plan.reduction, plan.accumulation);
}

// What a worker keeps of each element of its tile: beside the element itself its count, and its
// value in a wider dtype.
std::int64_t bytes_per_element(const ScatterPlan& plan, const Tensor& data) {
  const auto size = static_cast<std::int64_t>(data.type().size);
  const DType accumulator = accumulator_of(plan, data);
  const bool divides = info(plan.reduction).divides;
  const std::int64_t counts = divides ? std::int64_t{sizeof(std::int64_t)} : 0;
  const bool is_wide = accumulator != data.type().dtype;
  return size + counts + (is_wide ? static_cast<std::int64_t>(info(accumulator).size) : 0);
}

std::int64_t bytes_per_boxed_element(const ScatterPlan& plan, const Tensor& data) {
  const Combiner combining = combiner(data.type().dtype, plan.reduction, plan.accumulation);
  return static_cast<std::int64_t>(data.type().size) +
         TileHooks::bytes_per_boxed_element(combining, plan.reduction, plan.initial);
}

}  // namespace

bool is_sparse(const Tensor& data, std::int64_t extents, std::int64_t updates_read) {
  constexpr std::int64_t page = 4096;
  constexpr std::int64_t share = 4;
  const std::int64_t touched =
      extents * page + updates_read * static_cast<std::int64_t>(data.type().size);
  return touched < data.byte_size() / share;
}

namespace {

// Whether updates can be applied in their order to a large part of the output at once: in memory,
// or in a buffer for a file that is small, or no larger than the records of grouped entries would
// be; not where a tile's bytes are turned, widened or divided.
bool takes_entries_straight(const ListedWrites& writes, const ScatterPlan& plan, const Tensor& data,
                            Sink& output, const RunOptions& options) {
  constexpr std::int64_t small_file = 8 * mebibyte;
  constexpr std::int64_t small_copy =
      64 * mebibyte;  // more is copied by tiles, which can be stopped
  constexpr std::int64_t record = 8;
  const bool turns = plan.reduction != Reduction::none && !data.type().is_native();
  const bool by_tiles = turns || info(plan.reduction).divides ||
                        accumulator_of(plan, data) != data.type().dtype || options.range;
  const std::int64_t extents = writes.kept() * writes.batches.count();
  const std::int64_t buffer = std::max(small_file, std::min(small_copy, record * extents));
  const bool fits = output.memory()
                        ? output.holds_data() || data.byte_size() <= small_copy
                        : !output.holds_data() && data.byte_size() <= buffer &&
                              !is_sparse(data, extents, extents * writes.blocks.count());
  const bool are_at_hand = writes.reader == nullptr || writes.is_left_to_reader;
  // The entries of several batches are looked at only once where they are grouped.
  const std::int64_t written =
      extents * writes.blocks.count() * static_cast<std::int64_t>(data.type().size);
  const bool are_few = written <= tiles_per_worker * options.tile_bytes;
  return !by_tiles && are_at_hand && data.count() > 0 && fits &&
         (writes.batches.count() == 1 || are_few);
}

// Whether rows of strips can be read and written at any place: data, updates and indices have
// views, and the output is memory or new.
bool takes_strips(const IndexedWrites& writes, const Tensor& data, const Tensor& updates,
                  Sink& output) {
  const bool is_writable = output.memory() || (output.is_random_access() && !output.holds_data());
  return is_writable && writes.positions->has_view() && data.source().view() &&
         updates.source().view();
}

std::int64_t offset_in_page(Sink& output) {
  constexpr std::uintptr_t page = 4096;
  const auto memory = output.memory();
  if (!memory) return output.page_offset();
  return static_cast<std::int64_t>(std::bit_cast<std::uintptr_t>(memory->data()) % page);
}

// How the output of writes that are not listed is cut into boxes. nullopt: they are better listed.
std::optional<BoxGrid> boxes_of(const IndexedWrites& writes, const ScatterPlan& plan,
                                const Tensor& data, const Tensor& updates, Sink& output,
                                const RunOptions& options) {
  const ElementType& type = data.type();
  if (placed_loop(type.dtype, type.size, plan.reduction) == nullptr) return std::nullopt;
  return BoxGrid::of(writes, {.element_size = static_cast<std::int64_t>(type.size),
                              .bytes_per_element = bytes_per_boxed_element(plan, data),
                              .tile_bytes = options.tile_bytes,
                              .page_offset = offset_in_page(output),
                              .takes_strips = takes_strips(writes, data, updates, output),
                              .is_memory = output.memory().has_value()});
}

// Whether sums into a target that the nearest caches hold need no list of places.
bool is_indexed(const ListedWrites& writes, const ScatterPlan& plan, const Tensor& data) {
  const auto plain = writes.reader == nullptr ? std::nullopt : writes.reader->plain_entries();
  return plain && writes.blocks.count() == 1 && writes.batches.count() == 1 &&
         indexed_sum(data.type().dtype, plan.reduction, plain->dtype) != nullptr;
}

// In how many copies of the output entries can be applied, so that any order leaves the same: of
// integers, whose reductions have no order, and as much memory as a list of the entries may take.
int copies_allowed(const ListedWrites& writes, const ScatterPlan& plan, const Tensor& data,
                   const Sink& output, const RunOptions& options, int threads) {
  constexpr std::int64_t most = 64 * mebibyte;  // beside the output
  const ElementType& type = data.type();
  const bool are_single = writes.blocks.count() == 1 && writes.batches.count() == 1 &&
                          writes.has_linear_entries() &&
                          writes.destinations < std::numeric_limits<std::uint32_t>::max();
  const bool has_order = !is_integer(type.dtype) || plan.reduction == Reduction::none ||
                         info(plan.reduction).negates ||
                         order_effect(plan.reduction, type.dtype) != OrderEffect::nothing;
  if (!are_single || has_order || !output.is_random_access()) return 1;
  const std::int64_t memory =
      options.entry_memory == 0 ? most : std::min(most, options.entry_memory);
  const std::int64_t copies = 1 + memory / std::max<std::int64_t>(data.byte_size(), 1);
  return static_cast<int>(std::min<std::int64_t>(copies, threads));
}

}  // namespace

Grouping grouping_of(const ScatterPlan& plan, const Tensor& data, const Tensor& updates,
                     Sink& output, const RunOptions& options) {
  const auto size = static_cast<std::int64_t>(data.type().size);
  // A power of two, as buckets are.
  const auto tile_elements = static_cast<std::int64_t>(std::bit_floor(
      static_cast<std::uint64_t>(std::max<std::int64_t>(options.tile_bytes / size, 1))));
  const auto* indexed = std::get_if<IndexedWrites>(&plan.writes);
  const bool may_box = indexed != nullptr && !options.range;
  const auto boxes =
      may_box ? boxes_of(*indexed, plan, data, updates, output, options) : std::nullopt;
  const std::int64_t held = boxes ? boxes->box_elements() * bytes_per_boxed_element(plan, data)
                                  : tile_elements * bytes_per_element(plan, data);
  const std::int64_t memory = boxes ? boxes->worker_memory() : tile_memory;
  return {.reduction = plan.reduction,
          .tile_elements = tile_elements,
          .phase = boxes ? 0 : phase_of(data, output, tile_elements),
          .parallelism = {.threads =
                              std::min(worker_count(options.threads), workers_within(memory, held)),
                          .stop = options.stop,
                          .progress = options.progress},
          .boxes = boxes};
}

void choose_order(const ScatterPlan& plan, const Tensor& data, Sink& output,
                  const RunOptions& options, Grouping& grouping) {
  constexpr std::int64_t few_bytes =
      std::int64_t{256} * 1024;  // of updates: not worth a comparison
  const auto* writes = std::get_if<ListedWrites>(&plan.writes);
  grouping.straight_tile = std::nullopt;
  grouping.copies = 1;
  grouping.costs = std::nullopt;
  if (writes == nullptr || options.entry_order == EntryOrder::grouped) return;
  if (!takes_entries_straight(*writes, plan, data, output, options)) return;
  const auto size = static_cast<std::int64_t>(data.type().size);
  const std::int64_t row = std::max<std::int64_t>(writes->blocks.count(), 1);
  const EntryWork work{.entries = writes->kept() * writes->batches.count(),
                       .block_bytes = row * size,
                       .element_size = size,
                       .target_bytes = data.byte_size(),
                       .copied_bytes = output.holds_data() ? 0 : data.byte_size(),
                       .combines = plan.reduction != Reduction::none,
                       .is_indexed = is_indexed(*writes, plan, data),
                       .threads = writes->batches.count() == 1 ? grouping.parallelism.threads : 1};
  const int most_copies = copies_allowed(*writes, plan, data, output, options, work.threads);
  int ranges = options.entry_order == EntryOrder::by_range ? work.threads : 1;
  if (options.entry_order == EntryOrder::in_copies) grouping.copies = most_copies;
  const bool copies_much = !output.holds_data() && data.byte_size() > options.tile_bytes;
  const bool is_open = options.entry_order == EntryOrder::automatic &&
                       (copies_much || work.entries * work.block_bytes > few_bytes);
  if (is_open) {
    ranges = best_ranges(work);
    grouping.costs = entry_costs(work, ranges);
    if (most_copies > 1 && copies_cost(work, most_copies) < grouping.costs->straight) {
      grouping.copies = most_copies;
      grouping.costs->straight = copies_cost(work, most_copies);
      ranges = 1;
    }
    if (grouping.costs->grouped < grouping.costs->straight) {
      grouping.copies = 1;
      return;
    }
  }
  const std::int64_t rows = data.count() / row;
  grouping.straight_tile = std::max<std::int64_t>((rows + ranges - 1) / ranges, 1) * row;
}

}  // namespace tscatter
