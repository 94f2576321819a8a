// PairJudge: judges one worker's pairs of elements and keeps the tally, which all workers' tallies
// are added to. The loops are in block_tally.hpp, one for each dtype.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "tscatter/compare/census.hpp"
#include "tscatter/compare/place_counts.hpp"
#include "tscatter/core/best_of.hpp"
#include "tscatter/core/shape.hpp"
#include "tscatter/core/tensor.hpp"

namespace tscatter {

// A pair of elements, as native bytes.
struct ElementPair {
  static constexpr std::size_t most_bytes = 32;

  std::int64_t number = 0;
  std::array<std::byte, most_bytes> actual{};
  std::array<std::byte, most_bytes> expected{};
};

// Errors as integers in the same order: an integer itself, or the bits of a nonnegative double.
inline std::uint64_t key_of(std::uint64_t error) { return error; }
inline std::uint64_t key_of(double error) { return std::bit_cast<std::uint64_t>(error); }

struct Extreme {
  bool is_set = false;
  std::uint64_t key = 0;
  ElementPair pair = {};
};

// Higher is worse.
enum class Severity : std::uint8_t {
  within,
  within_not_finite,
  beyond,
  beyond_infinite,
  beyond_nan,
};

struct RankedPair {
  Severity severity = Severity::within;
  std::uint64_t key = 0;
  ElementPair pair = {};
};

// Counts of absolute errors by decade.
class DecadeCounts {
 public:
  static constexpr int lowest = -324;  // of a double that is not 0
  static constexpr int highest = 308;
  static constexpr std::size_t zero_slot = 0;
  static constexpr std::size_t overflow_slot = highest - lowest + 2;
  static constexpr std::size_t slots = overflow_slot + 1;

  static int exponent_of(std::size_t slot) { return static_cast<int>(slot) - 1 + lowest; }

  // REQUIRES: no error is negative or NaN.
  void add(const double* errors, std::size_t count);
  void add(const std::uint64_t* errors, std::size_t count);
  void take_zeros(std::int64_t count) { counts_[0][zero_slot] -= count; }
  void merge(const DecadeCounts& other);

  std::int64_t operator[](std::size_t slot) const;

 private:
  // Neighbours often fall into the same decade: counted in separate lanes, they do not wait for
  // each other.
  static constexpr std::size_t lanes = 4;

  void move_subnormal(const double* errors, std::size_t count);

  std::array<std::array<std::int64_t, slots>, lanes> counts_{};
};

// Ties in row-major order.
struct IsWorsePair {
  const Numbering* numbering;
  bool operator()(const RankedPair& a, const RankedPair& b) const;
};

class Tally {
 public:
  // REQUIRES: worst > 0.
  Tally(const Numbering& numbering, std::int64_t worst)
      : numbering_{numbering}, worst_{static_cast<std::size_t>(worst), {&numbering}} {}

  std::int64_t differing = 0;
  std::int64_t beyond = 0;
  std::int64_t nan_in_actual = 0;
  std::int64_t nan_in_expected = 0;
  std::int64_t nan_in_both = 0;
  std::int64_t infinite = 0;
  Extreme absolute;
  Extreme relative;
  Extreme ulp;
  DecadeCounts decades;

  // Whether an error with this key, at `number` or later, could replace `extreme`.
  bool may_replace(const Extreme& extreme, std::uint64_t key, std::int64_t number) const {
    if (!extreme.is_set || key > extreme.key) return true;
    return key == extreme.key && may_come_before(number, extreme.pair.number);
  }
  void offer(Extreme& extreme, std::uint64_t key, const ElementPair& pair) const;

  bool may_be_among_worst(Severity severity, std::uint64_t key, std::int64_t number) const;
  void offer_worst(const RankedPair& candidate);

  void merge(const Tally& other);
  std::vector<RankedPair> sorted_worst() const { return worst_.sorted(); }

 private:
  // Whether an element from `number` on may precede `other` in row-major order.
  bool may_come_before(std::int64_t number, std::int64_t other) const {
    return !numbering_.is_row_major() || number < other;
  }

  const Numbering& numbering_;
  BestOf<RankedPair, IsWorsePair> worst_;
};

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

// What one worker has: run(task) judges every pair of the task.
class PairReader {
 public:
  virtual ~PairReader() = default;
  virtual void run(std::int64_t task, PairJudge& judge) = 0;
};

// PairWalk: cuts two tensors of the same shape and dtype into tasks, and reads what a worker needs
// for each. Three ways:
//   - in the order of the files, if both have the same one
//   - in boxes, if one is C and the other Fortran: small enough for the cache, and wide enough
//     along both files' fastest axes that whole cache lines are used
//   - element by element, in pieces, if an element is longer than a piece
struct PairWalk {
  std::int64_t tasks;
  std::int64_t worker_bytes;  // memory that a worker holds
  std::function<std::unique_ptr<PairReader>()> make_reader;
};

// REQUIRES: same dtype and shape, at least one element; both tensors outlive the walk.
PairWalk pair_walk(const Tensor& actual, const Tensor& expected);

// How the walk numbers the elements.
Numbering numbering_of(const Tensor& actual, const Tensor& expected);

}  // namespace tscatter
