#include <algorithm>
#include <span>
#include <type_traits>

#include "tscatter/core/parallel.hpp"
#include "tscatter/plan/scatter_plan.hpp"

namespace tscatter {
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
