// The positions that a slice counts along one axis.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>

namespace tscatter {

// first, first + step, …: `count` of them.
struct SliceRange {
  std::int64_t first;
  std::int64_t step;
  std::int64_t count;
};

// The positions of Python's range(*slice(start, stop, step).indices(size)). REQUIRES: step is not
// 0.
inline SliceRange clamp_slice(std::int64_t start, std::int64_t stop, std::int64_t step,
                              std::int64_t size) {
  constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();
  step = std::max(step, -largest);
  const std::int64_t lowest = step > 0 ? 0 : -1;
  const std::int64_t highest = step > 0 ? size : size - 1;
  const auto clamped = [&](std::int64_t value) {
    return std::clamp(value < 0 ? value + size : value, lowest, highest);
  };
  const std::int64_t first = clamped(start);
  const std::int64_t end = clamped(stop);
  const std::int64_t distance = step > 0 ? end - first : first - end;
  const std::int64_t stride = step > 0 ? step : -step;
  return {.first = first, .step = step, .count = distance > 0 ? (distance - 1) / stride + 1 : 0};
}

// The same where a number may be left out: as Python's slice.
inline SliceRange clamp_slice(std::optional<std::int64_t> start, std::optional<std::int64_t> stop,
                              std::int64_t step, std::int64_t size) {
  constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();
  constexpr std::int64_t lowest = std::numeric_limits<std::int64_t>::min();
  return clamp_slice(start.value_or(step > 0 ? 0 : largest),
                     stop.value_or(step > 0 ? largest : lowest), step, size);
}

}  // namespace tscatter
