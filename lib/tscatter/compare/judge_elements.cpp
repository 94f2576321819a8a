#include <array>
#include <cstring>

#include "tscatter/compare/element_math.hpp"
#include "tscatter/compare/judge.hpp"

namespace tscatter {
namespace {

using element_math::Magnitude;

template <class T>
T load(const std::byte* elements, std::int64_t i) {
  T value;
  std::memcpy(&value, elements + i * static_cast<std::int64_t>(sizeof(T)), sizeof(T));
  return value;
}

// What the loops find out about each element of a block.
template <class T>
struct Findings {
  std::array<std::uint8_t, judged_block> flags;
  std::array<Magnitude<T>, judged_block> absolute;  // 0 where not finite
  std::array<double, judged_block> scale;           // |expected|
  std::array<std::uint64_t, judged_block> ulp;      // 0 where not finite
};

// Judges one block. Each step is a loop of its own over the whole block, so that most of them
// become vector code and the rare cases stay out of them.
template <class T>
class BlockJudge {
 public:
  BlockJudge(const PairBlock& block, Judge& judge) : block_{block}, judge_{judge} {}

  void run() {
    compare_bits();
    if (differing_ == 0) return;
    measure();
    judge_tolerance();
    if (has_not_finite_) judge_not_finite();
    count();
    find_extremes();
    find_worst();
    judge_.add_places(flags(), block_.number);
    if (judge_.has_grid()) add_to_grid();
  }

 private:
  std::int64_t size() const { return block_.count; }
  T actual(std::int64_t i) const { return load<T>(block_.actual, i); }
  T expected(std::int64_t i) const { return load<T>(block_.expected, i); }
  std::span<const std::uint8_t> flags() const {
    return std::span(found_.flags).first(static_cast<std::size_t>(size()));
  }
  std::uint8_t& flag(std::int64_t i) { return found_.flags[static_cast<std::size_t>(i)]; }
  Magnitude<T>& absolute(std::int64_t i) { return found_.absolute[static_cast<std::size_t>(i)]; }
  double& scale(std::int64_t i) { return found_.scale[static_cast<std::size_t>(i)]; }
  std::uint64_t& ulp(std::int64_t i) { return found_.ulp[static_cast<std::size_t>(i)]; }

  bool is_measured(std::int64_t i) {
    return (flag(i) & (element_flags::differing | element_flags::not_finite)) ==
           element_flags::differing;
  }

  void compare_bits() {
    std::uint32_t sum = 0;
    std::uint8_t all = 0;
    for (std::int64_t i = 0; i < size(); ++i) {
      flag(i) = static_cast<std::uint8_t>(differs(i) | not_finite(i));
      all |= flag(i);
      sum += (flag(i) & element_flags::differing) != 0 ? 1 : 0;
    }
    differing_ = sum;
    has_not_finite_ = (all & element_flags::not_finite) != 0;
  }

  std::uint8_t differs(std::int64_t i) const {
    bool is_same = false;
    if constexpr (std::is_same_v<T, Bool>) {
      is_same = element_math::is_same_value(actual(i), expected(i));
    } else if constexpr (sizeof(T) == 16) {
      is_same = load<std::uint64_t>(block_.actual, 2 * i) ==
                    load<std::uint64_t>(block_.expected, 2 * i) &&
                load<std::uint64_t>(block_.actual, 2 * i + 1) ==
                    load<std::uint64_t>(block_.expected, 2 * i + 1);
    } else {
      using B = element_math::Bits<sizeof(T)>;
      is_same = load<B>(block_.actual, i) == load<B>(block_.expected, i);
    }
    return is_same ? 0 : element_flags::differing;
  }

  std::uint8_t not_finite(std::int64_t i) const {
    if constexpr (element_math::is_real_v<T> || is_complex_v<T>) {
      const bool is = element_math::is_nan(actual(i)) || element_math::is_nan(expected(i)) ||
                      element_math::is_infinite(actual(i)) ||
                      element_math::is_infinite(expected(i));
      return is ? element_flags::not_finite : 0;
    }
    return 0;
  }

  void measure() {
    for (std::int64_t i = 0; i < size(); ++i) {
      absolute(i) = element_math::absolute_error(actual(i), expected(i));
      scale(i) = element_math::scale(expected(i));
      ulp(i) = element_math::ulp_error(actual(i), expected(i));
    }
    if (!has_not_finite_) return;
    for (std::int64_t i = 0; i < size(); ++i) {
      if ((flag(i) & element_flags::not_finite) == 0) continue;
      absolute(i) = 0;
      ulp(i) = 0;
    }
  }

  void judge_tolerance() {
    const Tolerance& tolerance = judge_.tolerance();
    const bool by_value = tolerance.rtol || tolerance.atol;
    const double rtol = tolerance.rtol.value_or(0);
    const double atol = tolerance.atol.value_or(0);
    const std::uint64_t most_ulp = tolerance.max_ulp.value_or(0);
    for (std::int64_t i = 0; i < size(); ++i) {
      const bool is_near = by_value && element_math::is_at_most(absolute(i), atol + rtol * scale(i));
      const bool is_few = tolerance.max_ulp && ulp(i) <= most_ulp;
      const bool is_beyond = (flag(i) & element_flags::differing) != 0 && !is_near && !is_few;
      flag(i) |= is_beyond ? element_flags::beyond : std::uint8_t{0};
    }
  }

  void judge_not_finite() {
    for (std::int64_t i = 0; i < size(); ++i) {
      if ((flag(i) & element_flags::not_finite) == 0) continue;
      flag(i) &= static_cast<std::uint8_t>(~element_flags::beyond);
      if ((flag(i) & element_flags::differing) != 0) judge_not_finite(i);
    }
  }

  // One that differs.
  void judge_not_finite(std::int64_t i) {
    Tally& tally = judge_.tally();
    const bool nan_in_actual = element_math::is_nan(actual(i));
    const bool nan_in_expected = element_math::is_nan(expected(i));
    auto severity = Severity::beyond_nan;
    if (nan_in_actual && nan_in_expected) {
      if (judge_.tolerance().equal_nan) {
        flag(i) = element_flags::not_finite;
        --differing_;
        return;
      }
      ++tally.nan_in_both;
    } else if (nan_in_actual) {
      ++tally.nan_in_actual;
    } else if (nan_in_expected) {
      ++tally.nan_in_expected;
    } else {
      ++tally.infinite;
      // (inf, 0.0) and (inf, -0.0)
      const bool is_same = !judge_.tolerance().is_exact() &&
                           element_math::is_same_value(actual(i), expected(i));
      severity = is_same ? Severity::within_not_finite : Severity::beyond_infinite;
    }
    if (severity != Severity::within_not_finite) flag(i) |= element_flags::beyond;
    if (tally.may_be_among_worst(severity, 0, block_.number + i))
      tally.offer_worst({.severity = severity, .witness = witness(i)});
  }

  void count() {
    Tally& tally = judge_.tally();
    std::uint32_t beyond = 0;
    for (const std::uint8_t each : flags()) beyond += each & element_flags::beyond;
    tally.differing += differing_;
    tally.beyond += beyond;
    for (std::int64_t i = 0; i < size(); ++i) {
      if (is_measured(i)) ++tally.decades[DecadeCounts::slot_of(absolute(i))];
    }
  }

  void find_extremes() {
    Tally& tally = judge_.tally();
    for (std::int64_t i = 0; i < size(); ++i) {
      if (!is_measured(i)) continue;
      offer(tally.absolute, key_of(absolute(i)), i);
      const double relative =
          element_math::relative_error(static_cast<double>(absolute(i)), scale(i));
      offer(tally.relative, key_of(relative), i);
      offer(tally.ulp, ulp(i), i);
    }
  }

  void find_worst() {
    Tally& tally = judge_.tally();
    for (std::int64_t i = 0; i < size(); ++i) {
      if (!is_measured(i)) continue;
      const bool is_beyond = (flag(i) & element_flags::beyond) != 0;
      const Severity severity = is_beyond ? Severity::beyond : Severity::within;
      if (!tally.may_be_among_worst(severity, key_of(absolute(i)), block_.number + i)) continue;
      tally.offer_worst(
          {.severity = severity, .key = key_of(absolute(i)), .witness = witness(i)});
    }
  }

  void offer(Extreme& extreme, std::uint64_t key, std::int64_t i) {
    const Tally& tally = judge_.tally();
    if (tally.may_replace(extreme, key, block_.number + i)) tally.offer(extreme, key, witness(i));
  }

  Witness witness(std::int64_t i) const {
    Witness witness{.number = block_.number + i};
    const auto offset = i * static_cast<std::int64_t>(sizeof(T));
    std::memcpy(witness.actual.data(), block_.actual + offset, sizeof(T));
    std::memcpy(witness.expected.data(), block_.expected + offset, sizeof(T));
    return witness;
  }

  void add_to_grid() {
    std::array<double, judged_block> errors;
    for (std::int64_t i = 0; i < size(); ++i)
      errors[static_cast<std::size_t>(i)] = static_cast<double>(absolute(i));
    judge_.add_to_grid(flags(), errors.data(), block_.number);
  }

  const PairBlock& block_;
  Judge& judge_;
  std::int64_t differing_ = 0;
  bool has_not_finite_ = false;
  Findings<T> found_;
};

template <class T>
void judge_block(const PairBlock& block, std::size_t /*element_size*/, Judge& judge) {
  BlockJudge<T>(block, judge).run();
}

void judge_opaque_block(const PairBlock& block, std::size_t element_size, Judge& judge) {
  std::array<std::uint8_t, judged_block> flags{};
  for (std::int64_t i = 0; i < block.count; ++i) {
    const std::size_t offset = static_cast<std::size_t>(i) * element_size;
    const std::byte* actual = block.actual + offset;
    const std::byte* expected = block.expected + offset;
    if (std::memcmp(actual, expected, element_size) == 0) continue;
    flags[static_cast<std::size_t>(i)] = element_flags::differing | element_flags::beyond;
    ++judge.tally().differing;
    ++judge.tally().beyond;
    if (!judge.tally().may_be_among_worst(Severity::beyond, 0, block.number + i)) continue;
    Witness witness{.number = block.number + i};
    const std::size_t kept = std::min(element_size, Witness::most_bytes);
    std::memcpy(witness.actual.data(), actual, kept);
    std::memcpy(witness.expected.data(), expected, kept);
    judge.tally().offer_worst({.severity = Severity::beyond, .witness = witness});
  }
  const auto judged = std::span<const std::uint8_t>(flags).first(static_cast<std::size_t>(block.count));
  judge.add_places(judged, block.number);
  if (judge.has_grid()) judge.add_to_grid(judged, nullptr, block.number);
}

}  // namespace

JudgeLoop judge_loop(DType dtype) {
  if (dtype == DType::opaque) return judge_opaque_block;
  return visit_dtype(dtype, []<class T>() -> JudgeLoop { return judge_block<T>; });
}

}  // namespace tscatter
