#include <algorithm>
#include <array>
#include <cstring>

#include "tscatter/compare/pair_judge.hpp"
#include "tscatter/core/visit_dtype.hpp"

namespace tscatter {
namespace {

void tally_opaque_block(const PairBlock& block, std::size_t element_size, PairJudge& judge) {
  std::array<std::uint8_t, judged_block> flags{};
  const auto count = static_cast<std::size_t>(block.count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::byte* actual = block.actual + i * element_size;
    const std::byte* expected = block.expected + i * element_size;
    if (std::memcmp(actual, expected, element_size) == 0) continue;
    flags[i] = element_flags::differing | element_flags::beyond;
    ++judge.tally().differing;
    ++judge.tally().beyond;
    ElementPair pair{.number = block.number + static_cast<std::int64_t>(i)};
    if (!judge.tally().may_be_among_worst(Severity::beyond, 0, pair.number)) continue;
    const std::size_t kept = std::min(element_size, ElementPair::most_bytes);
    std::memcpy(pair.actual.data(), actual, kept);
    std::memcpy(pair.expected.data(), expected, kept);
    judge.tally().offer_worst({.severity = Severity::beyond, .pair = pair});
  }
  const auto judged = std::span<const std::uint8_t>(flags).first(count);
  judge.add_places(judged, block.number);
  if (judge.has_grid()) judge.add_to_grid(judged, nullptr, block.number);
}

}  // namespace

PairLoop pair_loop(DType dtype) {
  if (dtype == DType::opaque) return tally_opaque_block;
  return visit_dtype(dtype, []<class T> { return pair_loops::loop_of<T>(); });
}

}  // namespace tscatter
