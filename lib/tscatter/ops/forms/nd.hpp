// The form nd: each entry, a row along the last axis of indices, has coordinates for the first axes
// of data, and the entry's slice of updates goes there. Not part of the installed interface.
#pragma once

#include <array>

#include "tscatter/ops/operation.hpp"
#include "tscatter/plan/lowered_plan.hpp"

namespace tscatter::forms {

inline constexpr std::array nd_checks{
    Check::data_rank,     Check::indices_rank,  Check::index_depth,  Check::index_range,
    Check::indices_dtype, Check::updates_shape, Check::updates_dtype};

void validate_nd(const Operation& operation, const Arguments& arguments);

// REQUIRES: every rule but those on updates holds.
Shape updates_of_nd(const Operation& operation, const Arguments& arguments);

// REQUIRES: validate_nd passed.
LoweredPlan lower_nd(const Operation& operation, const Arguments& arguments,
                     const Parallelism& parallelism);

}  // namespace tscatter::forms
