// Whether two orders of a few updates leave different sums or products, decided from the least and
// the greatest result of all orders. Not part of the installed interface.
#pragma once

#include <cstdint>
#include <span>

#include "tscatter/core/reduction.hpp"
#include "tscatter/orders/verdict.hpp"

namespace tscatter::orders {

// `values`: a row of columns for data's values, then one for each update; `results`: one for each
// column, `unknown` where a NaN or an infinity, in a product also a zero, is among the terms.
// `divisor`: a mean's. T is real; at most `exact_writers` updates. REQUIRES: a sum, a mean or a
// product, each step rounded to T.
template <class T>
void decide_by_ranges(Reduction reduction, std::int64_t divisor, std::span<const T> values,
                      std::span<OrderDependence> results);

}  // namespace tscatter::orders
