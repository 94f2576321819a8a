#include <cstring>

#include "tscatter/core/unaligned.hpp"
#include "tscatter/core/visit_dtype.hpp"
#include "tscatter/kernels/half_reduce.hpp"
#include "tscatter/kernels/reductions.hpp"
#include "tscatter/kernels/scatter.hpp"

namespace tscatter {
namespace {

template <std::size_t size>
void overwrite(std::byte* tile, const std::uint32_t* places, const std::byte* updates,
               std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i)
    std::memcpy(tile + std::size_t{places[i]} * size, updates + static_cast<std::size_t>(i) * size,
                size);
}

template <class T, class Operation>
void reduce(std::byte* tile, const std::uint32_t* places, const std::byte* updates,
            std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) {
    const std::size_t place = places[i];
    store(Operation::apply(load<T>(tile, place), load<T>(updates, i)), tile, place);
  }
}

PlacedLoop overwrite_loop(std::size_t size) {
  switch (size) {
    case 1: return overwrite<1>;
    case 2: return overwrite<2>;
    case 4: return overwrite<4>;
    case 8: return overwrite<8>;
    case 16: return overwrite<16>;
    default: return nullptr;
  }
}

}  // namespace

PlacedLoop placed_loop(DType dtype, std::size_t size, Reduction reduction) {
  if (reduction == Reduction::none) return overwrite_loop(size);
  if (dtype == DType::opaque) return nullptr;
  if (const PlacedLoop fast = half_placed_loop(dtype, reduction)) return fast;
  return visit_dtype(dtype, [&]<class T>() {
    return reductions::visit_reduction<T>(
        reduction, []<class Operation>() -> PlacedLoop { return reduce<T, Operation>; });
  });
}

}  // namespace tscatter
