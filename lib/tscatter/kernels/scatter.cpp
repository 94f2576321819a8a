#include "tscatter/kernels/scatter.hpp"

#include <cstring>
#include <type_traits>

#include "tscatter/core/visit_dtype.hpp"
#include "tscatter/kernels/reduce.hpp"
#include "tscatter/kernels/reductions.hpp"

namespace tscatter {
namespace {

template <std::size_t size, class Record>
void overwrite(std::byte* tile, std::uint32_t first_destination, std::span<const Record> records) {
  for (const Record& record : records) {
    std::memcpy(tile + std::size_t{record.destination - first_destination} * size,
                record.value.data(), size);
  }
}

template <class T, class Operation, class Record>
void reduce(std::byte* tile, std::uint32_t first_destination, std::span<const Record> records) {
  for (const Record& record : records) {
    std::byte* place = tile + std::size_t{record.destination - first_destination} * sizeof(T);
    T x;
    T y;
    std::memcpy(&x, place, sizeof(T));
    std::memcpy(&y, record.value.data(), sizeof(T));
    x = Operation::apply(x, y);
    std::memcpy(place, &x, sizeof(T));
  }
}

template <class Record>
ScatterLoop<Record> overwrite_loop(std::size_t size) {
  constexpr std::size_t widest = sizeof(Record::value);
  if constexpr (widest == 8) return overwrite<8, Record>;
  if (size == 1) return overwrite<1, Record>;
  if (size == 2) return overwrite<2, Record>;
  return overwrite<4, Record>;
}

}  // namespace

template <class Record>
ScatterLoop<Record> scatter_loop(DType dtype, std::size_t size, Reduction reduction) {
  if (reduction == Reduction::none) return overwrite_loop<Record>(size);
  if constexpr (std::is_same_v<Record, SmallRecord>) {
    if (const auto fast = half_scatter_loop(dtype, reduction)) return fast;
  }
  return visit_dtype(dtype, [&]<class T>() -> ScatterLoop<Record> {
    constexpr bool is_large = sizeof(T) > sizeof(SmallRecord::value);
    if constexpr (sizeof(T) <= sizeof(Record::value) && is_large == (sizeof(Record::value) == 8)) {
      return reductions::visit_reduction<T>(
          reduction,
          []<class Operation>() -> ScatterLoop<Record> { return reduce<T, Operation, Record>; });
    } else {
      return nullptr;
    }
  });
}

template ScatterLoop<SmallRecord> scatter_loop(DType, std::size_t, Reduction);
template ScatterLoop<LargeRecord> scatter_loop(DType, std::size_t, Reduction);

}  // namespace tscatter
