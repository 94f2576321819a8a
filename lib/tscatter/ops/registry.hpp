// The operations that tscatter has.
#pragma once

#include <span>
#include <string_view>

#include "tscatter/ops/operation.hpp"

namespace tscatter {

// In alphabetical order, the versions of one operation in ascending order.
std::span<const Operation* const> operations();

// Matches without regard to case, '-' and '_'; without a version the newest is meant. nullptr when
// there is none.
const Operation* find_operation(std::string_view name);

}  // namespace tscatter
