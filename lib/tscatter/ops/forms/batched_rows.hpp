// The form batched_rows: data [N, K, C], indices [N, W], updates [N, W, C]: each index is a
// position along axis 1 of data, within its own batch. Not part of the installed interface.
#pragma once

#include <array>

#include "tscatter/ops/operation.hpp"
#include "tscatter/plan/lowered_plan.hpp"

namespace tscatter::forms {

inline constexpr std::array batched_rows_checks{
    Check::data_rank,     Check::indices_rank,  Check::indices_dtype, Check::indices_shape,
    Check::updates_shape, Check::updates_dtype, Check::index_range};

void validate_batched_rows(const Operation& operation, const Arguments& arguments);

// REQUIRES: every rule but those on updates holds.
Shape updates_of_batched_rows(const Operation& operation, const Arguments& arguments);

// REQUIRES: validate_batched_rows passed.
LoweredPlan lower_batched_rows(const Operation& operation, const Arguments& arguments,
                               const Parallelism& parallelism);

}  // namespace tscatter::forms
