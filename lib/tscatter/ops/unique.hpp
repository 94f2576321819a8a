// The check for operations and calls that write no place twice. Not part of the installed
// interface.
#pragma once

#include <atomic>

#include "tscatter/ops/operation.hpp"
#include "tscatter/plan/lowered_plan.hpp"

namespace tscatter {

// Where the operation forbids duplicates: throws Error (the rule of Check::duplicates, or
// operation.o6) for the first index entry, in row-major order, that writes where an earlier one
// wrote. Takes at most 16 bytes an entry beside the plan's own. Throws Cancelled when *stop becomes
// true while entries that are not listed are read again.
void require_unique(const Operation& operation, const Arguments& arguments,
                    const LoweredPlan& lowered, const std::atomic<bool>* stop);

}  // namespace tscatter
