// The arithmetic of the reductions: one loop per dtype and reduction over packed native elements.
// Nothing here can fail. docs/ops.md says what each dtype does (wrapping integers, logical bools,
// half floats rounded at each step). And what the reductions begin with.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tscatter/core/dtype.hpp"
#include "tscatter/core/reduction.hpp"

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

}  // namespace tscatter
