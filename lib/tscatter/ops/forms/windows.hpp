// The form window: the call gives the dimension numbers of StableHLO's scatter as operands. Not
// part of the installed interface.
#pragma once

#include <array>

#include "tscatter/ops/operation.hpp"
#include "tscatter/plan/lowered_plan.hpp"

namespace tscatter::forms {

inline constexpr std::array windows_checks{
    Check::data_rank,     Check::list_rank,     Check::list_dtype, Check::indices_dtype,
    Check::dims_range,    Check::dims_distinct, Check::dims_count, Check::batching_sizes,
    Check::updates_shape, Check::updates_dtype, Check::index_range};

void validate_windows(const Operation& operation, const Arguments& arguments);

// REQUIRES: validate_windows passed.
LoweredPlan lower_windows(const Operation& operation, const Arguments& arguments,
                          const Parallelism& parallelism);

}  // namespace tscatter::forms
