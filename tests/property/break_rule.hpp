// Breaking one rule of a legal call.
#pragma once

#include "oracle/oracle.hpp"
#include "property/random.hpp"

namespace tscatter::property {

// Leaves a call that may fail the check: the oracle judges.
void break_rule(Random& random, oracle::Call& call, Check check);

}  // namespace tscatter::property
