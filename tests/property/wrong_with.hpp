// What is wrong with the library's answer to a case, in words; "" if nothing is.
#pragma once

#include <string>

#include "property/random_case.hpp"

namespace tscatter::property {

// Compares the result, the counts and the calls with the oracle's.
std::string wrong_with_legal(const Case& c);

// Compares the rule and the place, and checks that nothing was written. REQUIRES: the oracle
// refuses the case with this.
std::string wrong_with_illegal(const Case& c, const oracle::Refusal& refusal);

}  // namespace tscatter::property
