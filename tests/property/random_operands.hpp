// Random operands and attributes of calls.
#pragma once

#include <cstdint>
#include <vector>

#include "oracle/oracle.hpp"
#include "property/random.hpp"

namespace tscatter::property {

// A shape of index entries with `block` elements of updates each; no entries if no index would be
// legal.
Shape random_entries_shape(Random& random, std::int64_t block, std::int64_t limit,
                           bool must_be_empty);

// Index entries of coordinates along axes of `sizes`, often with heavy duplicates.
std::vector<oracle::Int128> random_entries(Random& random, DType dtype, std::int64_t count,
                                           const Shape& sizes, bool may_be_negative);

// A rank-0 or one-element integer.
oracle::Dense random_scalar(Random& random, oracle::Int128 value);

// A value for each attribute of the operation, with a reduction that is defined for the dtype.
Attributes random_attributes(Random& random, const Operation& operation, DType dtype);

// A bound or a step: near the axis, beyond it, or the ends of its dtype.
oracle::Int128 random_bound(Random& random, DType dtype, std::int64_t size);

// A tensor of these elements, which the type can hold.
oracle::Dense integers(const ElementType& type, const Shape& shape,
                       const std::vector<oracle::Int128>& values);

}  // namespace tscatter::property
