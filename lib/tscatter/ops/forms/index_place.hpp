// Which position an index means. Only this header knows the policies for negative indices and for
// indices out of range.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "tscatter/core/unreachable.hpp"
#include "tscatter/ops/integers.hpp"
#include "tscatter/ops/operation.hpp"
#include "tscatter/plan/entry_reader.hpp"

namespace tscatter {

// In the place of a position, both less than 0.
inline constexpr std::int64_t dropped_place = -1;  // the entry writes nothing
inline constexpr std::int64_t refused_place = -2;  // the call is refused

// By one comparison. REQUIRES: size >= 0.
inline bool is_inside(std::int64_t position, std::int64_t size) {
  return static_cast<std::uint64_t>(position) < static_cast<std::uint64_t>(size);
}

// Whether an index that is out of range goes to a place.
inline bool moves(const Policies& policies) {
  return policies.outside == OutsideIndex::clip_start ||
         policies.outside == OutsideIndex::clip_index || policies.outside == OutsideIndex::modulo;
}

// Where an index that is out of range goes.
template <class T>
std::int64_t moved(T index, std::int64_t size, OutsideIndex policy) {
  switch (policy) {
    case OutsideIndex::error: return refused_place;
    case OutsideIndex::drop_window:
    case OutsideIndex::drop_elements: return dropped_place;
    case OutsideIndex::clip_start:
    case OutsideIndex::clip_index:
      if (size == 0) return refused_place;
      return std::cmp_less(index, 0) ? 0 : size - 1;
    case OutsideIndex::modulo: return size == 0 ? refused_place : wrapped(index, size);
  }
  unreachable();
}

// The position on an axis of that size, dropped_place or refused_place.
template <class T>
std::int64_t place_of(T index, std::int64_t size, const Policies& policies) {
  std::int64_t position = saturated(index);
  if (is_inside(position, size)) [[likely]]
    return position;
  if (position < 0 && policies.negative == NegativeIndex::dropped) return dropped_place;
  if (position < 0 && policies.negative == NegativeIndex::from_the_end) position += size;
  return is_inside(position, size) ? position : moved(index, size, policies.outside);
}

// Indices that lie side by side as native integers, each along the same axis, of a size that fits
// 32 bits.
class PlainIndices {
 public:
  PlainIndices(std::span<const std::byte> indices, DType dtype, std::int64_t size,
               NegativeIndex negative)
      : indices_{indices}, dtype_{dtype}, size_{size}, negative_{negative} {}

  PlainEntries entries() const {
    return {.indices = indices_.data(),
            .dtype = dtype_,
            .from_the_end = negative_ == NegativeIndex::from_the_end};
  }
  // Whether the indices from `first` on, so many, are in range.
  bool are_in_range(std::int64_t first, std::int64_t count) const;
  // Fills `into` with the positions of the indices from `first` on. Returns false if some are out
  // of range; `into` then holds anything.
  bool read(std::int64_t first, std::span<std::uint32_t> into) const;

 private:
  std::span<const std::byte> indices_;
  DType dtype_;
  std::int64_t size_;
  NegativeIndex negative_;
};

}  // namespace tscatter
