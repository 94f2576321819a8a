#include "tscatter/core/byte_order.hpp"

#include <cstring>

namespace tscatter {
namespace {

std::uint16_t reversed(std::uint16_t word) { return __builtin_bswap16(word); }
std::uint32_t reversed(std::uint32_t word) { return __builtin_bswap32(word); }
std::uint64_t reversed(std::uint64_t word) { return __builtin_bswap64(word); }

template <class Word>
void reverse_each(std::span<std::byte> bytes) {
  for (std::size_t i = 0; i < bytes.size(); i += sizeof(Word)) {
    Word word;
    std::memcpy(&word, &bytes[i], sizeof word);
    word = reversed(word);
    std::memcpy(&bytes[i], &word, sizeof word);
  }
}

}  // namespace

void reverse_words(std::span<std::byte> bytes, std::size_t word) {
  switch (word) {
    case 2: return reverse_each<std::uint16_t>(bytes);
    case 4: return reverse_each<std::uint32_t>(bytes);
    case 8: return reverse_each<std::uint64_t>(bytes);
    default: return;
  }
}

void turn_elements(std::span<std::byte> elements, const ElementType& type, std::endian order) {
  if (type.word() > 1 && type.byte_order != order) reverse_words(elements, type.word());
}

void read_elements(const Tensor& tensor, std::int64_t first, std::span<std::byte> into,
                   std::endian order) {
  tensor.source().read(first * static_cast<std::int64_t>(tensor.type().size), into);
  turn_elements(into, tensor.type(), order);
}

}  // namespace tscatter
