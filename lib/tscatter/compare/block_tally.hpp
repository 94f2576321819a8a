// BlockTally: what PairJudge does with one block of pairs, for one element type, by the loops of
// block_loops.hpp.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>

#include "tscatter/compare/block_loops.hpp"
#include "tscatter/compare/element_math.hpp"
#include "tscatter/compare/pair_judge.hpp"
#include "tscatter/kernels/path.hpp"

namespace tscatter::pair_loops {

template <class T>
class BlockTally {
 public:
  BlockTally(const PairBlock& block, PairJudge& judge)
      : actual_{block.actual},
        expected_{block.expected},
        count_{static_cast<std::size_t>(block.count)},
        number_{block.number},
        judge_{judge},
        tally_{judge.tally()} {}

  void run() {
    compare_bits();
    const std::uint8_t any = any_of(flags_.data(), count_);
    if ((any & element_flags::differing) == 0) return;
    measure_all();
    judge_tolerance();
    if ((any & element_flags::not_finite) != 0) judge_not_finite();
    count_flags();
    if (measured_ > 0) judge_errors();
    judge_.add_places({flags_.data(), count_}, number_);
    if (judge_.has_grid()) add_to_grid();
  }

 private:
  static constexpr bool has_ulp_of_bits = is_real_v<T> || is_complex_v<T>;

  T actual(std::size_t i) const { return load<T>(actual_, i); }
  T expected(std::size_t i) const { return load<T>(expected_, i); }
  std::int64_t number(std::size_t i) const { return number_ + static_cast<std::int64_t>(i); }
  bool is(std::size_t i, std::uint8_t flag) const { return (flags_[i] & flag) != 0; }
  bool is_measured(std::size_t i) const {
    return is(i, element_flags::differing) && !is(i, element_flags::not_finite);
  }

  void compare_bits() {
    if constexpr (is_complex_v<T>) {
      std::array<std::uint8_t, 2 * block_size> parts;
      compare_parts<T>(actual_, expected_, 2 * count_, parts.data());
      join_parts(parts.data(), count_, flags_.data());
    } else {
      compare_parts<T>(actual_, expected_, count_, flags_.data());
    }
  }

  // Errors of elements that are equal or not finite become 0.
  void measure_all() {
    measure<T>(actual_, expected_, count_, absolute_.data(), scale_.data());
    if constexpr (has_ulp_of_bits) {
      measure_ulp(actual_, expected_, parts_v<T> * count_, ulp_.data());
      if constexpr (is_complex_v<T>) join_ulp(ulp_.data(), count_);
    }
  }

  std::uint64_t ulp(std::size_t i) const {
    if constexpr (has_ulp_of_bits) return ulp_[i];
    return static_cast<std::uint64_t>(absolute_[i]);
  }

  void judge_tolerance() {
    static_assert(element_flags::differing == element_flags::beyond << 1U);
    const Tolerance& tolerance = judge_.tolerance();
    std::uint8_t* __restrict flags = flags_.data();
    const std::size_t count = count_;
    for (std::size_t i = 0; i < count; ++i)
      flags[i] |= static_cast<std::uint8_t>((flags[i] & element_flags::differing) >> 1U);
    if (tolerance.rtol || tolerance.atol)
      allow_near(tolerance.atol.value_or(0), tolerance.rtol.value_or(0));
    if (tolerance.max_ulp) allow_few(*tolerance.max_ulp);
  }

  void allow_near(double atol, double rtol) {
    std::uint8_t* __restrict flags = flags_.data();
    const std::size_t count = count_;
    for (std::size_t i = 0; i < count; ++i) {
      const bool is_near = element_math::is_at_most(absolute_[i], atol + rtol * scale_[i]);
      flags[i] &= static_cast<std::uint8_t>(is_near ? ~element_flags::beyond : 0xFF);
    }
    if constexpr (element_math::may_overflow_v<T>) {
      if (any_is_not_finite(scale_.data(), count_, atol, rtol)) judge_near_again();
    }
  }

  // One by one, since an infinite or NaN bound decides nothing.
  [[gnu::noinline]] void judge_near_again() {
    for (std::size_t i = 0; i < count_; ++i) {
      if (!is_measured(i)) continue;
      const bool is_near = element_math::is_near(actual(i), expected(i), judge_.tolerance());
      flags_[i] &= static_cast<std::uint8_t>(~element_flags::beyond);
      if (!is_near) flags_[i] |= element_flags::beyond;
    }
  }

  void allow_few(std::uint64_t most) {
    std::uint8_t* __restrict flags = flags_.data();
    const std::size_t count = count_;
    for (std::size_t i = 0; i < count; ++i)
      flags[i] &= static_cast<std::uint8_t>(ulp(i) <= most ? ~element_flags::beyond : 0xFF);
  }

  [[gnu::noinline]] void judge_not_finite() {
    for (std::size_t i = 0; i < count_; ++i) {
      if (!is(i, element_flags::not_finite)) continue;
      absolute_[i] = 0;
      if constexpr (has_ulp_of_bits) ulp_[i] = 0;
      flags_[i] &= static_cast<std::uint8_t>(~element_flags::beyond);
      if (is(i, element_flags::differing)) judge_not_finite(i);
    }
  }

  // REQUIRES: element i differs.
  void judge_not_finite(std::size_t i) {
    const bool nan_in_actual = element_math::is_nan(actual(i));
    const bool nan_in_expected = element_math::is_nan(expected(i));
    auto severity = Severity::beyond_nan;
    if (nan_in_actual && nan_in_expected) {
      if (judge_.tolerance().equal_nan) {
        flags_[i] = element_flags::not_finite;
        return;
      }
      ++tally_.nan_in_both;
    } else if (nan_in_actual) {
      ++tally_.nan_in_actual;
    } else if (nan_in_expected) {
      ++tally_.nan_in_expected;
    } else {
      ++tally_.infinite;
      const bool is_within = element_math::is_within(actual(i), expected(i), judge_.tolerance());
      severity = is_within ? Severity::within_not_finite : Severity::beyond_infinite;
    }
    if (severity != Severity::within_not_finite) flags_[i] |= element_flags::beyond;
    if (tally_.may_be_among_worst(severity, 0, number(i)))
      tally_.offer_worst({.severity = severity, .pair = pair(i)});
  }

  void count_flags() {
    using element_flags::beyond, element_flags::differing, element_flags::not_finite;
    beyond_ = count_of(flags_.data(), count_, beyond, beyond);
    measured_ = count_of(flags_.data(), count_, differing | not_finite, differing);
    tally_.differing += count_of(flags_.data(), count_, differing, differing);
    tally_.beyond += beyond_;
  }

  void judge_errors() {
    tally_.decades.add(absolute_.data(), count_);
    tally_.decades.take_zeros(static_cast<std::int64_t>(count_) - measured_);
    const Magnitude<T> most = greatest(absolute_.data(), count_);
    find_absolute(most);
    find_relative();
    find_ulp(most);
    find_worst(most);
  }

  void find_absolute(Magnitude<T> most) {
    if (!tally_.may_replace(tally_.absolute, key_of(most), number_)) return;
    for (std::size_t i = 0; i < count_; ++i) {
      if (absolute_[i] == most && is_measured(i)) offer(tally_.absolute, key_of(most), i);
    }
  }

  // Group by group, so that few elements are examined when many tie for the largest.
  void find_relative() {
    constexpr std::size_t group = 64;
    for (std::size_t i = 0; i < count_; i += group) {
      const std::size_t length = std::min(group, count_ - i);
      if (may_have_relative(i, length)) offer_relative(i, length);
    }
  }

  bool may_have_relative(std::size_t first, std::size_t length) const {
    const Extreme& found = tally_.relative;
    if (!found.is_set) return true;
    const auto least = std::bit_cast<double>(found.key);
    if (std::isinf(least)) return tally_.may_replace(found, found.key, number(first));
    // A quotient that rounds to `least` may be less, but not by one in the last place.
    const double below = std::nextafter(least, 0.0);
    return least == 0 || may_reach(absolute_.data() + first, scale_.data() + first, length, below);
  }

  void offer_relative(std::size_t first, std::size_t length) {
    for (std::size_t i = first; i < first + length; ++i) {
      if (!is_measured(i)) continue;
      const auto error = static_cast<double>(absolute_[i]);
      offer(tally_.relative, key_of(element_math::relative_error(error, scale_[i])), i);
    }
  }

  void find_ulp(Magnitude<T> most_absolute) {
    std::uint64_t most = 0;
    if constexpr (has_ulp_of_bits) {
      most = greatest(ulp_.data(), count_);
    } else {
      most = static_cast<std::uint64_t>(most_absolute);
    }
    if (!tally_.may_replace(tally_.ulp, most, number_)) return;
    for (std::size_t i = 0; i < count_; ++i) {
      if (ulp(i) == most && is_measured(i)) offer(tally_.ulp, most, i);
    }
  }

  void find_worst(Magnitude<T> most) {
    const Severity highest = beyond_ > 0 ? Severity::beyond : Severity::within;
    if (!tally_.may_be_among_worst(highest, key_of(most), number_)) return;
    for (std::size_t i = 0; i < count_; ++i) {
      if (!is_measured(i)) continue;
      const auto severity = is(i, element_flags::beyond) ? Severity::beyond : Severity::within;
      const std::uint64_t key = key_of(absolute_[i]);
      if (!tally_.may_be_among_worst(severity, key, number(i))) continue;
      tally_.offer_worst({.severity = severity, .key = key, .pair = pair(i)});
    }
  }

  void offer(Extreme& extreme, std::uint64_t key, std::size_t i) {
    if (tally_.may_replace(extreme, key, number(i))) tally_.offer(extreme, key, pair(i));
  }

  ElementPair pair(std::size_t i) const {
    ElementPair pair{.number = number(i)};
    std::memcpy(pair.actual.data(), actual_ + i * sizeof(T), sizeof(T));
    std::memcpy(pair.expected.data(), expected_ + i * sizeof(T), sizeof(T));
    return pair;
  }

  [[gnu::noinline]] void add_to_grid() {
    std::array<double, block_size> errors;
    for (std::size_t i = 0; i < count_; ++i) errors[i] = static_cast<double>(absolute_[i]);
    judge_.add_to_grid({flags_.data(), count_}, errors.data(), number_);
  }

  const std::byte* actual_;
  const std::byte* expected_;
  std::size_t count_;
  std::int64_t number_;
  PairJudge& judge_;
  Tally& tally_;
  std::int64_t beyond_ = 0;
  std::int64_t measured_ = 0;  // differing and finite
  std::array<std::uint8_t, block_size> flags_;
  std::array<Magnitude<T>, block_size> absolute_;
  std::array<double, block_size> scale_;  // |expected|
  std::array<PartBits<T>, has_ulp_of_bits ? parts_v<T> * block_size : 1> ulp_;
};

template <class T>
[[gnu::flatten]] void tally_block(const PairBlock& block, std::size_t /*element_size*/,
                                  PairJudge& judge) {
  BlockTally<T>(block, judge).run();
}

#if defined(__x86_64__)
// The same code, compiled for wider vectors; the results have the same bits.
template <class T>
[[gnu::flatten, gnu::target("avx2")]] void tally_block_avx2(const PairBlock& block,
                                                            std::size_t /*element_size*/,
                                                            PairJudge& judge) {
  BlockTally<T>(block, judge).run();
}
#endif

template <class T>
PairLoop loop_of() {
#if defined(__x86_64__)
  if (takes_avx2()) return tally_block_avx2<T>;
#endif
  return tally_block<T>;
}

}  // namespace tscatter::pair_loops
