// Random legal calls of any operation.
#pragma once

#include "oracle/oracle.hpp"
#include "property/random.hpp"

namespace tscatter::property {

// With answers of its own.
const Operation& random_operation(Random& random);

// generic.scatter with an answer to every question. What becomes of indices out of range is
// refused.
Operation random_generic(Random& random);

// Picks operations with reductions more often than the others.
oracle::Call random_legal_call(Random& random);

oracle::Call random_call_of(Random& random, const Operation& operation);

}  // namespace tscatter::property
