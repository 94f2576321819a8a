// What ScatterNDUpdate-3 and ScatterNDUpdate-15 share: each entry of indices names a place in the
// first axes of data, and the slice of updates that belongs to it goes there. Not part of the
// installed interface.
#pragma once

#include "tscatter/ops/checks.hpp"
#include "tscatter/ops/operation.hpp"

namespace tscatter {

// The labels under which an operation has the shared rules.
struct ScatterNdRules {
  std::string_view id;
  std::string_view data_rank;
  std::string_view indices_rank;
  std::string_view index_depth;
  std::string_view index_range;
  std::string_view indices_dtype;
  std::string_view updates_shape;
  std::string_view updates_dtype;
};

void validate_scatter_nd(const Arguments& arguments, const ScatterNdRules& rules);

// REQUIRES: validate_scatter_nd passed.
LoweredPlan lower_scatter_nd(const Arguments& arguments, const ScatterNdRules& rules,
                             NegativeIndices negative, const Parallelism& parallelism);

}  // namespace tscatter
