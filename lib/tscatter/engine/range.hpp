// A half-open range of output elements.
#pragma once

#include <algorithm>
#include <cstdint>

namespace tscatter {

struct Range {
  std::int64_t begin = 0;
  std::int64_t end = 0;

  std::int64_t length() const { return end - begin; }
};

inline Range intersection(Range a, Range b) {
  return {.begin = std::max(a.begin, b.begin), .end = std::min(a.end, b.end)};
}

}  // namespace tscatter
