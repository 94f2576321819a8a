// The form rows: each index is a position along one axis of data, and its part of updates goes
// there. Not part of the installed interface.
#pragma once

#include <array>

#include "tscatter/ops/operation.hpp"
#include "tscatter/plan/lowered_plan.hpp"

namespace tscatter::forms {

inline constexpr std::array rows_checks{Check::data_rank,     Check::axis_range,
                                        Check::index_range,   Check::indices_dtype,
                                        Check::updates_shape, Check::updates_dtype};

void validate_rows(const Operation& operation, const Arguments& arguments);

// REQUIRES: every rule but those on updates holds.
Shape updates_of_rows(const Operation& operation, const Arguments& arguments);

// REQUIRES: validate_rows passed.
LoweredPlan lower_rows(const Operation& operation, const Arguments& arguments,
                       const Parallelism& parallelism);

}  // namespace tscatter::forms
