// The reductions of float16 and bfloat16 with the processor's own conversions, packed elements
// eight at a time: the same bits as the portable loops, which compute each step in float32 and
// round to nearest even.
#pragma once

#include "tscatter/kernels/reduce.hpp"
#include "tscatter/kernels/scatter.hpp"

namespace tscatter {

// nullptr for other dtypes, and when the portable loops are to be used.
ReduceLoop half_reduce_loop(DType dtype, Reduction reduction);
ScatterLoop<SmallRecord> half_scatter_loop(DType dtype, Reduction reduction);
PlacedLoop half_placed_loop(DType dtype, Reduction reduction);

}  // namespace tscatter
