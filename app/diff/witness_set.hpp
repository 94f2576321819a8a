// The witness set of an operation: the small cases that some operation answers otherwise, as
// generated cases.
#pragma once

#include <vector>

#include "tscatter/generate/generated_case.hpp"
#include "tscatter/ops/operation.hpp"

namespace tscatter::app {

// The cases of the table of questions and some more, as far as the operation has what they need. A
// case that a rule of the operation refuses has that rule's label.
std::vector<generate::GeneratedCase> witness_set(const Operation& operation);

}  // namespace tscatter::app
