#include <cstring>

#include "tscatter/core/unaligned.hpp"
#include "tscatter/core/visit_dtype.hpp"
#include "tscatter/kernels/half_reduce.hpp"
#include "tscatter/kernels/reductions.hpp"
#include "tscatter/kernels/scatter.hpp"

namespace tscatter {
namespace {

// Calls apply(update, place) for each, in order.
template <std::size_t size, Fetching fetching, class Apply>
void visit_places(const std::byte* tile, const std::uint32_t* places, std::int64_t count,
                  const Apply& apply) {
  std::int64_t i = 0;
  if constexpr (fetching == Fetching::done) {
    for (; i + fetched_ahead < count; ++i) {
      __builtin_prefetch(tile + std::size_t{places[i + fetched_ahead]} * size, 1);
      apply(i, std::size_t{places[i]});
    }
  }
  for (; i < count; ++i) apply(i, std::size_t{places[i]});
}

template <std::size_t size, Fetching fetching>
void overwrite(std::byte* tile, const std::uint32_t* places, const std::byte* updates,
               std::int64_t count) {
  visit_places<size, fetching>(tile, places, count, [&](std::int64_t i, std::size_t place) {
    std::memcpy(tile + place * size, updates + static_cast<std::size_t>(i) * size, size);
  });
}

template <class T, class Operation, Fetching fetching>
void reduce(std::byte* tile, const std::uint32_t* places, const std::byte* updates,
            std::int64_t count) {
  visit_places<sizeof(T), fetching>(tile, places, count, [&](std::int64_t i, std::size_t place) {
    store(Operation::apply(load<T>(tile, place), load<T>(updates, i)), tile, place);
  });
}

template <Fetching fetching>
PlacedLoop overwrite_loop(std::size_t size) {
  switch (size) {
    case 1: return overwrite<1, fetching>;
    case 2: return overwrite<2, fetching>;
    case 4: return overwrite<4, fetching>;
    case 8: return overwrite<8, fetching>;
    case 16: return overwrite<16, fetching>;
    default: return nullptr;
  }
}

template <Fetching fetching>
PlacedLoop loop_of(DType dtype, std::size_t size, Reduction reduction) {
  if (reduction == Reduction::none) return overwrite_loop<fetching>(size);
  if (dtype == DType::opaque) return nullptr;
  if (const PlacedLoop fast = half_placed_loop(dtype, reduction)) return fast;
  return visit_dtype(dtype, [&]<class T>() {
    return reductions::visit_reduction<T>(
        reduction, []<class Operation>() -> PlacedLoop { return reduce<T, Operation, fetching>; });
  });
}

}  // namespace

PlacedLoop placed_loop(DType dtype, std::size_t size, Reduction reduction, Fetching fetching) {
  return fetching == Fetching::done ? loop_of<Fetching::done>(dtype, size, reduction)
                                    : loop_of<Fetching::left_out>(dtype, size, reduction);
}

}  // namespace tscatter
