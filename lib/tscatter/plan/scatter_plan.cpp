#include "tscatter/plan/scatter_plan.hpp"

#include <algorithm>
#include <numeric>
#include <span>
#include <type_traits>

#include "tscatter/core/fail.hpp"
#include "tscatter/core/parallel.hpp"

namespace tscatter {
namespace {

// The axes of a tensor from the slowest to the fastest in its file.
std::vector<std::size_t> storage_axes(const TensorHeader& header) {
  std::vector<std::size_t> axes(header.rank());
  std::iota(axes.begin(), axes.end(), std::size_t{0});
  if (header.order == MemoryOrder::fortran) std::ranges::reverse(axes);
  return axes;
}

// If there is only one destination, the batches form one block: [batches, 1, block] is [1, 1,
// batches * block].
void merge_batches_into_block(ListedWrites& writes) {
  StridedAxes merged = writes.batches;
  for (const StridedAxes::Axis axis : writes.blocks.axes()) merged.append(axis);
  if (writes.blocks.count() == 0) merged.append({.count = 0, .stride = 1});
  writes.blocks = merged;
  writes.batches = {};
}

StridedAxes in_parts(const StridedAxes& axes, std::int64_t parts) {
  StridedAxes longer;
  for (const StridedAxes::Axis axis : axes.axes())
    longer.append({.count = axis.count, .stride = axis.stride * parts});
  return longer;
}

void cut(ListedWrites& writes, std::int64_t parts) {
  writes.batches = in_parts(writes.batches, parts);
  writes.entries = in_parts(writes.entries, parts);
  writes.blocks = in_parts(writes.blocks, parts);
  writes.blocks.append({.count = parts, .stride = 1});
}

void cut(LatticeWrites& writes, std::int64_t parts) {
  for (LatticeWrites::Axis& axis : writes.axes) {
    axis.output_stride *= parts;
    axis.updates_stride *= parts;
  }
  writes.run *= parts;
  writes.output_origin *= parts;
  writes.updates_origin *= parts;
}

void cut(IndexedWrites&, std::int64_t) { unreachable(); }

void cut(MaskWrites& writes, std::int64_t parts) { writes.block *= parts; }

}  // namespace

Position EntryAxes::position(std::int64_t entry) const {
  Position all = position_of(shape, entry);
  if (!of_indices) return all;
  Position some;
  for (const std::size_t axis : *of_indices) some.push_back(all[axis]);
  return some;
}

ScatterPlan in_parts(ScatterPlan plan, std::int64_t parts) {
  std::visit([&](auto& writes) { cut(writes, parts); }, plan.writes);
  return plan;
}

std::int64_t LatticeWrites::points() const {
  std::int64_t points = 1;
  for (const Axis& axis : axes) points *= axis.count;
  return points;
}

std::optional<std::int64_t> LatticeWrites::update_at(std::int64_t output) const {
  std::int64_t rest = output - output_origin;
  std::int64_t update = updates_origin;
  for (const Axis& axis : axes) {
    if (rest < 0 || rest / axis.output_stride >= axis.count) return std::nullopt;
    update += rest / axis.output_stride * axis.updates_stride;
    rest %= axis.output_stride;
  }
  if (rest < 0 || rest >= run) return std::nullopt;
  return update + rest;
}

void LatticeBuilder::append(LatticeWrites::Axis axis) {
  if (axis.count == 1) return;
  if (axis.output_stride < 0 && axis.count > 0) {
    lattice_.output_origin += (axis.count - 1) * axis.output_stride;
    lattice_.updates_origin += (axis.count - 1) * axis.updates_stride;
    axis = {.count = axis.count,
            .output_stride = -axis.output_stride,
            .updates_stride = -axis.updates_stride};
  }
  std::vector<LatticeWrites::Axis>& axes = lattice_.axes;
  const bool continues = !axes.empty() &&
                         axes.back().output_stride == axis.count * axis.output_stride &&
                         axes.back().updates_stride == axis.count * axis.updates_stride;
  if (continues) {
    axis.count *= axes.back().count;
    axes.pop_back();
  }
  axes.push_back(axis);
}

LatticeWrites LatticeBuilder::build() const {
  LatticeWrites built = lattice_;
  if (!built.axes.empty() && built.axes.back().output_stride == 1 &&
      built.axes.back().updates_stride == 1) {
    built.run = built.axes.back().count;
    built.axes.pop_back();
  }
  return built;
}

ListedWrites listed_writes(const TensorHeader& data, std::size_t first, std::size_t depth,
                           const TensorHeader& updates, std::size_t entry_rank) {
  ListedWrites writes;
  const std::size_t expected_rank = data.rank() - depth + entry_rank;
  if (updates.rank() != expected_rank) {
    // A single element whose rank is not 0: only index 0 of each axis occurs.
    for (std::size_t axis = first; axis < first + depth; ++axis)
      writes.destinations *= data.shape[axis];
    return writes;
  }
  const std::vector<std::int64_t> strides = strides_of(updates.shape, updates.order);
  UpdatesWalk walk{.entries = {}, .strides = std::vector<std::int64_t>(data.rank(), 0)};
  for (std::size_t i = 0; i < entry_rank; ++i)
    walk.entries.push_back({.count = updates.shape[first + i], .stride = strides[first + i]});
  for (std::size_t axis = 0; axis < first; ++axis) walk.strides[axis] = strides[axis];
  for (std::size_t axis = first + depth; axis < data.rank(); ++axis)
    walk.strides[axis] = strides[axis - depth + entry_rank];
  return listed_writes(data, first, depth, walk);
}

ListedWrites listed_writes(const TensorHeader& data, std::size_t first, std::size_t depth,
                           const UpdatesWalk& updates) {
  ListedWrites writes;
  for (const StridedAxes::Axis axis : updates.entries) writes.entries.append(axis);
  bool before_indexed = true;
  for (const std::size_t axis : storage_axes(data)) {
    const bool is_indexed = axis >= first && axis < first + depth;
    if (is_indexed) {
      before_indexed = false;
      writes.destinations *= data.shape[axis];
      continue;
    }
    if (depth == 0) before_indexed = false;
    (before_indexed ? writes.batches : writes.blocks)
        .append({.count = data.shape[axis], .stride = updates.strides[axis]});
  }
  if (writes.destinations == 1) merge_batches_into_block(writes);
  return writes;
}

std::vector<std::int64_t> destination_strides(const TensorHeader& data, std::size_t first,
                                              std::size_t depth) {
  const auto begin = data.shape.begin() + static_cast<std::ptrdiff_t>(first);
  return strides_of(Shape(begin, begin + static_cast<std::ptrdiff_t>(depth)), data.order);
}

namespace {

// Whether the destinations follow one another, or all are dropped.
template <class Destination>
bool is_one(std::span<const Destination> row) {
  const Destination first = row.front();
  const Destination step = is_dropped(first) ? 0 : 1;
  for (std::size_t i = 1; i < row.size(); ++i) {
    if (row[i] != static_cast<Destination>(first + static_cast<Destination>(i) * step))
      return false;
  }
  return true;
}

// Whether each row is one. Stops at the first that is not.
template <class Destination>
bool are_rows(std::span<const Destination> destinations, std::int64_t length,
              const Parallelism& parallelism) {
  constexpr std::int64_t at_once = std::int64_t{64} * 1024;
  const auto rows = static_cast<std::int64_t>(destinations.size()) / length;
  const std::int64_t rows_at_once = std::max<std::int64_t>(at_once / length, 1);
  std::atomic<bool> is_row = true;
  for_each_task((rows + rows_at_once - 1) / rows_at_once, parallelism, [&] {
    return [&](std::int64_t task) {
      const std::int64_t end = std::min((task + 1) * rows_at_once, rows);
      for (std::int64_t row = task * rows_at_once; row < end && is_row; ++row) {
        if (!is_one(destinations.subspan(static_cast<std::size_t>(row * length),
                                         static_cast<std::size_t>(length))))
          is_row = false;
      }
    };
  });
  return is_row;
}

template <class Destination>
DestinationList rows_of(std::span<const Destination> destinations, std::int64_t length,
                        std::int64_t rows_of_output) {
  const auto rows = static_cast<std::int64_t>(destinations.size()) / length;
  DestinationList list(rows, rows_of_output);
  list.visit([&](auto into) {
    using Row = typename decltype(into)::value_type;
    for (std::int64_t row = 0; row < rows; ++row) {
      const Destination first = destinations[static_cast<std::size_t>(row * length)];
      into[static_cast<std::size_t>(row)] =
          is_dropped(first) ? dropped_entry<Row>
                            : static_cast<Row>(first / static_cast<Destination>(length));
    }
  });
  list.count_dropped();
  return list;
}

// The loop over the entries, without the innermost `length` of them, which are to be one loop.
StridedAxes outer_loops(const StridedAxes& entries, std::int64_t length) {
  StridedAxes outer;
  for (const StridedAxes::Axis& axis : entries.axes()) {
    const bool is_inner = &axis == &entries.axes().back();
    if (!is_inner) {
      outer.append(axis);
    } else if (axis.count > length) {
      outer.append({.count = axis.count / length, .stride = axis.stride * length});
    }
  }
  return outer;
}

bool may_fold(const ListedWrites& writes) {
  const std::int64_t length = writes.entries_in_row;
  const auto& loops = writes.entries.axes();
  return length > 1 && writes.destination_of_entry.size() > 0 && !loops.empty() &&
         loops.back().count % length == 0 && writes.destinations % length == 0;
}

}  // namespace

std::int64_t fold_entries(ListedWrites& writes, const Parallelism& parallelism) {
  const std::int64_t length = writes.entries_in_row;
  if (!may_fold(writes)) return 1;
  const bool folds = writes.destination_of_entry.visit([&](auto destinations) {
    using Destination = std::remove_const_t<typename decltype(destinations)::element_type>;
    return are_rows(std::span<const Destination>(destinations), length, parallelism);
  });
  if (!folds) return 1;
  writes.destinations /= length;
  writes.destination_of_entry = writes.destination_of_entry.visit([&](auto destinations) {
    using Destination = std::remove_const_t<typename decltype(destinations)::element_type>;
    return rows_of(std::span<const Destination>(destinations), length, writes.destinations);
  });
  StridedAxes blocks;
  blocks.append({.count = length, .stride = writes.entries.axes().back().stride});
  for (const StridedAxes::Axis axis : writes.blocks.axes()) blocks.append(axis);
  writes.blocks = blocks;
  writes.entries = outer_loops(writes.entries, length);
  writes.entries_in_row = 1;
  return length;
}

}  // namespace tscatter
