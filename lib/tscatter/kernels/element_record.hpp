// An update of one element on its way to its tile: the value travels with its destination, so that
// both are read in sequence. Not part of the installed interface.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace tscatter {

// Elements of up to 4 bytes (the first bytes of `value`), and of 8.
template <std::size_t value_size>
struct ElementRecord {
  std::uint32_t destination;  // in elements from the beginning of the tile
  std::array<std::byte, value_size> value;
};

using SmallRecord = ElementRecord<4>;
using LargeRecord = ElementRecord<8>;
static_assert(sizeof(SmallRecord) == 8 && sizeof(LargeRecord) == 12);

}  // namespace tscatter
