// What is wrong with the library's answer to a case, in words; "" when nothing is.
#pragma once

#include <string>

#include "property/random_case.hpp"

namespace tscatter::property {

// The result, the counts and the way to it, beside the oracle's.
std::string wrong_with_legal(const Case& c);

// The rule, the place, and that nothing was written. REQUIRES: the oracle refuses the case so.
std::string wrong_with_illegal(const Case& c, const oracle::Refusal& refusal);

}  // namespace tscatter::property
