// Whether a plan's result depends on the order of the updates, and where. Examines every element
// that several updates reach. Not part of the installed interface.
#pragma once

#include <cstdint>
#include <span>

#include "tscatter/core/progress.hpp"
#include "tscatter/core/tensor.hpp"
#include "tscatter/engine/grouped_entries.hpp"
#include "tscatter/explain/explain.hpp"
#include "tscatter/explain/places.hpp"
#include "tscatter/orders/dependence_judge.hpp"
#include "tscatter/plan/scatter_plan.hpp"
#include "tscatter/reach/column_reader.hpp"

namespace tscatter {

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
