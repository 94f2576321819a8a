// ExactColumns: whether the sums or products of some columns are so simple that every order of the
// terms leaves the same bytes, however many there are. Not part of the installed interface.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tscatter/core/dtype.hpp"
#include "tscatter/core/reduction.hpp"
#include "tscatter/orders/terms.hpp"

namespace tscatter::orders {

// For each column, true where it is shown that no order differs from another:
//   sum, sub: a NaN among the terms; or every partial sum is a number of the dtype, since all terms
//     are multiples of 2^k and their magnitudes add up to less than 2^(k + precision); or an
//     infinity, where the finite terms alone cannot come near one
//   prod: a NaN; or every partial product is a number of the dtype, since the significant bits of
//     all factors together fit it and so do the extremes of the exponents; or a zero, where the
//     others cannot come near an infinity
// False says nothing. Complex sums are looked at part by part; complex products never.
// REQUIRES: reduction is sum, sub or prod; the dtype is real or complex.
std::vector<bool> exact_columns(DType dtype, Reduction reduction, Terms& terms);

}  // namespace tscatter::orders
