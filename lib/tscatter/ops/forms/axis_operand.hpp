// The axis of the forms rows and elements: an operand or an attribute, one integer, which may count
// from the end. Not part of the installed interface.
#pragma once

#include <cstddef>

#include "tscatter/ops/operation.hpp"

namespace tscatter::forms {

// Throws Error (the rules of Check::axis_scalar and Check::axis_range).
void require_axis(const Operation& operation, const Arguments& arguments);

// Counted from the front. REQUIRES: require_axis passed.
std::size_t axis_of(const Operation& operation, const Arguments& arguments);

}  // namespace tscatter::forms
