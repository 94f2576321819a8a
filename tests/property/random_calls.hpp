// Random legal calls of any operation.
#pragma once

#include <vector>

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

// A value for each attribute of the operation, with a reduction that is defined for the dtype.
Attributes random_attributes(Random& random, const Operation& operation, DType dtype);

// A bound or a step: near the axis, beyond it, or the ends of its dtype.
oracle::Int128 random_bound(Random& random, DType dtype, std::int64_t size);

// A tensor of these elements, which the type can hold.
oracle::Dense integers(const ElementType& type, const Shape& shape,
                       const std::vector<oracle::Int128>& values);

}  // namespace tscatter::property
