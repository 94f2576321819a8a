// The lowering of the form elements without a list: checks the indices, and lets the engine read
// them again. Not part of the installed interface.
#pragma once

#include <cstddef>
#include <optional>

#include "tscatter/ops/operation.hpp"
#include "tscatter/plan/lowered_plan.hpp"

namespace tscatter {

// The plan of a call of the form elements, in which indices stay where they are. nullopt where a
// list serves better: an operand is in Fortran order, or indices in foreign byte order; duplicates
// are forbidden; there are few entries beside data; rows of indices repeat one value, so that their
// entries fold. Throws Error as lower_entries does. REQUIRES: validate passed; `operation` outlives
// the plan.
std::optional<LoweredPlan> lower_indexed(const Operation& operation, const Arguments& arguments,
                                         std::size_t axis, const Parallelism& parallelism);

}  // namespace tscatter
