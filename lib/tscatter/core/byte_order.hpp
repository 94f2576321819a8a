// Brings elements into a given byte order.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "tscatter/core/tensor.hpp"

namespace tscatter {

// Reverses the bytes of each word. REQUIRES: `bytes` is a whole number of words; word is 1, 2, 4
// or 8.
void reverse_words(std::span<std::byte> bytes, std::size_t word);

// Converts from the type's byte order to `order`. Opaque elements stay as they are.
void turn_elements(std::span<std::byte> elements, const ElementType& type,
                   std::endian order = std::endian::native);

// Fills `into` with the elements from number `first` on, in the order of the file. Throws Error
// (file).
void read_elements(const Tensor& tensor, std::int64_t first, std::span<std::byte> into,
                   std::endian order = std::endian::native);

}  // namespace tscatter
