// Sums and products that are kept in a wider dtype and rounded once: for any tiles and threads.
#include <array>
#include <bit>
#include <cstring>
#include <limits>

#include "catch.hpp"
#include "ops/call.hpp"
#include "oracle/arithmetic.hpp"

namespace tscatter {
namespace {

// Values of any real dtype.
struct Reals {
  DType dtype;
  std::vector<std::byte> bytes;

  Reals(DType of, const std::vector<double>& values) : dtype{of} {
    const oracle::RealFormat format = oracle::format_of(dtype);
    const std::size_t size = info(dtype).size;
    bytes.resize(values.size() * size);
    for (std::size_t i = 0; i < values.size(); ++i)
      oracle::store_pattern(format, oracle::encoded(format, values[i]), bytes.data() + i * size);
  }

  std::int64_t count() const { return static_cast<std::int64_t>(bytes.size() / info(dtype).size); }
  Tensor tensor() const { return view(std::span<const std::byte>(bytes), dtype, {count()}); }
  double at(std::size_t i) const {
    const oracle::RealFormat format = oracle::format_of(dtype);
    return oracle::decoded(format,
                           oracle::load_pattern(format, bytes.data() + i * info(dtype).size));
  }
};

struct Sum {
  DType dtype;
  Accumulation accumulation;
  Reduction reduction = Reduction::sum;
  std::vector<double> updates;
  double data = 0;
  std::int64_t tile_bytes = 4096;
};

// What stands at place 1 of two, where all updates meet.
double met(const Sum& sum) {
  Reals data(sum.dtype, {7, sum.data});
  const Reals updates(sum.dtype, sum.updates);
  const auto entries = updates.count();
  Operation row = *find_operation("ScatterElementsUpdate-12");
  row.policies.accumulation = sum.accumulation;
  const Arguments arguments{
      .operands = {{"data", data.tensor()},
                   {"indices", ints({entries}, std::vector<std::int32_t>(sum.updates.size(), 1))},
                   {"updates", updates.tensor()},
                   {"axis", scalar(0)}},
      .attributes = {{"reduction", sum.reduction}}};
  MemoryOutput output{std::span(data.bytes)};
  apply(row, arguments, output, {.threads = 2, .tile_bytes = sum.tile_bytes});
  CHECK(data.at(0) == 7);
  return data.at(1);
}

constexpr auto step = Accumulation::each_step;
constexpr auto once32 = Accumulation::float32;
constexpr auto once64 = Accumulation::float64;

}  // namespace

TEST_CASE("300 ones are 256 in bfloat16 step by step, and 300 rounded once", "[ops]") {
  const std::vector<double> ones(300, 1);
  CHECK(met({.dtype = DType::bfloat16, .accumulation = step, .updates = ones}) == 256);
  CHECK(met({.dtype = DType::bfloat16, .accumulation = once32, .updates = ones}) == 300);
  CHECK(met({.dtype = DType::bfloat16, .accumulation = once64, .updates = ones}) == 300);
}

TEST_CASE("2048 + 1 + 1 in float16 is 2048 step by step, and 2050 rounded once", "[ops]") {
  const std::vector<double> updates{2048, 1, 1};
  for (const std::int64_t tile_bytes : {2, 4096}) {
    const auto of = [&](Accumulation accumulation, Reduction reduction) {
      return met({.dtype = DType::float16,
                  .accumulation = accumulation,
                  .reduction = reduction,
                  .updates = updates,
                  .tile_bytes = tile_bytes});
    };
    CHECK(of(step, Reduction::sum) == 2048);
    CHECK(of(once32, Reduction::sum) == 2050);
    CHECK(of(once64, Reduction::sum) == 2050);
    CHECK(of(step, Reduction::mean) == 512);
    CHECK(of(once32, Reduction::mean) == 512.5);
  }
}

TEST_CASE("float32 is kept in float64 only", "[ops]") {
  const std::vector<double> updates{16777216, 1, 1};
  const auto of = [&](Accumulation accumulation) {
    return met({.dtype = DType::float32, .accumulation = accumulation, .updates = updates});
  };
  CHECK(of(step) == 16777216);
  CHECK(of(once32) == 16777216);
  CHECK(of(once64) == 16777218);
}

TEST_CASE("a sum may leave the range of its dtype and come back", "[ops]") {
  const std::vector<double> updates{60000, 60000, -60000, -60000};
  const Sum sum{.dtype = DType::float16, .accumulation = once32, .updates = updates, .data = 5};
  CHECK(met(sum) == 5);
}

TEST_CASE("float64 is rounded to half floats once, not by way of float32", "[ops]") {
  // Just above the middle of 1 and the next bfloat16: to float32 it is the middle itself.
  const std::vector<double> updates{0x1p-8, 0x1p-26, 0x1p-30};
  const auto of = [&](Accumulation accumulation) {
    return met(
        {.dtype = DType::bfloat16, .accumulation = accumulation, .updates = updates, .data = 1});
  };
  CHECK(of(once32) == 1);
  CHECK(of(once64) == 1 + 0x1p-7);
}

TEST_CASE("min, max, none and integers have nothing to accumulate", "[ops]") {
  CHECK(accumulator_of(DType::float16, Reduction::max, once64) == DType::float16);
  CHECK(accumulator_of(DType::float16, Reduction::none, once64) == DType::float16);
  CHECK(accumulator_of(DType::int8, Reduction::sum, once64) == DType::int8);
  CHECK(accumulator_of(DType::complex64, Reduction::sum, once64) == DType::complex64);
  CHECK(accumulator_of(DType::float64, Reduction::sum, once32) == DType::float64);
  CHECK(accumulator_of(DType::float32, Reduction::mean, once32) == DType::float32);
  CHECK(accumulator_of(DType::float16, Reduction::prod, once64) == DType::float64);
}

TEST_CASE("an untouched NaN keeps its bits", "[ops]") {
  std::array<std::uint16_t, 2> data{0xFE01, 0x3C00};
  const std::array<std::uint16_t, 1> updates{0x3C00};
  Operation row = *find_operation("ScatterElementsUpdate-12");
  row.policies.accumulation = once32;
  const Tensor of_data = view(std::as_bytes(std::span(data)), DType::float16, {2});
  const Arguments arguments{
      .operands = {{"data", of_data},
                   {"indices", ints({1}, {1})},
                   {"updates", view(std::as_bytes(std::span(updates)), DType::float16, {1})},
                   {"axis", scalar(0)}},
      .attributes = {{"reduction", Reduction::sum}}};
  MemoryOutput output{std::as_writable_bytes(std::span(data))};
  apply(row, arguments, output);
  CHECK(data == std::array<std::uint16_t, 2>{0xFE01, 0x4000});
}

}  // namespace tscatter
