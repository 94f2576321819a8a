// Operands that only some forms have, of an operation whose calls choose the form. Not part of the
// installed interface.
#pragma once

#include "tscatter/ops/operation.hpp"

namespace tscatter::forms {

// Throws Error (usage, operation.o1 or operation.o2) when an operand of the form is missing, or one
// of other forms is given. Other operations: nothing.
void require_operands_of_form(const Operation& operation, const Arguments& arguments);

}  // namespace tscatter::forms
