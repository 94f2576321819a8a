// What a mean is divided by and how its quotient is rounded, and what stands for data's value:
// against numbers that were worked out by hand or on PyTorch; and what verify() and history() say
// of them.
#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include "catch.hpp"
#include "ops/call.hpp"
#include "oracle/arithmetic.hpp"
#include "tscatter/explain/explain.hpp"
#include "tscatter/verify/verify.hpp"

namespace tscatter {
namespace {

constexpr double endless = std::numeric_limits<double>::infinity();

// Elements of any real or integer dtype, as numbers that it has.
class NumbersOf {
 public:
  NumbersOf(DType dtype, const std::vector<double>& values)
      : dtype_{dtype}, bytes_(values.size() * info(dtype).size) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      std::byte* into = bytes_.data() + i * info(dtype).size;
      if (is_integer(dtype)) {
        oracle::store_integer(dtype, static_cast<std::int64_t>(values[i]), into);
      } else {
        const oracle::RealFormat format = oracle::format_of(dtype);
        oracle::store_pattern(format, oracle::encoded(format, values[i]), into);
      }
    }
  }

  Tensor tensor() const {
    return view(std::span<const std::byte>(bytes_), dtype_,
                {static_cast<std::int64_t>(bytes_.size() / info(dtype_).size)});
  }
  std::span<std::byte> bytes() { return bytes_; }
  double front() const {
    if (is_integer(dtype_)) return static_cast<double>(oracle::load_integer(dtype_, bytes_.data()));
    const oracle::RealFormat format = oracle::format_of(dtype_);
    return oracle::decoded(format, oracle::load_pattern(format, bytes_.data()));
  }

 private:
  DType dtype_;
  std::vector<std::byte> bytes_;
};

struct OneElement {
  DType dtype;
  double own;
  std::vector<double> updates;
  Policies policies = {};
  Reduction reduction = Reduction::mean;

  Operation row() const {
    Operation row = *find_operation("ScatterElementsUpdate-12");
    row.policies = policies;
    return row;
  }
};

// The arguments of a call in which all updates meet, with the memory that they need.
struct OneCall {
  NumbersOf data;
  NumbersOf updates;
  Arguments arguments;

  explicit OneCall(const OneElement& one)
      : data{one.dtype, {one.own, 7}}, updates{one.dtype, one.updates} {
    const auto count = static_cast<std::int64_t>(one.updates.size());
    arguments = {
        .operands = {{"data", data.tensor()},
                     {"indices", ints({count}, std::vector<std::int32_t>(one.updates.size(), 0))},
                     {"updates", updates.tensor()},
                     {"axis", scalar(0)}},
        .attributes = {{"reduction", one.reduction}}};
  }
};

// The same however it is run.
double reduced(const OneElement& one) {
  const OneCall call(one);
  const Operation row = one.row();
  std::optional<double> first;
  for (const RunOptions& options :
       {RunOptions{.threads = 1}, RunOptions{.threads = 2, .tile_bytes = 2},
        RunOptions{.threads = 1, .entry_memory = 64}}) {
    NumbersOf into(one.dtype, {0, 0});
    MemoryOutput output{into.bytes()};
    apply(row, call.arguments, output, options);
    if (!first) first = into.front();
    CHECK((into.front() == *first || std::isnan(*first)));
  }
  return *first;
}

std::vector<double> times(std::size_t count, double value) {
  std::vector<double> all(count, value);
  return all;
}

constexpr MeanRules rules(MeanDivisor divisor, MeanQuotient quotient = MeanQuotient::floor) {
  return {.divisor = divisor, .quotient = quotient};
}
constexpr MeanRules in_exact = rules(MeanDivisor::exact);
constexpr MeanRules in_dtype = rules(MeanDivisor::in_dtype);
constexpr MeanRules stalled = rules(MeanDivisor::stalling);
constexpr MeanRules truncated = rules(MeanDivisor::exact, MeanQuotient::truncate);
constexpr MeanRules truncated_in_dtype = rules(MeanDivisor::in_dtype, MeanQuotient::truncate);

struct MeanOfOne {
  DType dtype;
  MeanRules mean;
  double own;
  std::vector<double> updates;
  double expected;
  std::int64_t divisor;
};

// Data's value counts.
const std::vector<MeanOfOne> integer_means{
    {DType::int8, in_exact, 100, times(127, 0), 0, 128},
    {DType::int8, in_dtype, 100, times(127, 0), -1, -128},
    {DType::int8, truncated_in_dtype, 100, times(127, 0), 0, -128},
    {DType::int8, in_dtype, -100, times(127, 0), 0, -128},
    {DType::int8, in_dtype, 100, times(255, 0), 100, 1},
    {DType::int8, in_dtype, -128, times(254, 0), -128, -1},
    {DType::int8, truncated_in_dtype, -128, times(254, 0), -128, -1},
    {DType::int8, in_dtype, 99, times(254, 0), -99, -1},
    {DType::int8, stalled, 100, times(127, 0), -1, -128},
    {DType::int8, in_exact, 100, {100}, -28, 2},
    {DType::uint8, in_dtype, 200, times(255, 0), 200, 1},
    {DType::uint8, in_dtype, 200, times(300, 0), 4, 45},
    {DType::uint8, in_exact, 200, times(300, 0), 0, 301},
    {DType::uint8, stalled, 200, times(255, 0), 200, 1},
    {DType::int16, in_dtype, -7, times(255, 0), -1, 256},
    {DType::int16, truncated_in_dtype, -7, times(255, 0), 0, 256},
    {DType::int32, in_exact, -3, {0}, -2, 2},
    {DType::int32, truncated, -3, {0}, -1, 2},
    {DType::int64, in_exact, 3, {-10}, -4, 2},
    {DType::int64, truncated, 3, {-10}, -3, 2},
    {DType::uint16, truncated, 7, {0}, 3, 2},
};

// A float's largest integer that 1 more still changes is 2^8, 2^11 and 2^24.
const std::vector<MeanOfOne> float_means{
    {DType::bfloat16, stalled, 1, times(299, 1), 1, 256},
    {DType::bfloat16, in_dtype, 1, times(299, 1), 0.8515625, 300},
    {DType::bfloat16, in_dtype, 256, times(256, 0), 1, 256},
    {DType::bfloat16, in_exact, 256, times(256, 0), 0.99609375, 257},
    {DType::float16, stalled, 1, times(2999, 1), 1, 2048},
    {DType::float16, in_dtype, 1, times(2999, 1), 0.6826171875, 3000},
    {DType::float32, stalled, 1, times(2999, 1), 1, 3000},
    {DType::float64, in_dtype, 1, {2}, 1.5, 2},
};

}  // namespace

TEST_CASE("--divisor and --quotient: means are what was worked out, and history says the divisor",
          "[ops]") {
  for (const auto* means : {&integer_means, &float_means}) {
    for (const MeanOfOne& each : *means) {
      INFO(info(each.dtype).name << " " << each.own << " and " << each.updates.size()
                                 << " updates, divisor " << static_cast<int>(each.mean.divisor));
      const OneElement one{each.dtype, each.own, each.updates, {.mean = each.mean}};
      CHECK(reduced(one) == each.expected);
      const OneCall call(one);
      const History told = history(one.row(), call.arguments, {0});
      CHECK(told.divisor == each.divisor);
      NumbersOf expected(each.dtype, {each.expected});
      CHECK(std::ranges::equal(told.after, expected.bytes()));
    }
  }
}

TEST_CASE(
    "--divisor: a sum is rounded to data's dtype before a divisor in it, not before an exact one",
    "[ops]") {
  const std::vector<double> updates{256, 1, 3.5};
  const auto mean = [&](MeanRules rules_of_mean, Accumulation accumulation) {
    return OneElement{
        DType::bfloat16,
        0,
        updates,
        {.accumulation = accumulation, .initial = InitialValue::identity, .mean = rules_of_mean}};
  };
  const OneElement rounded = mean(in_dtype, Accumulation::float32);
  CHECK(reduced(rounded) == 86.5);
  CHECK(reduced(mean(in_exact, Accumulation::float32)) == 87);
  CHECK(reduced(mean(in_dtype, Accumulation::each_step)) == 86.5);
  const OneCall call(rounded);
  const History told = history(rounded.row(), call.arguments, {0});
  CHECK(told.divisor == 3);
  CHECK(std::ranges::equal(told.after, NumbersOf(DType::bfloat16, {86.5}).bytes()));
}

TEST_CASE("--divisor: a count that float16 does not have is infinity", "[ops]") {
  const auto mean = [](double each) {
    return reduced({DType::float16,
                    0,
                    times(70000, each),
                    {.accumulation = Accumulation::float32, .mean = in_dtype}});
  };
  CHECK(mean(0) == 0);
  CHECK(std::isnan(mean(1)));
}

TEST_CASE("--self infinite: min and max begin with infinity, integers with their ends", "[ops]") {
  const auto of = [](DType dtype, Reduction reduction, double update, InitialValue initial) {
    return reduced({dtype, 5, {update}, {.initial = initial}, reduction});
  };
  constexpr auto infinite = InitialValue::infinite;
  for (const DType dtype : {DType::float16, DType::bfloat16, DType::float32, DType::float64}) {
    CHECK(of(dtype, Reduction::max, -endless, infinite) == -endless);
    CHECK(of(dtype, Reduction::min, endless, infinite) == endless);
    CHECK(std::isfinite(of(dtype, Reduction::max, -endless, InitialValue::identity)));
    CHECK(of(dtype, Reduction::max, -3, infinite) == -3);
    CHECK(of(dtype, Reduction::prod, -3, infinite) == -3);
    CHECK(!std::signbit(of(dtype, Reduction::sum, -0.0, infinite)));
    CHECK(of(dtype, Reduction::mean, -3, infinite) == -3);
  }
  CHECK(of(DType::int8, Reduction::max, -128, infinite) == -128);
  CHECK(of(DType::uint16, Reduction::min, 65535, infinite) == 65535);
  const OneElement one{DType::float32, 5, {-endless}, {.initial = infinite}, Reduction::max};
  const OneCall call(one);
  const History told = history(one.row(), call.arguments, {0});
  CHECK(std::ranges::equal(told.initial, NumbersOf(DType::float32, {-endless}).bytes()));
}

TEST_CASE("verify: a mean is legal by the call's own divisor, and wrong by another", "[ops]") {
  struct Judged {
    OneElement one;
    std::vector<double> legal;
    std::vector<double> wrong;
  };
  const Policies rounded_sum{
      .accumulation = Accumulation::float32, .initial = InitialValue::identity, .mean = in_dtype};
  Policies exact_sum = rounded_sum;
  exact_sum.mean = in_exact;
  const std::vector<Judged> calls{
      {{DType::int8, 100, times(127, 0), {.mean = in_dtype}}, {-1}, {0, 1, 100}},
      {{DType::int8, 100, times(127, 0), {.mean = truncated_in_dtype}}, {0}, {-1}},
      {{DType::int8, -128, times(254, 0), {.mean = in_dtype}}, {-128}, {127, 0, -1}},
      {{DType::uint8, 200, times(255, 0), {.mean = in_dtype}}, {200}, {0}},
      {{DType::int32, -3, {0}, {.mean = truncated}}, {-1}, {-2}},
      {{DType::int32, -3, {0}, {.mean = in_exact}}, {-2}, {-1}},
      {{DType::bfloat16, 0, {256, 1, 3.5}, rounded_sum}, {86.5}, {80, 92}},
      {{DType::bfloat16, 0, {256, 1, 3.5}, exact_sum}, {87}, {80, 92}},
      {{DType::bfloat16, 1, times(299, 1), {.mean = stalled}}, {1}, {10}},
      {{DType::bfloat16, 1, times(299, 1), {.mean = in_dtype}}, {0.8515625}, {10}},
      {{DType::float32, 5, {-endless}, {.initial = InitialValue::infinite}, Reduction::max},
       {-endless},
       {5, -0x1.fffffep127}},
      {{DType::float32, 5, {-endless}, {.initial = InitialValue::identity}, Reduction::max},
       {-0x1.fffffep127},
       {5, -endless}},
  };
  for (const Judged& each : calls) {
    const OneCall call(each.one);
    const Operation row = each.one.row();
    const auto is_legal_result = [&](double value) {
      const NumbersOf actual(each.one.dtype, {value, 7});
      return verify(row, call.arguments, actual.tensor(), {.threads = 1}).is_legal();
    };
    INFO(info(each.one.dtype).name << ", " << each.one.updates.size() << " updates");
    for (const double value : each.legal) CHECK(is_legal_result(value));
    for (const double value : each.wrong) {
      INFO(value);
      CHECK(!is_legal_result(value));
    }
  }
}

}  // namespace tscatter
