#include "compare/naive_census.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <map>

#include "oracle/int128.hpp"

namespace tscatter::oracle {
namespace {

using Wide = Int128;

// One part of an element: a number and its rank among the values of its dtype.
struct Part {
  double value = 0;  // of a real one
  Wide integer = 0;  // of an integer
  Wide ordinal = 0;
};

std::uint64_t word_at(const std::byte* bytes, std::size_t size) {
  std::uint64_t word = 0;
  for (std::size_t i = 0; i < size; ++i) {
    const std::size_t place = std::endian::native == std::endian::little ? i : size - 1 - i;
    word |= std::to_integer<std::uint64_t>(bytes[place]) << (8 * i);
  }
  return word;
}

// A float of `exponent` and `fraction` bits behind the sign, from its definition.
double float_value(std::uint64_t word, int exponent_bits, int fraction_bits) {
  const std::uint64_t fraction = word & ((std::uint64_t{1} << fraction_bits) - 1);
  const auto exponent =
      static_cast<int>((word >> fraction_bits) & ((std::uint64_t{1} << exponent_bits) - 1));
  const double sign = (word >> (exponent_bits + fraction_bits)) != 0 ? -1 : 1;
  const int bias = (1 << (exponent_bits - 1)) - 1;
  if (exponent == (1 << exponent_bits) - 1) return fraction == 0 ? sign * HUGE_VAL : std::nan("");
  const double significand =
      static_cast<double>(fraction) + (exponent == 0 ? 0 : std::ldexp(1.0, fraction_bits));
  return sign * std::ldexp(significand, std::max(exponent, 1) - bias - fraction_bits);
}

Part part_at(const std::byte* bytes, DType dtype, std::size_t size) {
  const std::uint64_t word = word_at(bytes, size);
  Part part;
  switch (dtype) {
    case DType::float16: part.value = float_value(word, 5, 10); break;
    case DType::bfloat16: part.value = float_value(word, 8, 7); break;
    case DType::float32:
    case DType::complex64: part.value = float_value(word, 8, 23); break;
    case DType::float64:
    case DType::complex128: part.value = float_value(word, 11, 52); break;
    case DType::boolean: part.integer = word != 0 ? 1 : 0; break;
    default: {
      part.integer = word;
      const bool is_signed = info(dtype).kind == DTypeKind::signed_integer;
      if (is_signed && (word >> (8 * size - 1)) != 0) part.integer -= Wide{1} << (8 * size);
    }
  }
  const Wide sign = Wide{1} << (8 * size - 1);
  part.ordinal = word >= static_cast<std::uint64_t>(sign) ? -(Wide{word} - sign) : Wide{word};
  return part;
}

bool is_real_kind(DTypeKind kind) { return kind == DTypeKind::real || kind == DTypeKind::complex; }

struct Pair {
  std::vector<Part> actual;
  std::vector<Part> expected;

  template <class Predicate>
  static bool any(const std::vector<Part>& parts, const Predicate& predicate) {
    return std::any_of(parts.begin(), parts.end(), [&](Part p) { return predicate(p.value); });
  }
  static bool is_nan(const std::vector<Part>& parts) {
    return any(parts, [](double v) { return v != v; });
  }
  static bool is_infinite(const std::vector<Part>& parts) {
    return any(parts, [](double v) { return std::fabs(v) == HUGE_VAL; });
  }
};

// `number` or, if that is not finite, what float64 would give with unlimited exponents.
long double endless(double number, long double wide) {
  if (std::isfinite(number)) return number;
  int exponent = 0;
  const long double fraction = std::frexp(wide, &exponent);
  return std::ldexp(static_cast<long double>(static_cast<double>(fraction)), exponent);
}

// In long double, whose exponents hold the square of any float64. std::hypot may be one step off
// the nearest float64, but not more.
long double modulus(DType dtype, long double re, long double im) {
  const auto real = static_cast<double>(re);
  const auto imaginary = static_cast<double>(im);
  if (dtype == DType::complex64) return std::sqrt(real * real + imaginary * imaginary);
  if (dtype != DType::complex128) return std::fabs(re);
  const long double wide = std::sqrt(re * re + im * im);
  const long double exact = endless(static_cast<double>(wide), wide);
  const double library = std::hypot(real, imaginary);
  const auto nearest = static_cast<double>(exact);
  const bool is_believed = std::isfinite(library) && library >= std::nextafter(nearest, 0) &&
                           library <= std::nextafter(nearest, HUGE_VAL);
  return is_believed ? library : exact;
}

// One difference and its sorting key.
struct Found {
  ElementDifference difference;
  bool is_nan = false;
  bool is_infinite = false;
  Wide exact = 0;

  int level() const {
    if (!difference.is_beyond) return is_infinite ? 1 : 0;
    return is_nan ? 4 : is_infinite ? 3 : 2;
  }
};

bool is_worse(const Found& a, const Found& b) {
  if (a.level() != b.level()) return a.level() > b.level();
  if (a.difference.absolute && a.difference.absolute->integer) return a.exact > b.exact;
  if (!a.difference.absolute) return false;
  return a.difference.absolute->value > b.difference.absolute->value;
}

class NaiveCensus {
 public:
  NaiveCensus(const Dense& actual, const Dense& expected, const CompareOptions& options)
      : actual_{actual}, expected_{expected}, options_{options}, dtype_{actual.type.dtype} {}

  Census take() {
    census_.elements = static_cast<std::int64_t>(actual_.count());
    std::int64_t index = 0;
    for_each_index(actual_.shape, [&](const Position& position) { visit(position, index++); });
    for (const Found& found : found_) count(found);
    write_extremes();
    write_worst();
    write_place();
    write_grid();
    return census_;
  }

 private:
  std::vector<Part> parts_at(const std::byte* element) const {
    const std::size_t count = info(dtype_).kind == DTypeKind::complex ? 2 : 1;
    const std::size_t size = actual_.type.size / count;
    std::vector<Part> parts;
    for (std::size_t i = 0; i < count; ++i)
      parts.push_back(part_at(element + i * size, dtype_, size));
    return parts;
  }

  bool is_equal(const std::byte* a, const std::byte* e) const {
    if (dtype_ == DType::boolean) return (*a != std::byte{}) == (*e != std::byte{});
    return std::memcmp(a, e, actual_.type.size) == 0;
  }

  void visit(const Position& position, std::int64_t index) {
    const std::byte* a = actual_.at(position);
    const std::byte* e = expected_.at(position);
    if (is_equal(a, e)) return;
    const std::size_t kept = std::min<std::size_t>(actual_.type.size, 32);
    Found found;
    found.difference = {
        .index = index, .position = position, .actual = {a, a + kept}, .expected = {e, e + kept}};
    if (dtype_ != DType::opaque && !measure(a, e, found)) return;
    found_.push_back(found);
  }

  // Returns whether it counts as a difference.
  bool measure(const std::byte* a, const std::byte* e, Found& found) {
    const Pair pair{.actual = parts_at(a), .expected = parts_at(e)};
    const bool nan_a = Pair::is_nan(pair.actual);
    const bool nan_e = Pair::is_nan(pair.expected);
    if (nan_a && nan_e && options_.tolerance.equal_nan) return false;
    found.is_nan = nan_a || nan_e;
    if (found.is_nan) {
      ++(nan_a && nan_e ? census_.nan_in_both
         : nan_a        ? census_.nan_in_actual
                        : census_.nan_in_expected);
      return true;
    }
    found.is_infinite = Pair::is_infinite(pair.actual) || Pair::is_infinite(pair.expected);
    if (found.is_infinite) {
      bool same = true;
      for (std::size_t i = 0; i < pair.actual.size(); ++i)
        same = same && pair.actual[i].value == pair.expected[i].value;
      const Tolerance& t = options_.tolerance;
      found.difference.is_beyond = !(same && (t.rtol || t.atol || t.max_ulp));
      ++census_.infinite;
      return true;
    }
    measure_finite(pair, found);
    return true;
  }

  void measure_finite(const Pair& pair, Found& found) {
    long double scale = 0;
    long double apart_by = 0;
    Wide ulp = 0;
    if (is_real_kind(info(dtype_).kind)) {
      std::array<long double, 2> apart{};
      std::array<long double, 2> expected{};
      for (std::size_t i = 0; i < pair.actual.size(); ++i) {
        apart[i] = difference(pair.actual[i].value, pair.expected[i].value);
        expected[i] = pair.expected[i].value;
        const Wide steps = pair.actual[i].ordinal - pair.expected[i].ordinal;
        ulp = std::max(ulp, steps < 0 ? -steps : steps);
      }
      apart_by = modulus(dtype_, apart[0], apart[1]);
      found.difference.absolute = Distance{.value = static_cast<double>(apart_by)};
      scale = modulus(dtype_, expected[0], expected[1]);
    } else {
      const Wide difference = pair.actual[0].integer - pair.expected[0].integer;
      const Wide expected = pair.expected[0].integer;
      found.exact = difference < 0 ? -difference : difference;
      ulp = found.exact;
      apart_by = static_cast<double>(found.exact);
      found.difference.absolute = Distance{.value = static_cast<double>(found.exact)};
      if (dtype_ != DType::boolean)
        found.difference.absolute->integer = static_cast<std::uint64_t>(found.exact);
      scale = static_cast<double>(expected < 0 ? -expected : expected);
    }
    const double absolute = found.difference.absolute->value;
    const double relative = absolute / static_cast<double>(scale);
    found.difference.relative = absolute == 0 ? 0 : std::isnan(relative) ? HUGE_VAL : relative;
    found.difference.ulp = static_cast<std::uint64_t>(ulp);
    found.difference.is_beyond = !is_within(found, apart_by, scale);
  }

  static long double difference(double a, double e) {
    return endless(a - e, static_cast<long double>(a) - e);
  }

  bool is_within(const Found& found, long double apart, long double scale) const {
    const Tolerance& t = options_.tolerance;
    if (t.max_ulp && *found.difference.ulp <= *t.max_ulp) return true;
    if (!t.rtol && !t.atol) return false;
    const double rtol = t.rtol.value_or(0);
    const double atol = t.atol.value_or(0);
    const long double part = endless(rtol * static_cast<double>(scale), rtol * scale);
    const long double bound = endless(atol + static_cast<double>(part), atol + part);
    if (!found.difference.absolute->integer) return apart <= bound;
    return bound >= 0x1p65 || found.exact <= static_cast<Wide>(bound);
  }

  void count(const Found& found) {
    ++census_.differing;
    if (found.difference.is_beyond) ++census_.beyond;
    if (!found.difference.absolute) return;
    if (found.difference.absolute->value == 0) {
      ++census_.zero_errors;
    } else if (std::isinf(found.difference.absolute->value)) {
      ++census_.overflown_errors;
    } else {
      ++decades_[decade_of(found)];
    }
  }

  static int decade_of(const Found& found) {
    if (found.difference.absolute->integer) {
      int decade = 0;
      for (Wide power = 10; power <= found.exact; power *= 10) ++decade;
      return decade;
    }
    static const std::map<double, int> exponents = [] {
      std::map<double, int> made;
      for (int i = -323; i <= 308; ++i)
        made[std::strtod(fmt::format("1e{}", i).c_str(), nullptr)] = i;
      return made;
    }();
    const auto above = exponents.upper_bound(found.difference.absolute->value);
    return above == exponents.begin() ? -324 : std::prev(above)->second;
  }

  // The first of those that have the most.
  template <class Value>
  std::optional<ElementDifference> most(const Value& value) const {
    const Found* best = nullptr;
    for (const Found& found : found_) {
      if (!found.difference.absolute) continue;
      if (best == nullptr || value(found) > value(*best)) best = &found;
    }
    return best == nullptr ? std::nullopt : std::optional(best->difference);
  }

  void write_extremes() {
    for (const auto& [exponent, count] : decades_)
      census_.decades.push_back({.exponent = exponent, .count = count});
    const bool is_exact = dtype_ != DType::boolean && !is_real_kind(info(dtype_).kind);
    census_.largest_absolute =
        is_exact ? most([](const Found& f) { return f.exact; })
                 : most([](const Found& f) { return f.difference.absolute->value; });
    census_.largest_relative = most([](const Found& f) { return *f.difference.relative; });
    census_.largest_ulp = most([](const Found& f) { return *f.difference.ulp; });
  }

  void write_worst() {
    std::vector<Found> sorted = found_;
    std::stable_sort(sorted.begin(), sorted.end(), is_worse);
    if (!sorted.empty()) census_.worst_element = sorted.front().difference;
    sorted.resize(std::min(sorted.size(), static_cast<std::size_t>(options_.worst)));
    for (const Found& found : sorted) census_.worst.push_back(found.difference);
  }

  // Axes are short enough to be counted index by index.
  void write_place() {
    if (census_.beyond == 0) return;
    DifferencePlace place;
    std::int64_t best = -1;  // in units of 1 / (beyond * best_size)
    std::int64_t best_size = 1;
    for (std::size_t axis = 0; axis < actual_.shape.size(); ++axis) {
      std::map<std::int64_t, std::int64_t> counts;
      for (const Found& found : found_)
        if (found.difference.is_beyond) ++counts[found.difference.position[axis]];
      place.low.push_back(counts.begin()->first);
      place.high.push_back(counts.rbegin()->first);
      const std::int64_t size = actual_.shape[axis];
      if (size == 1) continue;
      std::int64_t apart = 0;
      for (std::int64_t i = 0; i < size; ++i) {
        const auto found = counts.find(i);
        const std::int64_t count = found == counts.end() ? 0 : found->second;
        apart += std::abs(count * size - census_.beyond);
      }
      if (apart * best_size <= best * size) continue;
      best = apart;
      best_size = size;
      place.axis = axis;
      place.unevenness =
          static_cast<double>(apart) / static_cast<double>(2 * size * census_.beyond);
      place.shares.clear();
      for (const auto& [index, count] : counts)
        place.shares.push_back({.first = index, .last = index, .beyond = count});
      place.indices = static_cast<std::int64_t>(counts.size());
    }
    std::stable_sort(place.shares.begin(), place.shares.end(),
                     [](const IndexShare& a, const IndexShare& b) { return a.beyond > b.beyond; });
    if (place.shares.size() > 100) place.shares.resize(100);
    census_.place = place;
  }

  void write_grid() {
    if (!options_.grid) return;
    DifferenceGrid grid(actual_.shape, *options_.grid);
    for (const Found& found : found_) {
      std::int64_t row = 0;
      std::int64_t column = 0;
      for (std::size_t axis = 0; axis < actual_.shape.size(); ++axis) {
        std::int64_t& folded = axis < grid.row_axes() ? row : column;
        folded = folded * actual_.shape[axis] + found.difference.position[axis];
      }
      std::int64_t r = 0;
      std::int64_t c = 0;
      while (grid.rows_of(r).second <= row) ++r;
      while (grid.columns_of(c).second <= column) ++c;
      GridCell& cell = grid.at(r, c);
      ++cell.differing;
      if (found.difference.is_beyond) ++cell.beyond;
      if (found.is_nan || found.is_infinite) ++cell.not_finite;
      if (found.difference.absolute)
        cell.largest = std::max(cell.largest, found.difference.absolute->value);
    }
    census_.grid = grid;
  }

  const Dense& actual_;
  const Dense& expected_;
  const CompareOptions& options_;
  DType dtype_;
  Census census_;
  std::vector<Found> found_;  // in row-major order
  std::map<int, std::int64_t> decades_;
};

}  // namespace

Census naive_census(const Dense& actual, const Dense& expected, const CompareOptions& options) {
  return NaiveCensus(actual, expected, options).take();
}

}  // namespace tscatter::oracle
