// The form start: indices have one number for each position along data's first axis, the batch:
// where along another axis the batch's part of updates begins. Not part of the installed interface.
#pragma once

#include <array>

#include "tscatter/ops/operation.hpp"
#include "tscatter/plan/lowered_plan.hpp"

namespace tscatter::forms {

inline constexpr std::array start_checks{
    Check::data_rank,     Check::axis_range,    Check::indices_dtype, Check::indices_shape,
    Check::updates_shape, Check::updates_dtype, Check::index_range};

void validate_start(const Operation& operation, const Arguments& arguments);

// With the attribute mode = circular, positions wrap around at the end of the axis. REQUIRES:
// validate_start passed.
LoweredPlan lower_start(const Operation& operation, const Arguments& arguments,
                        const Parallelism& parallelism);

}  // namespace tscatter::forms
