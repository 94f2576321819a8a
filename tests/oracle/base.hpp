// Data that an operation makes for its calls, as the texts of the operations define it.
#pragma once

#include <optional>

#include "oracle/writes.hpp"

namespace tscatter::oracle {

// The check that the operands and attributes which data is made from break; nullopt if none.
std::optional<Check> broken_base(const Call& call);

// The call with data as it is made, and with updates as they are added; of an operation that is
// given data the same call. More than 2^24 elements have no bytes. REQUIRES: broken_base is
// nullopt.
Call based(const Call& call);

}  // namespace tscatter::oracle
