// Near powers of two, where a rounding of the bounds themselves would be an ulp of the result:
// every order and tree of a few integers, one by one.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <set>

#include "catch.hpp"
#include "oracle/int128.hpp"
#include "orders/elements.hpp"
#include "property/environment.hpp"

namespace tscatter {
namespace {

using device::Elements;
using device::for_each_real_dtype;
using device::Random;
using device::seed;
using device::Step;
using device::Terms;
using device::text_of;
using device::verdict_of;
using orders::ElementClass;
using orders::ElementJudge;

using Wholes = std::vector<std::int64_t>;

bool is_legal(const orders::ElementVerdict& verdict) {
  return verdict.element_class != ElementClass::wrong;
}

std::int64_t magnitude(std::int64_t whole) { return whole < 0 ? -whole : whole; }

std::int64_t lowest_bit(std::int64_t whole) { return whole & -whole; }

bool has_digits(std::int64_t whole, int digits) {
  return whole == 0 || magnitude(whole) / lowest_bit(magnitude(whole)) < std::int64_t{1} << digits;
}

// `parts` integers that add up to `sum`: all of any size, or all but one small.
Wholes split(Random& random, std::int64_t sum, std::size_t parts) {
  const std::int64_t most = random.chance(50) ? sum : std::min<std::int64_t>(sum, 6);
  Wholes cuts{0, sum};
  for (std::size_t i = 1; i < parts; ++i) cuts.push_back(random.between(0, most));
  std::sort(cuts.begin(), cuts.end());
  Wholes wholes;
  for (std::size_t i = 0; i < parts; ++i) wholes.push_back(cuts[i + 1] - cuts[i]);
  return wholes;
}

// Terms whose positive or negative sum is next to a power of two from which numbers of so many
// digits are rounded.
Wholes wholes_near_a_power(Random& random, int digits, std::size_t terms) {
  for (;;) {
    const auto near = [&] {
      const auto power = static_cast<int>(random.between(digits - 1, digits + 1));
      return (std::int64_t{1} << power) + random.between(-4, 4);
    };
    const auto positive = static_cast<std::size_t>(
        random.chance(50)
            ? terms
            : static_cast<std::size_t>(random.between(1, static_cast<std::int64_t>(terms))));
    Wholes wholes = split(random, near(), positive);
    const std::int64_t other = random.chance(50) ? near() : random.between(0, 9);
    if (positive < terms) {
      for (const std::int64_t whole : split(random, other, terms - positive))
        wholes.push_back(-whole);
    }
    const bool is_held = std::all_of(wholes.begin(), wholes.end(),
                                     [&](std::int64_t whole) { return has_digits(whole, digits); });
    if (!is_held) continue;
    for (std::size_t i = terms; i > 1; --i) std::swap(wholes[i - 1], wholes[random.bits() % i]);
    return wholes;
  }
}

// Whether all partial sums are multiples of the lowest bit with at most so many digits.
bool are_sums_exact(const Wholes& wholes, int digits) {
  std::int64_t positive = 0;
  std::int64_t negative = 0;
  std::int64_t grid = std::int64_t{1} << 62;
  for (const std::int64_t whole : wholes) {
    (whole > 0 ? positive : negative) += magnitude(whole);
    if (whole != 0) grid = std::min(grid, lowest_bit(magnitude(whole)));
  }
  return std::max(positive, negative) / grid + (std::max(positive, negative) % grid != 0 ? 1 : 0) <=
         std::int64_t{1} << digits;
}

// The results of all trees over the values: orders are trees, too.
template <class T>
void add_results(Step step, const Terms& values, std::set<double>& results) {
  if (values.size() == 1) results.insert(values[0]);
  for (std::size_t i = 0; i < values.size(); ++i) {
    for (std::size_t k = i + 1; k < values.size(); ++k) {
      Terms rest = values;
      rest[i] = device::combined<T>(step, values[i], values[k]);
      rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(k));
      add_results<T>(step, rest, results);
    }
  }
}

struct Judged {
  std::int64_t elements = 0;
  std::int64_t with_one_result = 0;
};

// Every result of a tree is legal; if `is_exact`, nothing else is.
template <class T>
void expect_results(Random& random, Reduction reduction, const Terms& terms, bool is_exact,
                    Judged& judged) {
  std::set<double> results;
  add_results<T>(device::step_of(reduction), terms, results);
  if (is_exact) REQUIRE(results.size() == 1);
  constexpr std::size_t columns = 12;
  Elements<T> elements(terms.size() - 1, columns);
  std::vector<double> actual(results.begin(), results.end());
  actual.resize(std::min(actual.size(), columns / 2));
  while (actual.size() < columns) {
    const double result = actual[random.bits() % actual.size()];
    const double steps = static_cast<double>(random.between(-3, 3)) / 2;
    actual.push_back(device::rounded<T>(result + steps * device::ulp_of<T>(result)) + 0.0);
  }
  for (std::size_t c = 0; c < columns; ++c) elements.set(c, reduction, terms, actual[c]);
  ElementJudge<T> judge(reduction, {});
  const auto verdicts = elements.verdicts(judge);
  for (std::size_t c = 0; c < columns; ++c) {
    const bool is_result = results.contains(actual[c]);
    const bool may_be_legal = is_result || !is_exact;
    if (is_legal(verdicts[c]) ? may_be_legal : !is_result) continue;
    INFO(info(device::dtype_of<T>()).name << " " << to_string(reduction) << ", share "
                                          << verdicts[c].share << ": "
                                          << text_of(terms, actual[c]));
    CHECK(is_legal(verdicts[c]) == is_result);
  }
  judged.elements += columns;
  judged.with_one_result += is_exact ? columns : 0;
}

template <class T>
void expect_sums(Random& random, Reduction reduction, Judged& judged) {
  const auto range = device::range_of<T>();
  const auto count = static_cast<std::size_t>(random.between(2, random.chance(10) ? 5 : 4));
  const Wholes wholes = wholes_near_a_power(random, range.digits, count);
  const int least = range.least_exponent - range.digits + 1;
  const auto exponent = static_cast<int>(
      random.chance(50) ? 0 : random.between(least, range.greatest_exponent - range.digits - 4));
  Terms terms;
  for (const std::int64_t whole : wholes)
    terms.push_back(std::ldexp(static_cast<double>(whole), exponent));
  // One addition has one result, exact or not, except for a wider float64.
  const bool is_exact = are_sums_exact(wholes, range.digits);
  if (is_exact || count > 2) expect_results<T>(random, reduction, terms, is_exact, judged);
}

// Factors whose product has about so many digits.
template <class T>
void expect_products(Random& random, Judged& judged) {
  const auto range = device::range_of<T>();
  const auto count = static_cast<std::size_t>(random.between(2, 4));
  Terms terms;
  oracle::Int128 product = 1;
  const int bits = range.digits / static_cast<int>(count) + 1;
  for (std::size_t i = 0; i < count; ++i) {
    const std::int64_t odd = random.between(0, (std::int64_t{1} << (bits - 1)) - 1) * 2 + 1;
    product *= odd;
    const int spread = range.greatest_exponent < 100 ? 0 : 9;
    const double sign = random.chance(50) ? -1 : 1;
    terms.push_back(sign * std::ldexp(static_cast<double>(odd),
                                      static_cast<int>(random.between(-spread, spread))));
  }
  const bool is_exact = product < oracle::Int128{1} << range.digits;
  const bool is_in_range = product < oracle::Int128{1} << std::min(range.greatest_exponent, 100);
  if (is_in_range && (is_exact || count > 2))
    expect_results<T>(random, Reduction::prod, terms, is_exact, judged);
}

// Complex numbers with small integer parts: in every tree their product has the parts `re` and
// `im`.
template <class Real>
void expect_complex_product(Random& random) {
  using Complex = std::complex<Real>;
  const auto range = device::range_of<Real>();
  const auto writers = static_cast<std::size_t>(random.between(1, 4));
  std::vector<Complex> factors;
  std::int64_t re = 1;
  std::int64_t im = 0;
  std::int64_t most = 1;
  while (factors.size() <= writers) {
    const std::int64_t a = random.between(-9, 9);
    const std::int64_t b = random.between(a == 0 ? 1 : -9, 9);
    const std::int64_t real = re * a - im * b;
    im = re * b + im * a;
    re = real;
    most *= magnitude(a) + magnitude(b);
    factors.emplace_back(static_cast<Real>(a), static_cast<Real>(b));
  }
  if (most > std::int64_t{1} << range.digits) return;
  for (const int steps : {-2, -1, 0, 1, 2}) {
    const auto moved = static_cast<Real>(static_cast<double>(im) +
                                         steps * device::ulp_of<Real>(static_cast<double>(im)));
    const Complex actual = random.chance(50)
                               ? Complex(static_cast<Real>(re), moved)
                               : Complex(static_cast<Real>(re), static_cast<Real>(im));
    Elements<Complex> elements(writers, 1);
    elements.place(0, factors[0], {factors.begin() + 1, factors.end()}, actual);
    ElementJudge<Complex> judge(Reduction::prod, {});
    INFO(writers << " writers, " << re << " " << im << ", got " << actual);
    CHECK(is_legal(elements.verdicts(judge)[0]) == (actual.imag() == static_cast<Real>(im)));
  }
}

}  // namespace

TEST_CASE("orders: near powers of two what is exact has one legal result", "[orders]") {
  INFO("seed " << seed());
  Random random(seed());
  for_each_real_dtype([&]<class T> {
    Judged judged;
    const int rounds = property::is_slowed ? 500 : 13000;
    for (int i = 0; i < rounds; ++i) {
      expect_sums<T>(random, Reduction::sum, judged);
      expect_sums<T>(random, Reduction::sub, judged);
    }
    CHECK(judged.with_one_result > judged.elements / 5);
    const std::int64_t sums = judged.elements;
    CHECK(sums > 15 * rounds);
    for (int i = 0; i < rounds; ++i) expect_products<T>(random, judged);
    CHECK(judged.elements > sums + 3 * rounds);
  });
}

TEST_CASE("orders: complex products of whole numbers have one legal result", "[orders]") {
  INFO("seed " << seed());
  Random random(seed());
  for (int i = 0; i < (property::is_slowed ? 200 : 5000); ++i) {
    expect_complex_product<float>(random);
    expect_complex_product<double>(random);
  }
}

TEST_CASE("orders: whole numbers below 2^53 have one sum", "[orders]") {
  const Terms terms{9007199254740000, 1, 1};
  for (const int beyond : {1, 3}) {
    CHECK_FALSE(is_legal(verdict_of<double>(Reduction::sum, terms, 9007199254740000.0 + beyond)));
  }
  CHECK(is_legal(verdict_of<double>(Reduction::sum, terms, 9007199254740002)));
  // Up to 2^53, too; and any number of terms with a total near 0.
  CHECK_FALSE(
      is_legal(verdict_of<double>(Reduction::sum, {9007199254740990, 1, 1}, 9007199254740991)));
  Terms many(4097, 16);
  for (std::size_t k = 1; k <= 2048; ++k) many[k] = -16;
  many[0] = 0;
  CHECK_FALSE(is_legal(verdict_of<Half>(Reduction::sum, many, HUGE_VAL)));
}

TEST_CASE("orders: one product just below a power of two has one result", "[orders]") {
  // (2^26 + 1) (2^27 - 2 + 2^-25) is 2^53 - 2^-25 or so; the float64 below 2^53 is an ulp away.
  const double x = 0x1p26 + 1;
  for (const double y : {0x1p27 - 2 + 0x1p-25, 0x1p27 - 2 + 0x1p-24, 0x1p27 - 2}) {
    const double result = x * y;
    CHECK_FALSE(is_legal(verdict_of<double>(Reduction::prod, {x, y}, std::nextafter(result, 0))));
    CHECK_FALSE(
        is_legal(verdict_of<double>(Reduction::prod, {x, y}, std::nextafter(result, 1e300))));
  }
}

TEST_CASE("orders: what is tiny beside huge terms that cancel is not their sum", "[orders]") {
  for (const double tiny : {0x1p-1074, 1e-310, 0x1p-1011, -0x1p-1040}) {
    INFO(tiny);
    CHECK_FALSE(is_legal(verdict_of<double>(Reduction::sum, {0x1p1000, -0x1p1000}, tiny)));
    CHECK_FALSE(is_legal(verdict_of<double>(Reduction::sum, {0x1p1000, -0x1p999, -0x1p999}, tiny)));
    CHECK(is_legal(verdict_of<double>(Reduction::sum, {0x1p1000, -0x1p1000, tiny}, tiny)));
  }
  CHECK(is_legal(verdict_of<double>(Reduction::sum, {0x1p1000, -0x1p999, -0x1p999}, 0)));
}

}  // namespace tscatter
