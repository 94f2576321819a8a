// Finds two orders of the updates with different results for an element. Not part of the installed
// interface.
#pragma once

#include <cstdint>
#include <span>

#include "tscatter/engine/grouped_entries.hpp"
#include "tscatter/explain/explain.hpp"
#include "tscatter/explain/places.hpp"
#include "tscatter/orders/dependence_judge.hpp"
#include "tscatter/reach/column_reader.hpp"

namespace tscatter {

// An element that is known to depend on the order.
struct FoundElement {
  std::int64_t index = 0;   // in row-major order
  std::int64_t number = 0;  // in the order of data's file
  std::int64_t column = 0;
  EntryGroup group;
};

DependentElement example_of(const FoundElement& found, const orders::Combination& combination,
                            const ElementType& type, ColumnReader& reader, const Places& places);

}  // namespace tscatter
