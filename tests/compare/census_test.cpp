// compare() against the naive census, on random tensors of every dtype, memory order and byte
// order. TSCATTER_SEED and TSCATTER_CASES set the first seed and the number of cases.
#include "tscatter/compare/census.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>
#include <limits>
#include <numeric>
#include <span>

#include "catch.hpp"
#include "compare/naive_census.hpp"
#include "io/files.hpp"
#include "property/environment.hpp"
#include "property/random.hpp"

namespace tscatter {
namespace {

using oracle::Dense;
using oracle::Layout;
using property::Random;

std::string words(const std::vector<std::byte>& bytes) {
  std::string text;
  for (const std::byte byte : bytes) text += fmt::format("{:02x}", std::to_integer<int>(byte));
  return text;
}

std::string words(const ElementDifference& d) {
  std::string text = fmt::format("#{} [{}] {} {} {}", d.index, fmt::join(d.position, ","),
                                 words(d.actual), words(d.expected), d.is_beyond);
  if (d.absolute)
    text += fmt::format(" a{} {}", d.absolute->value, d.absolute->integer.value_or(7));
  if (d.relative) text += fmt::format(" r{}", *d.relative);
  if (d.ulp) text += fmt::format(" u{}", *d.ulp);
  return text;
}

std::string words(const std::optional<ElementDifference>& d) { return d ? words(*d) : "none"; }

std::string words(const DifferencePlace& place) {
  std::string text = fmt::format("place [{}] [{}] axis {} {:.9f} {}:", fmt::join(place.low, ","),
                                 fmt::join(place.high, ","), place.axis.value_or(99),
                                 place.unevenness, place.indices);
  for (const IndexShare& share : place.shares)
    text += fmt::format(" {}-{} {}", share.first, share.last, share.beyond);
  return text;
}

// The whole census, a line for each part.
std::string words(const Census& census) {
  std::string text = fmt::format(
      "elements {} differing {} beyond {}\nnan {} {} {} infinite {}\nabsolute {}\nrelative {}\nulp "
      "{}\nzero {} overflow {}\n",
      census.elements, census.differing, census.beyond, census.nan_in_actual,
      census.nan_in_expected, census.nan_in_both, census.infinite, words(census.largest_absolute),
      words(census.largest_relative), words(census.largest_ulp), census.zero_errors,
      census.overflown_errors);
  for (const Decade& decade : census.decades)
    text += fmt::format("1e{}: {}\n", decade.exponent, decade.count);
  for (const ElementDifference& each : census.worst) text += "worst " + words(each) + "\n";
  text += "worst of all " + words(census.worst_element) + "\n";
  if (census.place) text += words(*census.place) + "\n";
  if (!census.grid) return text;
  for (const GridCell& cell : census.grid->cells())
    text += fmt::format("cell {} {} {} {}\n", cell.differing, cell.beyond, cell.not_finite,
                        cell.largest);
  return text;
}

Tensor tensor_of(const Dense& dense, Layout layout, std::vector<std::byte>& kept) {
  kept = oracle::stored(dense, layout);
  return {oracle::header_of(dense, layout), kept};
}

Census census_of(const Dense& actual, Layout actual_layout, const Dense& expected,
                 Layout expected_layout, const CompareOptions& options) {
  std::vector<std::byte> a;
  std::vector<std::byte> e;
  const Tensor got = tensor_of(actual, actual_layout, a);
  const Tensor wanted = tensor_of(expected, expected_layout, e);
  return compare(got, wanted, options);
}

template <class T>
Dense dense(DType dtype, const Shape& shape, const std::vector<T>& values) {
  Dense made = Dense::zeros(ElementType::of(dtype), shape);
  std::memcpy(made.bytes.data(), values.data(), made.bytes.size());
  return made;
}

template <class T>
Census census_of(DType dtype, const std::vector<T>& actual, const std::vector<T>& expected,
                 const CompareOptions& options = {}) {
  const Shape shape{static_cast<std::int64_t>(actual.size())};
  return census_of(dense(dtype, shape, actual), {}, dense(dtype, shape, expected), {}, options);
}

// Some elements replaced, by others or by ones with nearly the same bits.
Dense changed(Random& random, const Dense& from) {
  Dense into = property::random_values(random, from.type, from.shape);
  const int kept = random.among({0, 10, 50, 90, 99, 100});
  const bool is_opaque = from.type.dtype == DType::opaque;
  for (std::size_t i = 0; i < from.count(); ++i) {
    if (!random.chance(kept) && random.chance(50)) continue;
    std::copy_n(from.element(i), from.type.size, into.element(i));
    if (random.chance(kept) || is_opaque) continue;
    const std::size_t low = std::endian::native == std::endian::little ? 0 : from.type.size - 1;
    into.element(i)[low] ^= static_cast<std::byte>(random.between(0, 3));
  }
  return into;
}

Tolerance random_tolerance(Random& random, bool is_opaque) {
  Tolerance tolerance{.equal_nan = random.chance(40)};
  if (is_opaque) return tolerance;
  if (random.chance(40)) tolerance.rtol = random.among({0.0, 1e-7, 1e-3, 0.5, 1.5, 2.0, 1e300});
  if (random.chance(40)) tolerance.atol = random.among({0.0, 1e-30, 1e-3, 1.0, 1e19, 1e308});
  if (random.chance(30)) {
    tolerance.max_ulp = random.among<std::uint64_t>(
        {0, 1, 100, std::uint64_t{1} << 60, std::numeric_limits<std::uint64_t>::max()});
  }
  return tolerance;
}

Layout random_layout(Random& random) {
  return {.order = random.chance(50) ? MemoryOrder::c : MemoryOrder::fortran,
          .byte_order = random.chance(50) ? std::endian::little : std::endian::big};
}

// Float64 parts near the end of the range, so that differences, moduli and bounds may exceed it.
Dense huge_values(Random& random, const ElementType& type, const Shape& shape) {
  Dense made = Dense::zeros(type, shape);
  std::vector<double> parts(made.bytes.size() / sizeof(double));
  for (double& part : parts) {
    const double size = std::ldexp(static_cast<double>(random.between(1, 1023)), 1014);
    part = random.chance(20) ? random.among({0.0, 1.0, 5e-324}) : size;
    if (random.chance(50)) part = -part;
  }
  std::ranges::copy(std::as_bytes(std::span(parts)), made.bytes.begin());
  return made;
}

void check_case(std::uint64_t seed) {
  Random random(seed);
  const ElementType type = property::random_type(random);
  const std::int64_t most = random.among({1, 20, 300, 5000});
  const Shape shape =
      property::random_shape(random, static_cast<std::size_t>(random.between(0, 5)), most);
  const bool may_be_huge = type.dtype == DType::float64 || type.dtype == DType::complex128;
  const bool is_huge = may_be_huge && random.chance(40);
  const Dense expected =
      is_huge ? huge_values(random, type, shape) : property::random_values(random, type, shape);
  const Dense actual =
      is_huge && random.chance(70) ? huge_values(random, type, shape) : changed(random, expected);
  CompareOptions options{.tolerance = random_tolerance(random, type.dtype == DType::opaque),
                         .worst = random.among({0, 1, 5, 100}),
                         .threads = static_cast<int>(random.between(1, 4))};
  if (random.chance(30) && oracle::product(shape) > 0)
    options.grid = GridLimits{.rows = random.between(1, 9), .columns = random.between(1, 9)};
  const Layout actual_layout = random_layout(random);
  const Layout expected_layout = random_layout(random);
  INFO("TSCATTER_SEED=" << seed << " TSCATTER_CASES=1, " << to_string(type) << " "
                        << to_string(shape));
  const Census found = census_of(actual, actual_layout, expected, expected_layout, options);
  CHECK(words(found) == words(oracle::naive_census(actual, expected, options)));
  CHECK(found.is_match() == (found.beyond == 0));
}

}  // namespace

TEST_CASE("compare() is the naive census, on random tensors", "[compare][property]") {
  const std::uint64_t first = property::from_environment("TSCATTER_SEED", 20241121);
  const std::uint64_t cases =
      property::extent("TSCATTER_CASES", {.whole = 6000, .sample = 6000, .slowed = 1000});
  for (std::uint64_t i = 0; i < cases; ++i) check_case(first + i);
}

TEST_CASE("compare.c1: a negative, infinite or NaN tolerance is refused", "[compare]") {
  const auto refused = [](const Tolerance& tolerance) {
    return refusal([&] { census_of<float>(DType::float32, {1}, {1}, {.tolerance = tolerance}); });
  };
  CHECK(refused({.rtol = -1}) == "compare: rtol must be a finite number >= 0, got -1 [compare.c1]");
  CHECK(refused({.rtol = std::nan("")}) ==
        "compare: rtol must be a finite number >= 0, got nan [compare.c1]");
  CHECK(refused({.atol = HUGE_VAL}) ==
        "compare: atol must be a finite number >= 0, got inf [compare.c1]");
  CHECK(refused({.atol = -0.0}) == "accepted");
  CHECK(refused({.rtol = std::numeric_limits<double>::max(), .max_ulp = 0}) == "accepted");
}

TEST_CASE("compare.c3: a wrong number of worst elements is refused", "[compare]") {
  const auto refused = [](std::int64_t worst) {
    return refusal([&] { census_of<float>(DType::float32, {1}, {1}, {.worst = worst}); });
  };
  CHECK(refused(-1) == "compare: worst must be from 0 to 10000, got -1 [compare.c3]");
  CHECK(refused(10001) == "compare: worst must be from 0 to 10000, got 10001 [compare.c3]");
  CHECK(refused(0) == "accepted");
  CHECK(refused(10000) == "accepted");
}

TEST_CASE("integers beyond 2^53 are compared exactly", "[compare]") {
  const std::int64_t big = std::int64_t{1} << 53;
  const std::int64_t lowest = std::numeric_limits<std::int64_t>::min();
  const std::int64_t highest = std::numeric_limits<std::int64_t>::max();
  const Census census =
      census_of<std::int64_t>(DType::int64, {big + 1, lowest}, {big, highest}, {.worst = 2});
  CHECK(census.differing == 2);
  CHECK(census.worst[0].absolute->integer == std::numeric_limits<std::uint64_t>::max());
  CHECK(census.worst[1].absolute->integer == 1);
  const auto beyond = [&](double atol) {
    return census_of<std::int64_t>(DType::int64, {big + 1}, {big}, {.tolerance = {.atol = atol}})
        .beyond;
  };
  CHECK(beyond(0.99) == 1);
  CHECK(beyond(1) == 0);
}

TEST_CASE("of relative errors that round alike the first element is named", "[compare]") {
  const Shape shape{2, 100};
  std::vector<std::int64_t> expected(200, 1);
  std::vector<std::int64_t> actual = expected;
  // Both are 1 and less than half a unit in the last place; the second one is read first.
  expected[99] = -70332783503598073;
  actual[99] = 3;
  expected[100] = -256891621493088016;
  actual[100] = 2;
  const Layout fortran{.order = MemoryOrder::fortran};
  const Census census = census_of(dense(DType::int64, shape, actual), fortran,
                                  dense(DType::int64, shape, expected), fortran, {.threads = 1});
  CHECK(census.largest_relative->position == Position{0, 99});
}

TEST_CASE("the decades of integers end exactly", "[compare]") {
  const std::uint64_t power = 1000000000000000000U;
  const Census census =
      census_of<std::uint64_t>(DType::uint64, {power - 1, power, 10 * power + 5, 9}, {0, 0, 5, 0});
  REQUIRE(census.decades.size() == 4);
  CHECK(census.decades[0].exponent == 0);
  CHECK(census.decades[1].exponent == 17);
  CHECK(census.decades[2].exponent == 18);
  CHECK(census.decades[3].exponent == 19);
}

TEST_CASE("a NaN is equal to itself, and to another one only with equal_nan", "[compare]") {
  const std::vector<std::uint32_t> one{0x7FC00000U};
  const std::vector<std::uint32_t> other{0xFFC00001U};
  const auto beyond = [](const auto& a, const auto& e, const Tolerance& tolerance) {
    return census_of(DType::float32, a, e, {.tolerance = tolerance}).beyond;
  };
  CHECK(beyond(one, one, {}) == 0);
  CHECK(beyond(one, other, {}) == 1);
  CHECK(beyond(one, other, {.rtol = 1e300, .atol = 1e300}) == 1);
  CHECK(beyond(one, other, {.equal_nan = true}) == 0);
  const std::vector<std::uint32_t> number{0x3F800000U};
  CHECK(beyond(one, number,
               {.rtol = 1e300,
                .atol = 1e300,
                .max_ulp = std::numeric_limits<std::uint64_t>::max(),
                .equal_nan = true}) == 1);
}

TEST_CASE("a tolerance allows nothing more where a bound is beyond float64", "[compare]") {
  constexpr double big = 1.7e308;
  const auto real = [](double a, double e, const Tolerance& tolerance) {
    return census_of<double>(DType::float64, {a}, {e}, {.tolerance = tolerance}).beyond;
  };
  CHECK(real(-big, big, {.rtol = 1.5}) == 1);
  CHECK(real(-big, big, {.rtol = 1.9999}) == 1);
  CHECK(real(-big, big, {.rtol = 2}) == 0);
  CHECK(real(-big, big, {.rtol = 2.5}) == 0);
  CHECK(real(-big, big, {.rtol = 1, .atol = 1.6e308}) == 1);
  CHECK(real(-big, big, {.rtol = 1, .atol = 1.7e308}) == 0);
  CHECK(real(0, big, {.rtol = 1e300}) == 0);

  using Complex = std::complex<double>;
  const auto complex = [](Complex a, Complex e, const Tolerance& tolerance) {
    return census_of<Complex>(DType::complex128, {a}, {e}, {.tolerance = tolerance}).beyond;
  };
  CHECK(complex({-big, -big}, {big, big}, {.rtol = 1e-6}) == 1);
  CHECK(complex({-big, -big}, {big, big}, {.rtol = 1.9999}) == 1);
  CHECK(complex({-big, -big}, {big, big}, {.rtol = 2}) == 0);
  CHECK(complex({0, 0}, {big, big}, {.rtol = 0.9999}) == 1);
  CHECK(complex({0, 0}, {big, big}, {.rtol = 1}) == 0);
  CHECK(complex({big, 1.6e308}, {big, big}, {.rtol = 0.01}) == 1);
  CHECK(complex({big, 1.6e308}, {big, big}, {.rtol = 0.1}) == 0);
  CHECK(complex({big, big}, {big, 1.6e308}, {.atol = 1.01e307}) == 0);
  CHECK(complex({big, big}, {big, 1.6e308}, {.atol = 0.99e307}) == 1);
}

TEST_CASE("signed zeros differ exactly, and not with a tolerance", "[compare]") {
  const auto beyond = [](const Tolerance& tolerance) {
    return census_of<double>(DType::float64, {-0.0}, {0.0}, {.tolerance = tolerance}).beyond;
  };
  CHECK(beyond({}) == 1);
  CHECK(beyond({.equal_nan = true}) == 1);
  CHECK(beyond({.rtol = 0}) == 0);
  CHECK(beyond({.max_ulp = 0}) == 0);
}

TEST_CASE("the same bytes in another byte order are other values", "[compare]") {
  const std::vector<std::uint16_t> values{0x0102, 0x0303, 0x0405};
  const Dense numbers = dense(DType::uint16, {3}, values);
  std::vector<std::byte> bytes = numbers.bytes;
  const TensorHeader little{.type = ElementType::of(DType::uint16, std::endian::little),
                            .shape = {3}};
  const TensorHeader big{.type = ElementType::of(DType::uint16, std::endian::big), .shape = {3}};
  CHECK(compare(Tensor(little, bytes), Tensor(big, bytes)).differing == 2);
  CHECK(compare(Tensor(big, bytes), Tensor(big, bytes)).differing == 0);
}

TEST_CASE("any byte but 0 of a bool is true", "[compare]") {
  const Census census = census_of<std::uint8_t>(DType::boolean, {1, 2, 255, 0}, {2, 1, 0, 0});
  CHECK(census.differing == 1);
  CHECK(census.worst.at(0).position == Position{2});
}

TEST_CASE("a long axis is counted in ranges, and its box is exact", "[compare]") {
  std::vector<std::uint8_t> actual(200000, 0);
  std::vector<std::uint8_t> expected(200000, 0);
  for (const std::size_t i : {70001U, 70002U, 123456U}) actual[i] = 1;
  const Census census = census_of(DType::uint8, actual, expected);
  REQUIRE(census.place);
  CHECK(census.place->low == Position{70001});
  CHECK(census.place->high == Position{123456});
  REQUIRE(census.place->shares.size() == 2);
  CHECK(census.place->shares[0].first <= 70001);
  CHECK(census.place->shares[0].last >= 70002);
  CHECK(census.place->shares[0].beyond == 2);
}

TEST_CASE("of two axes on which differences concentrate equally the first is named", "[compare]") {
  Random random(20261122);
  for (int i = 0; i < 200; ++i) {
    const std::int64_t size = random.between(2, 40);
    const auto n = static_cast<std::size_t>(size);
    // As many in row k as in column k, but the columns are in another order.
    std::vector<std::size_t> columns(n);
    std::iota(columns.begin(), columns.end(), std::size_t{0});
    for (std::size_t k = n; k > 1; --k) std::swap(columns[k - 1], columns[random.bits() % k]);
    std::vector<std::uint8_t> actual(n * n, 0);
    actual[columns[0]] = 1;
    for (std::size_t row = 0; row < n; ++row) {
      for (std::size_t column = 0; column <= row; ++column) {
        if (!random.chance(30)) continue;
        actual[row * n + columns[column]] = 1;
        actual[column * n + columns[row]] = 1;
      }
    }
    const std::vector<std::uint8_t> expected(n * n, 0);
    const Census census = census_of(dense(DType::uint8, {size, size}, actual), {},
                                    dense(DType::uint8, {size, size}, expected), {}, {});
    REQUIRE(census.place);
    INFO("number " << i << ", size " << size);
    CHECK(census.place->axis == std::optional<std::size_t>(0));
  }
}

TEST_CASE("elements longer than a piece are compared to their end", "[compare]") {
  const std::int64_t size = 300000;
  const ElementType type{
      .dtype = DType::opaque, .size = static_cast<std::size_t>(size), .descr = "'|V300000'"};
  Dense expected = Dense::zeros(type, {2, 2});
  Dense actual = expected;
  actual.element(2)[size - 1] = std::byte{1};
  for (const MemoryOrder order : {MemoryOrder::c, MemoryOrder::fortran}) {
    const Census census = census_of(actual, {.order = order}, expected, {}, {});
    CHECK(census.differing == 1);
    CHECK(census.worst.at(0).position == Position{1, 0});
  }
}

TEST_CASE("tensors longer than a piece and a box are the naive census", "[compare]") {
  Random random(7);
  for (const Shape& shape : {Shape{700, 600}, Shape{2, 100000, 2}, Shape{3, 70000}, Shape{90000, 3},
                             Shape{40, 30, 20, 10}, Shape{250000}}) {
    const Dense expected = property::random_values(random, ElementType::of(DType::float32), shape);
    const Dense actual = changed(random, expected);
    const CompareOptions options{.threads = 3, .grid = GridLimits{.rows = 7, .columns = 5}};
    const bool has_long_axis = shape[0] > 65536 || shape.back() > 65536 || shape.size() == 3;
    Census naive = oracle::naive_census(actual, expected, options);
    // The oracle counts long axes index by index.
    if (has_long_axis) naive.place.reset();
    for (const Layout layout : {Layout{}, Layout{.order = MemoryOrder::fortran},
                                Layout{.byte_order = std::endian::big}}) {
      Census found = census_of(actual, layout, expected, {}, options);
      Census both = census_of(actual, layout, expected, layout, options);
      CHECK(words(found) == words(both));
      if (has_long_axis) found.place.reset();
      INFO(to_string(shape));
      CHECK(words(found) == words(naive));
    }
  }
}

}  // namespace tscatter
