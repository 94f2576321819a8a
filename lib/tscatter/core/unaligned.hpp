// Elements that lie one after the other, at any alignment. Not part of the installed interface.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstring>

namespace tscatter {

template <class T, std::integral Index>
T load(const std::byte* elements, Index i) {
  T value;
  std::memcpy(&value, elements + i * static_cast<Index>(sizeof(T)), sizeof(T));
  return value;
}

template <class T, std::integral Index>
void store(T value, std::byte* elements, Index i) {
  std::memcpy(elements + i * static_cast<Index>(sizeof(T)), &value, sizeof(T));
}

}  // namespace tscatter
