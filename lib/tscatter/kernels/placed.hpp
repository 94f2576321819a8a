// Updates that lie side by side, each to a place of its own in a tile, one after another. Nothing
// here can fail. Not part of the installed interface.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tscatter/core/dtype.hpp"
#include "tscatter/core/reduction.hpp"

namespace tscatter {

// Applies update i to element places[i] of the tile, for i from 0 to count - 1. For a reduction,
// elements and updates are native.
using PlacedLoop = void (*)(std::byte* tile, const std::uint32_t* places, const std::byte* updates,
                            std::int64_t count);

// By size alone for `none`. nullptr where the reduction is not defined for the dtype, or elements
// have a size other than 1, 2, 4, 8 and 16 bytes.
PlacedLoop placed_loop(DType dtype, std::size_t size, Reduction reduction);

}  // namespace tscatter
