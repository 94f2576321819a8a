// Which bytes of an opaque element (string, date, record) are reversed together when the byte order
// changes, so that opaque dtypes, too, compare without regard to byte order.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "tscatter/core/dtype.hpp"

namespace tscatter {

// `count` words of `size` bytes each, the first one at `offset` of the element.
struct WordRun {
  std::size_t offset = 0;
  std::size_t size = 1;
  std::size_t count = 1;
};

// Whether the dtypes differ only in byte order: '<M8[ns]' and '>M8[ns]'. False for records of
// different byte order that are longer than 256 KiB or have many thousand fields.
bool is_same_but_for_byte_order(const ElementType& a, const ElementType& b);

// The words to reverse to bring elements of `from` into the byte order of `to`. REQUIRES:
// is_same_but_for_byte_order(from, to); both are opaque.
std::vector<WordRun> words_to_turn(const ElementType& from, const ElementType& to);

// Reverses the words of each element. REQUIRES: `elements` is a whole number of elements.
void turn_words(std::span<std::byte> elements, std::size_t element_size,
                std::span<const WordRun> words);

}  // namespace tscatter
