// The form slice: updates replace a slice of data, given by start, stop and step along some axes.
// Not part of the installed interface.
#pragma once

#include <array>

#include "tscatter/ops/operation.hpp"
#include "tscatter/plan/lowered_plan.hpp"

namespace tscatter::forms {

inline constexpr std::array slice_checks{
    Check::data_rank,     Check::list_rank,     Check::list_dtype,
    Check::list_length,   Check::step_not_zero, Check::axes_range,
    Check::axes_distinct, Check::updates_shape, Check::updates_dtype};

void validate_slice(const Operation& operation, const Arguments& arguments);

// REQUIRES: every rule but those on updates holds.
Shape updates_of_slice(const Operation& operation, const Arguments& arguments);

// REQUIRES: validate_slice passed.
LoweredPlan lower_slice(const Operation& operation, const Arguments& arguments,
                        const Parallelism& parallelism);

}  // namespace tscatter::forms
