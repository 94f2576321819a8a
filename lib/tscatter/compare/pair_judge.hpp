// PairJudge: judges one worker's pairs of elements and keeps the tally. The loops are in
// block_tally.hpp, one for each dtype.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "tscatter/compare/census.hpp"
#include "tscatter/compare/place_counts.hpp"
#include "tscatter/compare/tally.hpp"
#include "tscatter/core/numbering.hpp"

namespace tscatter {

// How many elements are judged at a time: their scratch data stays in the L1 cache.
inline constexpr std::int64_t judged_block = 1024;

// Pairs of native elements with numbers from `number` on, at most judged_block of them.
struct PairBlock {
  const std::byte* actual = nullptr;
  const std::byte* expected = nullptr;
  std::int64_t count = 0;
  std::int64_t number = 0;
};

class PairJudge {
 public:
  PairJudge(const TensorHeader& header, const Numbering& numbering, const CompareOptions& options,
            PlaceCounts& counts);

  // Any number of consecutive native elements.
  void judge(std::span<const std::byte> actual, std::span<const std::byte> expected,
             std::int64_t number);

  // Counts an element that differs and is too long to be held: `pair` has its first bytes only.
  void judge_long_element(const ElementPair& pair);

  // Call once, after the last element; not from two threads at a time.
  void finish() { places_.finish(); }

  const Tally& tally() const { return tally_; }
  const std::optional<DifferenceGrid>& grid() const { return grid_; }

  // For the loops.
  Tally& tally() { return tally_; }
  const Tolerance& tolerance() const { return tolerance_; }
  bool has_grid() const { return grid_.has_value(); }
  void add_places(std::span<const std::uint8_t> flags, std::int64_t number) {
    places_.add(flags, number);
  }
  // `errors` of the elements that are finite; null: they have none.
  void add_to_grid(std::span<const std::uint8_t> flags, const double* errors, std::int64_t number);

 private:
  const Numbering& numbering_;
  const Tolerance& tolerance_;
  std::size_t element_size_;
  void (*loop_)(const PairBlock&, std::size_t element_size, PairJudge&);
  Tally tally_;
  PlaceCounts::Worker places_;
  std::optional<DifferenceGrid> grid_;
};

using PairLoop = void (*)(const PairBlock&, std::size_t element_size, PairJudge&);

// The loop of an element type; block_tally.hpp has them.
namespace pair_loops {
template <class T>
PairLoop loop_of();
}

// The loop of the dtype. Elements of opaque dtypes are equal if their bytes are.
PairLoop pair_loop(DType dtype);

}  // namespace tscatter
