// The arithmetic of the reductions: one loop per dtype and reduction over packed native elements.
// Nothing here can fail. docs/ops.md says what each dtype does (wrapping integers, logical bools,
// half floats rounded at each step). And what the reductions begin with.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tscatter/core/dtype.hpp"
#include "tscatter/core/reduction.hpp"
#include "tscatter/kernels/scatter.hpp"

namespace tscatter {

// into[i] = reduction(into[i], updates[i]) for `count` elements in native byte order, at any
// alignment.
using ReduceLoop = void (*)(std::byte* into, const std::byte* updates, std::int64_t count);

// nullptr where the reduction is not defined: anything on opaque elements, min and max on complex
// ones, none.
ReduceLoop reduce_loop(DType dtype, Reduction reduction);

// Whether elements that updates reach begin with another value than data's.
inline bool starts_anew(Reduction reduction, InitialValue initial) {
  return !(initial == InitialValue::data) && reduction != Reduction::none;
}

// What an element that updates reach begins with, in native byte order; empty if that is data's
// value. The number, or the reduction's identity: where that is the largest or lowest, of floats an
// infinity if `initial` is infinite, else the end of the finite numbers. REQUIRES: the reduction is
// none or defined for the dtype; a number is one of the dtype.
std::vector<std::byte> start_value(DType dtype, Reduction reduction, InitialValue initial);

// ---- The reductions of float16 and bfloat16 with the processor's own conversions, packed elements
// eight at a time: the same bits as the portable loops, which compute each step in float32 and
// round to nearest even.

// nullptr for other dtypes, and when the portable loops are to be used.
ReduceLoop half_reduce_loop(DType dtype, Reduction reduction);
ScatterLoop<SmallRecord> half_scatter_loop(DType dtype, Reduction reduction);
PlacedLoop half_placed_loop(DType dtype, Reduction reduction);

// ---- Sums and products of floats that are kept in a wider dtype and rounded once. Nothing here
// can fail.

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
