// Cases that break one rule each, and no other that would be checked before it. Scheme 1 of
// docs/generate.md. Not part of the installed interface.
#pragma once

#include "tscatter/generate/generated_case.hpp"

namespace tscatter::generate {

// The operands, the label of the rule, and as the name the words that say how it is broken: the
// variant whose turn it is. REQUIRES: the set is exact.
GeneratedCase broken_case(const Setting& setting);

// How many ways there are for the operation, so that as many cases in a row break every rule.
std::size_t broken_variants(const Operation& operation);

}  // namespace tscatter::generate
