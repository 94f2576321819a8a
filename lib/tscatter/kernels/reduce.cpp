#include "tscatter/kernels/reduce.hpp"

#include "tscatter/core/byte_order.hpp"
#include "tscatter/core/visit_dtype.hpp"
#include "tscatter/kernels/path.hpp"
#include "tscatter/kernels/reductions.hpp"

namespace tscatter {
namespace {

template <class T, class Operation>
void loop(std::byte* into, const std::byte* updates, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i)
    store(Operation::apply(load<T>(into, i), load<T>(updates, i)), into, i);
}

#if defined(__x86_64__)
// The same code, compiled for wider vectors; without fused operations the bits are the same.
template <class T, class Operation>
[[gnu::flatten, gnu::target("avx2")]] void wide_loop(std::byte* into, const std::byte* updates,
                                                     std::int64_t count) {
  loop<T, Operation>(into, updates, count);
}
#else
template <class T, class Operation>
constexpr ReduceLoop wide_loop = loop<T, Operation>;
#endif

}  // namespace

ReduceLoop reduce_loop(DType dtype, Reduction reduction) {
  if (dtype == DType::opaque) return nullptr;
  if (const ReduceLoop fast = half_reduce_loop(dtype, reduction)) return fast;
  const bool is_wide = takes_avx2();
  return visit_dtype(dtype, [&]<class T>() {
    return reductions::visit_reduction<T>(reduction, [&]<class Operation>() -> ReduceLoop {
      return is_wide ? wide_loop<T, Operation> : loop<T, Operation>;
    });
  });
}

}  // namespace tscatter
