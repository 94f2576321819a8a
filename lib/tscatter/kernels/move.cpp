#include "tscatter/kernels/move.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "tscatter/core/byte_order.hpp"

namespace tscatter {
namespace {

// With strides in bytes and a constant size, each move is one load and one store. Elements that lie
// near each other are fetched ahead, a line of them at a time: every second one of a row.
template <std::size_t size>
void move_fixed(std::byte* into, std::ptrdiff_t into_step, const std::byte* from,
                std::ptrdiff_t from_step, std::int64_t count) {
  constexpr std::ptrdiff_t line = 64;  // bytes
  constexpr std::ptrdiff_t ahead = 64 * line;
  constexpr std::ptrdiff_t farthest = 2 * size;
  constexpr std::int64_t at_once = line / size;
  const auto move = [=](std::int64_t i) {
    std::memcpy(into + i * into_step, from + i * from_step, size);
  };
  const bool are_near = into_step > 0 && into_step <= farthest && from_step <= farthest;
  std::int64_t i = 0;
  for (; are_near && i + at_once <= count; i += at_once) {
    __builtin_prefetch(into + i * into_step + ahead, 1);
    __builtin_prefetch(into + i * into_step + ahead + line, 1);
    __builtin_prefetch(from + i * from_step + 2 * ahead);
    for (std::int64_t j = i; j < i + at_once; ++j) move(j);
  }
  for (; i < count; ++i) move(i);
}

void move_elements(std::byte* into, std::ptrdiff_t into_stride, const std::byte* from,
                   std::ptrdiff_t from_stride, std::int64_t count, std::size_t size) {
  const auto width = static_cast<std::ptrdiff_t>(size);
  const std::ptrdiff_t into_step = into_stride * width;
  const std::ptrdiff_t from_step = from_stride * width;
  switch (size) {
    case 1: return move_fixed<1>(into, into_step, from, from_step, count);
    case 2: return move_fixed<2>(into, into_step, from, from_step, count);
    case 4: return move_fixed<4>(into, into_step, from, from_step, count);
    case 8: return move_fixed<8>(into, into_step, from, from_step, count);
    case 16: return move_fixed<16>(into, into_step, from, from_step, count);
    default: break;
  }
  for (std::int64_t i = 0; i < count; ++i)
    std::memcpy(into + i * into_step, from + i * from_step, size);
}

template <std::size_t size>
void copy_marked_of(std::byte* into, const std::byte* from, const std::uint32_t* marks,
                    std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) {
    const std::size_t at = static_cast<std::size_t>(i) * size;
    std::array<std::byte, size> kept;
    std::array<std::byte, size> copied;
    std::memcpy(kept.data(), into + at, size);
    std::memcpy(copied.data(), from + at, size);
    std::memcpy(into + at, (marks[i] == 0 ? kept : copied).data(), size);
  }
}

// Without a branch for each element: a mask of noise is as fast as one of zeros. An element is
// `words` words.
template <class Word, std::size_t words = 1>
void place_where_of(std::byte* into, std::span<const std::byte> mask, const std::byte* from,
                    std::int64_t count) {
  constexpr std::size_t size = words * sizeof(Word);
  constexpr std::size_t at_once = sizeof(std::uint64_t);
  for (std::size_t i = 0; i < mask.size() && count > 0; ++i) {
    if (i % at_once == 0 && i + at_once <= mask.size()) {
      std::uint64_t some;
      std::memcpy(&some, mask.data() + i, at_once);
      if (some == 0) {
        i += at_once - 1;
        continue;
      }
    }
    const std::size_t is_true = mask[i] == std::byte{0} ? 0 : 1;
    const auto ones = static_cast<Word>(-static_cast<Word>(is_true));
    std::array<Word, words> kept;
    std::array<Word, words> placed;
    std::memcpy(kept.data(), into + i * size, size);
    std::memcpy(placed.data(), from, size);
    for (std::size_t k = 0; k < words; ++k)
      kept[k] = static_cast<Word>((placed[k] & ones) | (kept[k] & static_cast<Word>(~ones)));
    std::memcpy(into + i * size, kept.data(), size);
    from += is_true * size;
    count -= static_cast<std::int64_t>(is_true);
  }
}

}  // namespace

void gather(std::byte* into, const std::byte* from, std::int64_t stride, std::int64_t count,
            std::size_t size) {
  move_elements(into, 1, from, stride, count, size);
}

void repeat(std::span<const std::byte> element, std::span<std::byte> into, std::size_t phase) {
  const std::size_t first = std::min(element.size(), into.size());
  for (std::size_t i = 0; i < first; ++i) into[i] = element[(phase + i) % element.size()];
  // What stands there is doubled until it is all.
  for (std::size_t done = first; done < into.size(); done *= 2) {
    const std::size_t more = std::min(done, into.size() - done);
    std::memcpy(into.data() + done, into.data(), more);
  }
}

void spread(std::byte* into, std::int64_t stride, const std::byte* from, std::int64_t count,
            std::size_t size) {
  move_elements(into, stride, from, 1, count, size);
}

// The rows lie far apart, so that no hardware fetches them ahead.
void copy_rows(Rows into, ConstRows from, std::int64_t rows, std::int64_t bytes) {
  constexpr std::int64_t ahead = 8;  // rows
  for (std::int64_t row = 0; row < rows; ++row) {
    if (row + ahead < rows) prefetch(from.first + (row + ahead) * from.stride, bytes);
    std::memcpy(into.first + row * into.stride, from.first + row * from.stride,
                static_cast<std::size_t>(bytes));
  }
}

void copy_marked(std::byte* into, const std::byte* from, const std::uint32_t* marks,
                 std::int64_t count, std::size_t size) {
  switch (size) {
    case 1: return copy_marked_of<1>(into, from, marks, count);
    case 2: return copy_marked_of<2>(into, from, marks, count);
    case 4: return copy_marked_of<4>(into, from, marks, count);
    case 8: return copy_marked_of<8>(into, from, marks, count);
    default: return copy_marked_of<16>(into, from, marks, count);
  }
}

void place_where(std::byte* into, std::span<const std::byte> mask, const std::byte* from,
                 std::int64_t count, std::size_t size) {
  switch (size) {
    case 1: return place_where_of<std::uint8_t>(into, mask, from, count);
    case 2: return place_where_of<std::uint16_t>(into, mask, from, count);
    case 4: return place_where_of<std::uint32_t>(into, mask, from, count);
    case 8: return place_where_of<std::uint64_t>(into, mask, from, count);
    case 16: return place_where_of<std::uint64_t, 2>(into, mask, from, count);
    default: break;
  }
  for (std::size_t i = 0; i < mask.size(); ++i) {
    if (mask[i] == std::byte{0}) continue;
    std::memcpy(into + i * size, from, size);
    from += size;
  }
}

#ifdef __SSE2__
void stream(std::byte* into, const std::byte* from, std::size_t size, const std::byte* next) {
  constexpr std::size_t line = 64;
  constexpr std::size_t page = 4096;
  const std::size_t head = std::min<std::size_t>(size, -std::bit_cast<std::uintptr_t>(into) % line);
  std::memcpy(into, from, head);
  std::size_t i = head;
  for (; i + line <= size; i += line) {
    if (i < page) __builtin_prefetch(next + i);
    for (std::size_t part = 0; part < line; part += sizeof(__m128i)) {
      const __m128i value = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + i + part));
      _mm_stream_si128(reinterpret_cast<__m128i*>(into + i + part), value);
    }
  }
  std::memcpy(into + i, from + i, size - i);
}

void finish_streams() { _mm_sfence(); }
#else
void stream(std::byte* into, const std::byte* from, std::size_t size, const std::byte*) {
  std::memcpy(into, from, size);
}

void finish_streams() {}
#endif

}  // namespace tscatter
