#include "tscatter/kernels/reduce.hpp"

#include <cstring>

#include "tscatter/core/visit_dtype.hpp"
#include "tscatter/kernels/half_reduce.hpp"
#include "tscatter/kernels/reductions.hpp"

namespace tscatter {
namespace {

template <class T, class Operation>
void loop(std::byte* into, const std::byte* updates, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) {
    T x;
    T y;
    std::memcpy(&x, into + i * static_cast<std::ptrdiff_t>(sizeof(T)), sizeof(T));
    std::memcpy(&y, updates + i * static_cast<std::ptrdiff_t>(sizeof(T)), sizeof(T));
    x = Operation::apply(x, y);
    std::memcpy(into + i * static_cast<std::ptrdiff_t>(sizeof(T)), &x, sizeof(T));
  }
}

}  // namespace

ReduceLoop reduce_loop(DType dtype, Reduction reduction) {
  if (dtype == DType::opaque) return nullptr;
  if (const ReduceLoop fast = half_reduce_loop(dtype, reduction)) return fast;
  return visit_dtype(dtype, [&]<class T>() {
    return reductions::visit_reduction<T>(
        reduction, []<class Operation>() -> ReduceLoop { return loop<T, Operation>; });
  });
}

}  // namespace tscatter
