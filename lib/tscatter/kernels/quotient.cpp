#include "tscatter/kernels/quotient.hpp"

#include <cstring>

#include "tscatter/core/visit_dtype.hpp"

namespace tscatter {
namespace {

template <class T>
void divide(std::byte* sums, const std::int64_t* divisors, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) {
    if (divisors[i] == 0) continue;
    std::byte* const place = sums + i * static_cast<std::ptrdiff_t>(sizeof(T));
    T sum;
    std::memcpy(&sum, place, sizeof(T));
    sum = quotient(sum, divisors[i]);
    std::memcpy(place, &sum, sizeof(T));
  }
}

}  // namespace

DivideLoop divide_loop(DType dtype, Reduction reduction) {
  if (reduction != Reduction::mean) return nullptr;
  return visit_dtype(dtype, []<class T>() -> DivideLoop { return divide<T>; });
}

}  // namespace tscatter
