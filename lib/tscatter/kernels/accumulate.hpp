// Sums and products of floats that are kept in a wider dtype and rounded once. Nothing here can
// fail.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tscatter/kernels/reduce.hpp"

namespace tscatter {

// `count` packed native elements at any alignment; `wide` ones have the accumulator's dtype.
// Narrowing rounds to nearest even, and makes a NaN the one that sums produce.
using WidenLoop = void (*)(const std::byte* narrow, std::byte* wide, std::int64_t count);
using NarrowLoop = void (*)(const std::byte* wide, std::byte* narrow, std::int64_t count);

// How updates of a dtype are combined.
struct Combiner {
  DType accumulator = DType::float32;  // in which values meet: the dtype itself, or a wider one
  ReduceLoop reduce = nullptr;         // nullptr: overwrite
  WidenLoop widen = nullptr;           // nullptr if the accumulator is the dtype itself
  NarrowLoop narrow = nullptr;

  bool is_wide() const { return widen != nullptr; }
};

Combiner combiner(DType dtype, Reduction reduction, Accumulation accumulation);

}  // namespace tscatter
