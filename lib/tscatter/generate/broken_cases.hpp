// Cases that break one rule each, and none that is checked before it. Scheme 1 of docs/generate.md.
// Not part of the installed interface.
#pragma once

#include "tscatter/generate/generated_case.hpp"

namespace tscatter::generate {

// The variant whose turn it is: the operands, the label of the rule, and as the name the words that
// say how it is broken. REQUIRES: the set is exact.
GeneratedCase broken_case(const Setting& setting);

// How many variants the operation has: so many consecutive cases break every rule.
std::size_t broken_variants(const Operation& operation);

}  // namespace tscatter::generate
