// Updates of single elements into a tile, one after another. Nothing here can fail.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "tscatter/core/dtype.hpp"
#include "tscatter/core/reduction.hpp"
#include "tscatter/kernels/element_record.hpp"

namespace tscatter {

// Applies the records in order to the tile, whose first element is destination `first_destination`.
// For a reduction, its elements are native.
template <class Record>
using ScatterLoop = void (*)(std::byte* tile, std::uint32_t first_destination,
                             std::span<const Record> records);

// By size alone for `none`. nullptr where the reduction is not defined for the dtype.
// REQUIRES: size is 1, 2 or 4 for SmallRecord, 8 for LargeRecord.
template <class Record>
ScatterLoop<Record> scatter_loop(DType dtype, std::size_t size, Reduction reduction);

}  // namespace tscatter
