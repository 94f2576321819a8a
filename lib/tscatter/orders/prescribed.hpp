// Values that meet in a wider dtype than the elements', because the operation prescribes it,
// and are rounded once.
#pragma once

#include <cassert>
#include <cstddef>
#include <type_traits>
#include <vector>

#include "tscatter/core/reduction.hpp"
#include "tscatter/core/visit_dtype.hpp"
#include "tscatter/kernels/quotient.hpp"
#include "tscatter/kernels/reduce.hpp"
#include "tscatter/orders/terms.hpp"

namespace tscatter::orders {

template <class T>
DType dtype_of() {
  for (const DTypeInfo& candidate : dtype_table) {
    if (candidate.dtype == DType::opaque) break;
    const bool is_it = visit_dtype(candidate.dtype, []<class U> { return std::is_same_v<T, U>; });
    if (is_it) return candidate.dtype;
  }
  return DType::opaque;
}

// Whether sums and products of T have a wider accumulator. Then a narrower one is no way to the
// result: only the bound of the wider ones holds.
template <class T>
constexpr bool prescribes_wider(Accumulation accumulation) {
  if constexpr (HalfWidth<T>) return accumulation != Accumulation::each_step;
  return std::is_same_v<T, float> && accumulation == Accumulation::float64;
}

// One column in the accumulator's dtype.
template <class Wide>
class WideColumn {
 public:
  // `divisor`: that the sum is divided by before it is rounded.
  template <class T>
  WideColumn(const TermRows<T>& rows, std::size_t column, std::int64_t divisor)
      : data_{static_cast<Wide>(rows.data[column])}, terms_(rows.writers()), divisor_{divisor} {
    for (std::size_t k = 0; k < terms_.size(); ++k) {
      terms_[k] = static_cast<Wide>(rows.terms[k][column]);
      places_.push_back(&terms_[k]);
    }
  }

  TermRows<Wide> rows() const {
    return {.data = {&data_, 1}, .actual = {}, .terms = places_, .divisor = divisor_};
  }

 private:
  Wide data_;
  std::vector<Wide> terms_;
  std::vector<const Wide*> places_;
  std::int64_t divisor_;
};

// What the element becomes: the value rounded to T, as the engine rounds it, and then divided.
template <class T>
class Narrowing {
 public:
  Narrowing(Reduction reduction, Accumulation accumulation, std::int64_t divisor)
      : reduction_{reduction},
        loop_{combiner(dtype_of<T>(), reduction, accumulation).narrow},
        divisor_{divisor} {
    assert(loop_ != nullptr);
  }

  template <class Wide>
  T operator()(const Wide& value) const {
    T narrow;
    loop_(reinterpret_cast<const std::byte*>(&value), reinterpret_cast<std::byte*>(&narrow), 1);
    return divided(reduction_, narrow, divisor_);
  }

 private:
  Reduction reduction_;
  NarrowLoop loop_;
  std::int64_t divisor_;
};

// Calls function.operator()<Wide>() with the accumulator's type. REQUIRES: prescribes_wider<T>.
template <class T, class Function>
auto visit_accumulator(Accumulation accumulation, const Function& function) {
  if constexpr (HalfWidth<T>) {
    if (accumulation == Accumulation::float32) return function.template operator()<float>();
  }
  return function.template operator()<double>();
}

}  // namespace tscatter::orders
