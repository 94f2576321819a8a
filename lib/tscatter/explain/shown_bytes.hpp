// How much of an element reports keep, and how long the elements are that verify and explain take:
// both hold several of them. Not part of the installed interface.
#pragma once

#include <algorithm>
#include <cstddef>

#include "tscatter/core/dtype.hpp"

namespace tscatter {

inline constexpr std::size_t longest_examined = std::size_t{4} << 20U;  // bytes

// How many of its first bytes are kept.
inline std::size_t shown_bytes(const ElementType& type) {
  constexpr std::size_t most_opaque = 32;
  return type.dtype == DType::opaque ? std::min(type.size, most_opaque) : type.size;
}

}  // namespace tscatter
