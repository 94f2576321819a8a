// How many elements of each class verify() found, as the oracle counts them.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "tscatter/verify/verify.hpp"
#include "verify/naive_verdict.hpp"

namespace tscatter {

inline std::string text_of(const oracle::NaiveCounts& counts) {
  return fmt::format("{} untouched, {} in order, {} reordered, {} rounded, {} torn, {} wrong",
                     counts[0], counts[1], counts[2], counts[3], counts[4], counts[5]);
}

inline oracle::NaiveCounts counts_of(const Verification& verification) {
  oracle::NaiveCounts counts{};
  std::ranges::copy(verification.classes, counts.begin());
  return counts;
}

}  // namespace tscatter
