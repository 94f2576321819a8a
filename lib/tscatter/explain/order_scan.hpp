// Whether a plan's result depends on the order of the updates, and where. Examines every element
// that several updates reach.
#pragma once

#include <cstdint>
#include <span>

#include "tscatter/core/progress.hpp"
#include "tscatter/core/shape.hpp"
#include "tscatter/core/tensor.hpp"
#include "tscatter/engine/grouped_entries.hpp"
#include "tscatter/explain/explain.hpp"
#include "tscatter/orders/dependence_judge.hpp"
#include "tscatter/plan/scatter_plan.hpp"
#include "tscatter/reach/column_reader.hpp"

namespace tscatter {

// Turns the numbers of a plan (destinations, entries, elements of data in the order of the file)
// into positions.
struct Places {
  Places(const TensorHeader& data, EntryAxes entries_of_plan)
      : rank{data.rank()},
        entries{std::move(entries_of_plan)},
        destinations{indexed_shape(data.shape, entries), data.order},
        elements{data.shape, data.order} {}

  // The destination's coordinates along the indexed axes; the other axes are whole.
  Place place_of_destination(std::int64_t destination) const {
    const Position index = destinations.position(destination);
    Place place(rank);
    for (std::size_t i = 0; i < index.size(); ++i) place[entries.first + i] = index[i];
    return place;
  }

  // The entries number_of(0) … number_of(count - 1).
  template <class NumberOf>
  EntryList entry_list(std::int64_t count, const NumberOf& number_of) const {
    constexpr std::int64_t first = 6;
    constexpr std::int64_t last = 2;
    const bool is_long = count > EntryList::most_entries;
    EntryList list;
    for (std::int64_t k = 0; k < (is_long ? first : count); ++k)
      list.first.push_back(entries.position(number_of(k)));
    for (std::int64_t k = count - last; is_long && k < count; ++k)
      list.last.push_back(entries.position(number_of(k)));
    return list;
  }

  static Shape indexed_shape(const Shape& shape, const EntryAxes& entries) {
    const auto begin = shape.begin() + static_cast<std::ptrdiff_t>(entries.first);
    return {begin, begin + static_cast<std::ptrdiff_t>(entries.depth)};
  }

  std::size_t rank;  // of data
  EntryAxes entries;
  Numbering destinations;  // over the indexed axes
  Numbering elements;      // of data
};

// One group for each destination that several entries share.
using SharedGroups = std::span<const EntryGroup>;

struct ScanOptions {
  std::span<const std::byte> start;  // what elements begin with; empty: data's values
  std::int64_t most = 0;             // elements to list
  Parallelism parallelism = {};
};

// The answer, if dtype and reduction alone give it; nullopt if it depends on the values.
std::optional<OrderReason> reason_of_dtype(DType dtype, Reduction reduction);

// REQUIRES: reason_of_dtype returns nullopt. `writes` needs no destination_of_entry.
OrderReport scan_orders(const ListedWrites& writes, const orders::Combination& combination,
                        const Tensor& data, const Tensor& updates, SharedGroups groups,
                        const Places& places, const ScanOptions& options);

// An element that is known to depend on the order.
struct FoundElement {
  std::int64_t index = 0;   // in row-major order
  std::int64_t number = 0;  // in the order of data's file
  std::int64_t column = 0;
  EntryGroup group;
};

// Two orders of its updates with different results.
DependentElement example_of(const FoundElement& found, const orders::Combination& combination,
                            const ElementType& type, ColumnReader& reader, const Places& places);

}  // namespace tscatter
