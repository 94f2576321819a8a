// Legal cases, one maker for each form. Scheme 1 of docs/generate.md. Not part of the
// installed interface.
#pragma once

#include "tscatter/generate/generated_case.hpp"

namespace tscatter::generate {

// The operands, and as the name the words for what is special about them.
GeneratedCase legal_case(const Setting& setting);

}  // namespace tscatter::generate
