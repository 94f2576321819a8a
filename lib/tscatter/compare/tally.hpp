// Tally: what one worker counts, and the elements it keeps. Tallies can be merged in any order with
// the same result: among equals, the first in row-major order is kept.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "tscatter/core/numbering.hpp"

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

class Tally {
 public:
  // REQUIRES: worst > 0.
  Tally(const Numbering& numbering, std::int64_t worst)
      : numbering_{numbering}, most_worst_{static_cast<std::size_t>(worst)} {}

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
  std::vector<RankedPair> sorted_worst() const;

 private:
  // Whether an element from `number` on may precede `other` in row-major order.
  bool may_come_before(std::int64_t number, std::int64_t other) const {
    return !numbering_.is_row_major() || number < other;
  }
  bool is_worse(const RankedPair& a, const RankedPair& b) const;

  const Numbering& numbering_;
  std::size_t most_worst_;
  std::vector<RankedPair> worst_;  // a heap with the least bad in front
};

}  // namespace tscatter
