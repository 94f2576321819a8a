// The arithmetic of the reductions: one loop per dtype and reduction over packed native elements.
// Nothing here can fail. docs/ops.md says what each dtype does (wrapping integers, logical bools,
// half floats rounded at each step).
#pragma once

#include <cstddef>
#include <cstdint>

#include "tscatter/core/dtype.hpp"
#include "tscatter/core/reduction.hpp"

namespace tscatter {

// into[i] = reduction(into[i], updates[i]) for `count` elements in native byte order, at any
// alignment.
using ReduceLoop = void (*)(std::byte* into, const std::byte* updates, std::int64_t count);

// nullptr where the reduction is not defined: anything on opaque elements, min and max on complex
// ones, none.
ReduceLoop reduce_loop(DType dtype, Reduction reduction);

}  // namespace tscatter
