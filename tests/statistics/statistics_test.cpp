// Statistics against a plain loop over the elements, decoded by the oracle.
#include "tscatter/statistics/statistics.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>

#include "catch.hpp"
#include "oracle/arithmetic.hpp"
#include "property/random.hpp"
#include "tscatter/core/tensor.hpp"
#include "tscatter/io/files/sources.hpp"

namespace tscatter {
namespace {

using property::Random;

// One element, or a part of a complex one, as a number that compares exactly.
struct Number {
  bool is_integer;
  oracle::Int128 integer;
  double real;

  bool operator<(const Number& other) const {
    return is_integer ? integer < other.integer : real < other.real;
  }
  bool operator==(const Number& other) const {
    return is_integer ? integer == other.integer : real == other.real;
  }
};

DType part_of(DType dtype) {
  if (dtype == DType::complex64) return DType::float32;
  return dtype == DType::complex128 ? DType::float64 : dtype;
}

Number number_at(DType dtype, const std::byte* from) {
  if (dtype == DType::boolean)
    return {.is_integer = true, .integer = *from == std::byte{0} ? 0 : 1, .real = 0};
  if (is_integer(dtype))
    return {.is_integer = true, .integer = oracle::load_integer(dtype, from), .real = 0};
  const oracle::RealFormat format = oracle::format_of(dtype);
  return {.is_integer = false,
          .integer = 0,
          .real = oracle::decoded(format, oracle::load_pattern(format, from))};
}

bool is_finite(const Number& number) { return number.is_integer || std::isfinite(number.real); }
bool is_nan(const Number& number) { return !number.is_integer && std::isnan(number.real); }

void turn_words(std::vector<std::byte>& bytes, std::size_t word) {
  for (auto at = bytes.begin(); at != bytes.end(); at += static_cast<std::ptrdiff_t>(word))
    std::reverse(at, at + static_cast<std::ptrdiff_t>(word));
}

std::vector<Number> numbers(const Tensor& tensor, std::size_t part) {
  const DType dtype = part_of(tensor.type().dtype);
  std::vector<std::byte> bytes(static_cast<std::size_t>(tensor.byte_size()));
  tensor.source().read(0, bytes);
  if (!tensor.type().is_native()) turn_words(bytes, tensor.type().word());
  std::vector<Number> all;
  for (std::size_t i = part * info(dtype).size; i < bytes.size(); i += tensor.type().size)
    all.push_back(number_at(dtype, bytes.data() + i));
  return all;
}

void check_range(const std::vector<Number>& values, DType dtype, const Statistics& got,
                 std::size_t part) {
  const Number* min = nullptr;
  const Number* max = nullptr;
  for (const Number& value : values) {
    if (is_nan(value)) continue;
    if (min == nullptr || value < *min) min = &value;
    if (max == nullptr || *max < value) max = &value;
  }
  if (min == nullptr) {
    CHECK_FALSE(got.min.has_value());
    CHECK_FALSE(got.max.has_value());
    return;
  }
  if (!got.min.has_value()) return;  // the other part has no value
  CHECK(number_at(dtype, got.min->data() + part * info(dtype).size) == *min);
  CHECK(number_at(dtype, got.max->data() + part * info(dtype).size) == *max);
}

void check_mean(const std::vector<Number>& values, std::optional<double> got) {
  long double sum = 0;
  long double magnitude = 0;
  oracle::Int128 integer_sum = 0;
  std::int64_t count = 0;
  for (const Number& value : values) {
    if (!is_finite(value)) continue;
    ++count;
    sum += value.real;
    magnitude += std::abs(static_cast<long double>(value.real));
    integer_sum += value.integer;
  }
  REQUIRE(got.has_value() == (count > 0));
  if (count == 0) return;
  if (values.front().is_integer) {
    CHECK(*got == static_cast<double>(static_cast<long double>(integer_sum) / count));
  } else {
    const long double error = std::abs(static_cast<long double>(*got) - sum / count);
    CHECK(error <= magnitude / count * 1e-11L);
  }
}

void check_histogram(const std::vector<Number>& values, DType dtype, const Statistics& got) {
  std::int64_t finite = 0;
  for (const Number& value : values) finite += is_finite(value) ? 1 : 0;
  std::int64_t total = 0;
  for (std::size_t k = 0; k < got.histogram.size(); ++k) {
    const HistogramBin& bin = got.histogram[k];
    const Number first = number_at(dtype, bin.first.data());
    const Number last = number_at(dtype, bin.last.data());
    const bool holds_last = is_integer(dtype) || k + 1 == got.histogram.size();
    std::int64_t count = 0;
    for (const Number& value : values) {
      const bool is_inside = !(value < first) && (value < last || (holds_last && value == last));
      count += is_finite(value) && is_inside ? 1 : 0;
    }
    CHECK(bin.count == count);
    total += bin.count;
  }
  CHECK(got.histogram.size() <= 10);
  CHECK(total == (dtype == DType::boolean ? 0 : finite));
}

void check_statistics(const Tensor& tensor) {
  const DType dtype = tensor.type().dtype;
  const DType part = part_of(dtype);
  const Statistics got = statistics(tensor, {.threads = 3});
  const std::size_t parts = part == dtype ? 1 : 2;
  const std::vector<Number> first = numbers(tensor, 0);
  const std::vector<Number> second = numbers(tensor, parts - 1);
  std::int64_t nan = 0;
  std::int64_t infinite = 0;
  std::int64_t zeros = 0;
  for (std::size_t i = 0; i < first.size(); ++i) {
    const auto is_infinite = [](const Number& n) { return !is_finite(n) && !is_nan(n); };
    nan += is_nan(first[i]) || is_nan(second[i]) ? 1 : 0;
    infinite += is_infinite(first[i]) || is_infinite(second[i]) ? 1 : 0;
    const auto is_zero = [](const Number& n) {
      return n.is_integer ? n.integer == 0 : n.real == 0;
    };
    zeros += is_zero(first[i]) && is_zero(second[i]) ? 1 : 0;
  }
  CHECK(got.nan == nan);
  CHECK(got.infinite == infinite);
  CHECK(got.zeros == zeros);
  check_range(first, part, got, 0);
  if (parts == 2) {
    check_range(second, part, got, 1);
  } else {
    check_mean(first, got.mean ? std::optional(got.mean->real()) : std::nullopt);
    check_histogram(first, dtype, got);
  }
}

Tensor tensor_of(oracle::Dense dense, std::endian order) {
  if (order != std::endian::native) turn_words(dense.bytes, dense.type.word());
  return {{.type = ElementType::of(dense.type.dtype, order), .shape = dense.shape},
          owned_source(dense.bytes)};
}

constexpr std::array numeric{DType::boolean, DType::int8,      DType::int16,     DType::int32,
                             DType::int64,   DType::uint8,     DType::uint16,    DType::uint32,
                             DType::uint64,  DType::float16,   DType::bfloat16,  DType::float32,
                             DType::float64, DType::complex64, DType::complex128};

template <class T>
Tensor tensor_of(std::vector<T> values) {
  const auto size = static_cast<std::int64_t>(values.size());
  return {{.type = ElementType::of(detail::dtype_of<T>()), .shape = {size}},
          owned_source(std::move(values))};
}

}  // namespace

TEST_CASE("statistics of every dtype and byte order are those of a plain loop") {
  Random random(20261121);
  for (const DType dtype : numeric) {
    for (int i = 0; i < 60; ++i) {
      const std::endian order = random.chance(50) ? std::endian::little : std::endian::big;
      const ElementType type = ElementType::of(dtype);
      const Shape shape{random.between(0, random.chance(10) ? 5000 : 40)};
      INFO(info(dtype).name << " " << shape[0] << " round " << i);
      check_statistics(tensor_of(property::random_values(random, type, shape), order));
    }
  }
}

TEST_CASE("statistics are the same at every number of workers") {
  Random random(7);
  std::vector<float> values(5'000'000);
  for (float& value : values)
    value = static_cast<float>(static_cast<std::int32_t>(random.bits())) * 1e-3F;
  values[4'000'000] = std::numeric_limits<float>::quiet_NaN();
  const Tensor tensor = tensor_of(values);
  const Statistics one = statistics(tensor, {.threads = 1});
  for (const int threads : {2, 3, 8}) {
    const Statistics more = statistics(tensor, {.threads = threads});
    CHECK(more.mean == one.mean);
    CHECK(more.min == one.min);
    CHECK(more.max == one.max);
    CHECK(more.nan == 1);
    REQUIRE(more.histogram.size() == one.histogram.size());
    for (std::size_t k = 0; k < 10; ++k) CHECK(more.histogram[k].count == one.histogram[k].count);
  }
}

TEST_CASE("means of values near the ends of their range do not overflow") {
  constexpr double largest = std::numeric_limits<double>::max();
  CHECK(statistics(tensor_of(std::vector(100000, largest))).mean == std::complex(largest));
  CHECK(statistics(tensor_of(std::vector(100000, -largest))).mean == std::complex(-largest));
  constexpr auto most = std::numeric_limits<std::int64_t>::max();
  CHECK(statistics(tensor_of(std::vector(100000, most))).mean ==
        std::complex(9223372036854775807.0));
  constexpr auto all = std::numeric_limits<std::uint64_t>::max();
  CHECK(statistics(tensor_of(std::vector(100000, all))).mean ==
        std::complex(18446744073709551615.0));
  const Statistics both = statistics(tensor_of(std::vector{-largest, 0.0, largest}));
  CHECK(both.mean == std::complex(0.0));
  CHECK(both.histogram.size() == 10);
  CHECK(both.histogram[4].count + both.histogram[5].count == 1);
}

TEST_CASE("bins of integers have whole widths") {
  const auto bins = [](std::vector<std::int32_t> values) {
    std::vector<std::vector<std::int32_t>> all;
    for (const HistogramBin& bin : statistics(tensor_of(std::move(values))).histogram) {
      std::int32_t first = 0;
      std::int32_t last = 0;
      std::memcpy(&first, bin.first.data(), 4);
      std::memcpy(&last, bin.last.data(), 4);
      all.push_back({first, last, static_cast<std::int32_t>(bin.count)});
    }
    return all;
  };
  using Bins = std::vector<std::vector<std::int32_t>>;
  CHECK(bins({3, 3}) == Bins{{3, 3, 2}});
  CHECK(bins({-1, 1}) == Bins{{-1, -1, 1}, {0, 0, 0}, {1, 1, 1}});
  CHECK(bins({0, 11}) == Bins{{0, 1, 1}, {2, 3, 0}, {4, 5, 0}, {6, 7, 0}, {8, 9, 0}, {10, 11, 1}});
  CHECK(bins({std::numeric_limits<std::int32_t>::min(), std::numeric_limits<std::int32_t>::max()})
            .size() == 10);
}

TEST_CASE("a value that fills its shape is not read") {
  class Endless final : public Source {
   public:
    explicit Endless(float value) : value_{value} {}
    std::int64_t size() const override { return std::int64_t{1} << 60; }
    void read(std::int64_t, std::span<std::byte>) const override { FAIL("was read"); }
    std::optional<std::span<const std::byte>> repeated() const override {
      return std::as_bytes(std::span(&value_, 1));
    }

   private:
    float value_;
  };
  const std::int64_t count = std::int64_t{1} << 58;
  const auto of = [&](float value) {
    return statistics(Tensor({.type = ElementType::of(DType::float32), .shape = {count}},
                             std::make_shared<Endless>(value)));
  };
  const Statistics got = of(0.5F);
  CHECK(got.mean == std::complex(0.5));
  REQUIRE(got.histogram.size() == 1);
  CHECK(got.histogram[0].count == count);
  CHECK(of(std::numeric_limits<float>::quiet_NaN()).nan == count);
}

TEST_CASE("statistics end when they are asked to") {
  const std::atomic<bool> stop{true};
  CHECK_THROWS_AS(statistics(tensor_of(std::vector<float>{1}), {.threads = 1, .stop = &stop}),
                  Cancelled);
}

}  // namespace tscatter
