// The reductions of float16 and bfloat16 over packed elements, eight at a time where the processor
// can: the same bits as the portable loops, which compute each step in float32 and round to nearest
// even.
#pragma once

#include <cstdint>

#include "tscatter/kernels/reduce.hpp"

namespace tscatter {

enum class KernelPath : std::uint8_t { automatic, portable, avx2 };

// Which path the loops take from now on. Returns false, and changes nothing, where the processor
// has it not.
bool set_kernel_path(KernelPath path);

// "avx2" or "portable".
const char* kernel_path_name();

// nullptr for other dtypes, and where the portable loops are to be taken.
ReduceLoop half_reduce_loop(DType dtype, Reduction reduction);

}  // namespace tscatter
