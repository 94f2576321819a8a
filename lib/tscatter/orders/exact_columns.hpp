// Whether the sums or products of some columns are so simple that every order of the terms, of
// whatever number, leaves the same bytes. Not part of the installed interface.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tscatter/core/dtype.hpp"
#include "tscatter/core/reduction.hpp"
#include "tscatter/orders/terms.hpp"

namespace tscatter::orders {

// For each column, true if it is certain that all orders leave the same bytes:
//   a sum: a NaN among the terms; or every partial sum is a number of the dtype, since all terms
//     are multiples of 2^k and their magnitudes add up to less than 2^(k + precision); or an
//     infinity, where the finite terms alone cannot come near one
//   a product: a NaN; or every partial product is a number of the dtype, since the significant
//     bits of all factors together fit it and so do the extremes of the exponents; or a zero, where
//     the others cannot come near an infinity
// False means nothing. Complex sums are examined part by part, complex products not at all.
// REQUIRES: the reduction is a sum, a mean or a product; the dtype is real or complex.
std::vector<bool> exact_columns(DType dtype, Reduction reduction, TermTable& terms);

}  // namespace tscatter::orders
