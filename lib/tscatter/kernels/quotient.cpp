#include "tscatter/kernels/quotient.hpp"

#include <algorithm>

#include "tscatter/core/unaligned.hpp"
#include "tscatter/core/visit_dtype.hpp"
#include "tscatter/kernels/path.hpp"

namespace tscatter {
namespace {

template <class T>
void divide(std::byte* sums, const std::int64_t* divisors, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) {
    if (divisors[i] != 0) store(quotient(load<T>(sums, i), divisors[i]), sums, i);
  }
}

// Without a branch: which elements were written cannot be foretold.
template <class T>
void divide_written(std::byte* sums, const std::uint32_t* updates, std::uint32_t own,
                    std::int64_t count) {
  vectorised([=] {
    for (std::int64_t i = 0; i < count; ++i) {
      const T sum = load<T>(sums, i);
      const T divided = quotient(sum, std::max(updates[i] + own, std::uint32_t{1}));
      store(updates[i] > 0 ? divided : sum, sums, i);
    }
  });
}

}  // namespace

DivideLoop divide_loop(DType dtype, Reduction reduction) {
  if (!info(reduction).divides) return nullptr;
  return visit_dtype(dtype, []<class T>() -> DivideLoop { return divide<T>; });
}

DivideByUpdates divide_by_updates(DType dtype, Reduction reduction) {
  if (!info(reduction).divides) return nullptr;
  return visit_dtype(dtype, []<class T>() -> DivideByUpdates { return divide_written<T>; });
}

}  // namespace tscatter
