// The form elements: each element of updates goes to its own place in data, but along one axis to
// the position that indices name. Not part of the installed interface.
#pragma once

#include <array>

#include "tscatter/ops/operation.hpp"
#include "tscatter/plan/lowered_plan.hpp"

namespace tscatter::forms {

inline constexpr std::array elements_checks{
    Check::data_rank,     Check::indices_rank,  Check::axis_range,    Check::indices_dtype,
    Check::indices_shape, Check::updates_shape, Check::updates_dtype, Check::index_range};

void validate_elements(const Operation& operation, const Arguments& arguments);

// REQUIRES: every rule but those on updates holds.
Shape updates_of_elements(const Operation& operation, const Arguments& arguments);

// REQUIRES: validate_elements passed.
LoweredPlan lower_elements(const Operation& operation, const Arguments& arguments,
                           const Parallelism& parallelism);

// The same for the engine, without a list of the entries where they suit that.
LoweredPlan lower_elements_indexed(const Operation& operation, const Arguments& arguments,
                                   const Parallelism& parallelism);

}  // namespace tscatter::forms
