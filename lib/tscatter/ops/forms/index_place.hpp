// Where an index stands for: the one place that knows an operation's policies for negative indices
// and for those that are out of range. Not part of the installed interface.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include "tscatter/core/unreachable.hpp"
#include "tscatter/ops/integers.hpp"
#include "tscatter/ops/operation.hpp"

namespace tscatter {

inline constexpr std::int64_t nowhere = -1;

// The index counted from the front; nowhere when it is out of range.
template <class T>
std::int64_t in_range(T index, std::int64_t size, NegativeIndex negative) {
  if (std::cmp_greater_equal(index, size)) return nowhere;
  const std::int64_t position = saturated(index);
  if (position >= 0) return position;
  if (negative == NegativeIndex::outside) return nowhere;
  return std::max(position + size, nowhere);
}

// Where an index that is out of range goes; nowhere if the policy has no place for it.
template <class T>
std::int64_t moved(T index, std::int64_t size, OutsideIndex policy) {
  if (size == 0) return nowhere;
  switch (policy) {
    case OutsideIndex::error:
    case OutsideIndex::drop_window:
    case OutsideIndex::drop_elements: return nowhere;
    case OutsideIndex::clip_start:
    case OutsideIndex::clip_index: return std::cmp_less(index, 0) ? 0 : size - 1;
    case OutsideIndex::modulo: return wrapped(index, size);
  }
  unreachable();
}

// The position on an axis of that size; nowhere: the entry is dropped, or the call refused.
template <class T>
std::int64_t place_of(T index, std::int64_t size, const Policies& policies) {
  const std::int64_t position = in_range(index, size, policies.negative);
  return position >= 0 ? position : moved(index, size, policies.outside);
}

}  // namespace tscatter
