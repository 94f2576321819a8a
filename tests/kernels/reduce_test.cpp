// The reductions, element by element; and every path of the kernels gives the same bits.
#include "tscatter/kernels/reduce.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <complex>
#include <cstring>
#include <limits>
#include <numeric>
#include <random>
#include <span>
#include <vector>

#include "catch.hpp"
#include "tscatter/kernels/path.hpp"
#include "tscatter/kernels/scatter.hpp"

namespace tscatter {
namespace {

template <class T>
T reduced(DType dtype, Reduction reduction, T x, T y) {
  reduce_loop(dtype, reduction)(reinterpret_cast<std::byte*>(&x),
                                reinterpret_cast<const std::byte*>(&y), 1);
  return x;
}

using Bits = std::vector<std::uint16_t>;

// All values of a 16-bit type, in both operands.
Bits every_value() {
  Bits bits(65536);
  for (std::size_t i = 0; i < bits.size(); ++i) bits[i] = static_cast<std::uint16_t>(i);
  return bits;
}

Bits reduced_all(DType dtype, Reduction reduction, Bits x, const Bits& y) {
  reduce_loop(dtype, reduction)(std::as_writable_bytes(std::span(x)).data(),
                                std::as_bytes(std::span(y)).data(),
                                static_cast<std::int64_t>(x.size()));
  return x;
}

// One by one, as records.
Bits scattered_all(DType dtype, Reduction reduction, Bits x, const Bits& y) {
  std::vector<SmallRecord> records(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    records[i].destination = static_cast<std::uint32_t>(i + 3);
    std::memcpy(records[i].value.data(), &y[i], sizeof(y[i]));
  }
  scatter_loop<SmallRecord>(dtype, sizeof(x[0]), reduction)(
      std::as_writable_bytes(std::span(x)).data(), 3, records);
  return x;
}

// Of one byte, which is what each of them does to any integer.
struct BitCase {
  Reduction reduction;
  std::byte (*of_byte)(std::byte x, std::byte y);
};

constexpr std::array bit_cases{
    BitCase{Reduction::bit_and, [](std::byte x, std::byte y) { return x & y; }},
    BitCase{Reduction::bit_or, [](std::byte x, std::byte y) { return x | y; }},
    BitCase{Reduction::bit_xor, [](std::byte x, std::byte y) { return x ^ y; }}};

std::vector<std::byte> random_bytes(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<std::byte> bytes(count);
  for (std::byte& each : bytes) each = static_cast<std::byte>(random() & 0xFFU);
  return bytes;
}

// The elements lie `shift` bytes behind aligned places.
std::vector<std::byte> reduced_at(std::size_t shift, ReduceLoop loop, std::int64_t count,
                                  std::vector<std::byte> x, std::vector<std::byte> y) {
  x.insert(x.begin(), shift, std::byte{0x55});
  y.insert(y.begin(), shift, std::byte{0x55});
  loop(x.data() + shift, y.data() + shift, count);
  x.erase(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(shift));
  return x;
}

// The last update first.
std::vector<std::byte> placed(const DTypeInfo& dtype, Reduction reduction, std::vector<std::byte> x,
                              const std::vector<std::byte>& y) {
  const PlacedLoop loop = placed_loop(dtype.dtype, dtype.size, reduction);
  for (std::size_t i = x.size() / dtype.size; i-- > 0;) {
    const auto place = static_cast<std::uint32_t>(i);
    loop(x.data(), &place, y.data() + i * dtype.size, 1);
  }
  return x;
}

// The same for all at once, each place fetched before.
std::vector<std::byte> placed_ahead(const DTypeInfo& dtype, Reduction reduction,
                                    std::vector<std::byte> x, const std::vector<std::byte>& y) {
  std::vector<std::uint32_t> places(x.size() / dtype.size);
  std::iota(places.begin(), places.end(), 0U);
  placed_loop(dtype.dtype, dtype.size, reduction, Fetching::done)(x.data(), places.data(), y.data(),
                                                                  std::ssize(places));
  return x;
}

template <class Record>
std::vector<std::byte> recorded(const DTypeInfo& dtype, Reduction reduction,
                                std::vector<std::byte> x, const std::vector<std::byte>& y) {
  std::vector<Record> records(x.size() / dtype.size);
  for (std::size_t i = 0; i < records.size(); ++i) {
    records[i].destination = static_cast<std::uint32_t>(i);
    std::memcpy(records[i].value.data(), y.data() + i * dtype.size, dtype.size);
  }
  scatter_loop<Record>(dtype.dtype, dtype.size, reduction)(x.data(), 0, records);
  return x;
}

}  // namespace

TEST_CASE("reduce: half floats round at each step, to nearest even") {
  // 2048 + 1 is a tie between 2048 and 2050; in float32 it would be 2049.
  CHECK(reduced<std::uint16_t>(DType::float16, Reduction::sum, 0x6800, 0x3C00) == 0x6800);
  CHECK(reduced<std::uint16_t>(DType::float16, Reduction::sum, 0x6801, 0x3C00) == 0x6802);
  // 256 + 1 in bfloat16.
  CHECK(reduced<std::uint16_t>(DType::bfloat16, Reduction::sum, 0x4380, 0x3F80) == 0x4380);
  CHECK(reduced<std::uint16_t>(DType::bfloat16, Reduction::sum, 0x4381, 0x3F80) == 0x4382);
  // 65504 + 32 is over the largest float16.
  CHECK(reduced<std::uint16_t>(DType::float16, Reduction::sum, 0x7BFF, 0x5000) == 0x7C00);
}

TEST_CASE(
    "reduce: sum, sub and prod leave the quiet NaN with a clear sign, whichever NaN came in") {
  const std::array<std::uint32_t, 4> nans{0xFFC00000, 0x7F800001, 0xFFBADBAD, 0x7FC00000};
  for (const Reduction reduction : {Reduction::sum, Reduction::sub, Reduction::prod}) {
    for (const std::uint32_t nan : nans) {
      CHECK(reduced<std::uint32_t>(DType::float32, reduction, nan, 0xFFC12345) == 0x7FC00000);
      CHECK(reduced<std::uint32_t>(DType::float32, reduction, 0x3F800000, nan) == 0x7FC00000);
      const std::uint16_t half = static_cast<std::uint16_t>(nan >> 16U) | 1U;
      CHECK(reduced<std::uint16_t>(DType::bfloat16, reduction, half, 0x3F80) == 0x7FC0);
      CHECK(reduced<std::uint16_t>(DType::float16, reduction, 0xFC01, half) == 0x7E00);
    }
  }
  const float infinity = std::numeric_limits<float>::infinity();
  const float lost = reduced(DType::float32, Reduction::sub, infinity, infinity);
  CHECK(std::bit_cast<std::uint32_t>(lost) == 0x7FC00000);
}

TEST_CASE("reduce: min and max take the update only where it compares, ties and NaN keep data") {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (const Reduction reduction : {Reduction::min, Reduction::max}) {
    CHECK(std::signbit(reduced(DType::float32, reduction, -0.0F, 0.0F)));
    CHECK(!std::signbit(reduced(DType::float32, reduction, 0.0F, -0.0F)));
    CHECK(std::isnan(reduced(DType::float32, reduction, nan, 1.0F)));
    CHECK(reduced(DType::float32, reduction, 1.0F, nan) == 1.0F);
    CHECK(reduced<std::uint16_t>(DType::float16, reduction, 0x8000, 0x0000) == 0x8000);
    CHECK(reduced<std::uint16_t>(DType::bfloat16, reduction, 0x0000, 0x8000) == 0x0000);
  }
}

TEST_CASE("reduce: each family of min and max has its own NaN and ties") {
  constexpr std::uint32_t nan = 0x7FC00000;
  constexpr std::uint32_t other = 0xFFC00001;
  constexpr std::uint32_t one = 0x3F800000;
  constexpr std::uint32_t minus_zero = 0x80000000;
  struct Case {
    Extremes family;
    // max of (nan, one), (one, nan), (nan, other), (-0, 0), (0, -0)
    std::array<std::uint32_t, 5> left;
  };
  const std::array cases{Case{Extremes::data, {nan, one, nan, minus_zero, 0}},
                         Case{Extremes::update, {one, nan, other, 0, minus_zero}},
                         Case{Extremes::propagate, {nan, nan, nan, minus_zero, 0}},
                         Case{Extremes::ieee, {nan, nan, nan, 0, 0}},
                         Case{Extremes::ignore, {one, one, nan, minus_zero, 0}}};
  for (const Case& each : cases) {
    const Extremes family = each.family;
    const std::array<std::uint32_t, 5>& left = each.left;
    INFO(to_string(family));
    const auto max = [&](std::uint32_t x, std::uint32_t y) {
      return reduced(DType::float32, in_family(Reduction::max, family), x, y);
    };
    CHECK(max(nan, one) == left[0]);
    CHECK(max(one, nan) == left[1]);
    CHECK(max(nan, other) == left[2]);
    CHECK(max(minus_zero, 0) == left[3]);
    CHECK(max(0, minus_zero) == left[4]);
  }
  CHECK(reduced<std::uint32_t>(DType::float32, Reduction::min_ieee, 0, minus_zero) == minus_zero);
  CHECK(in_family(Reduction::sum, Extremes::update) == Reduction::sum);
}

TEST_CASE("reduce: min and max have one identity in every family") {
  for (const ReductionInfo& each : reduction_table) {
    if (each.effect != OrderEffect::extreme) continue;
    INFO(each.meaning);
    const auto begins_with = [&]<class T>(DType dtype, T least, T greatest) {
      const T wanted = is_min(each.reduction) ? greatest : least;
      std::vector<std::byte> bytes(sizeof(T));
      std::memcpy(bytes.data(), &wanted, sizeof(T));
      return start_value(dtype, each.reduction, InitialValue::identity) == bytes;
    };
    using Float = std::numeric_limits<float>;
    CHECK(begins_with(DType::float32, Float::lowest(), Float::max()));
    CHECK(begins_with(DType::float16, std::uint16_t{0xFBFF}, std::uint16_t{0x7BFF}));
    CHECK(begins_with(DType::int8, std::int8_t{-128}, std::int8_t{127}));
    CHECK(begins_with(DType::boolean, false, true));
    CHECK(start_value(DType::int8, each.reduction, InitialValue::data).empty());
  }
}

TEST_CASE("reduce: integers wrap around, narrow ones too") {
  CHECK(reduced<std::int8_t>(DType::int8, Reduction::sum, 127, 1) == -128);
  CHECK(reduced<std::uint16_t>(DType::uint16, Reduction::prod, 65535, 65535) == 1);
  CHECK(reduced<std::int32_t>(DType::int32, Reduction::sub,
                              std::numeric_limits<std::int32_t>::min(),
                              1) == std::numeric_limits<std::int32_t>::max());
  CHECK(reduced<std::int64_t>(DType::int64, Reduction::prod,
                              std::numeric_limits<std::int64_t>::min(),
                              -1) == std::numeric_limits<std::int64_t>::min());
}

TEST_CASE("reduce: bools are logical, and any byte but 0 is true") {
  struct Case {
    Reduction reduction;
    std::array<int, 4> of;  // (0, 0), (0, 2), (3, 0), (3, 2)
  };
  const std::array cases{
      Case{Reduction::sum, {0, 1, 1, 1}},    Case{Reduction::sub, {0, 1, 1, 0}},
      Case{Reduction::prod, {0, 0, 0, 1}},   Case{Reduction::min, {0, 0, 0, 1}},
      Case{Reduction::max, {0, 1, 1, 1}},    Case{Reduction::bit_and, {0, 0, 0, 1}},
      Case{Reduction::bit_or, {0, 1, 1, 1}}, Case{Reduction::bit_xor, {0, 1, 1, 0}}};
  for (const Case& each : cases) {
    CHECK(reduced<std::uint8_t>(DType::boolean, each.reduction, 0, 0) == each.of[0]);
    CHECK(reduced<std::uint8_t>(DType::boolean, each.reduction, 0, 2) == each.of[1]);
    CHECK(reduced<std::uint8_t>(DType::boolean, each.reduction, 3, 0) == each.of[2]);
    CHECK(reduced<std::uint8_t>(DType::boolean, each.reduction, 3, 2) == each.of[3]);
  }
}

TEST_CASE("reduce: and, or and xor take each bit alone, of every integer dtype, at any alignment") {
  for (const DTypeInfo& dtype : dtype_table) {
    if (!is_integer(dtype.dtype)) continue;
    const std::vector<std::byte> x = random_bytes(dtype.size * 301, 1);
    const std::vector<std::byte> y = random_bytes(dtype.size * 301, 2);
    for (const BitCase& each : bit_cases) {
      INFO(dtype.name << " " << to_string(each.reduction));
      std::vector<std::byte> expected(x.size());
      std::ranges::transform(x, y, expected.begin(), each.of_byte);
      for (std::size_t shift = 0; shift < 3; ++shift) {
        CHECK(reduced_at(shift, reduce_loop(dtype.dtype, each.reduction), 301, x, y) == expected);
      }
      CHECK(placed(dtype, each.reduction, x, y) == expected);
      CHECK(placed_ahead(dtype, each.reduction, x, y) == expected);
      if (dtype.size == 8) CHECK(recorded<LargeRecord>(dtype, each.reduction, x, y) == expected);
      if (dtype.size < 8) CHECK(recorded<SmallRecord>(dtype, each.reduction, x, y) == expected);
    }
  }
}

TEST_CASE("placed loops that fetch, and that mark, leave what the plain one leaves") {
  constexpr std::uint32_t elements = 500;
  std::mt19937 random(3);
  std::vector<std::uint32_t> places(1000);
  for (std::uint32_t& place : places)
    place = static_cast<std::uint32_t>(3 * (random() % (elements / 3)));
  std::vector<std::uint64_t> marked(elements / 64 + 1, 0);
  for (const std::uint32_t place : places) marked[place / 64] |= std::uint64_t{1} << (place % 64);
  for (const DTypeInfo& dtype : dtype_table) {
    // Small bytes: no float is a NaN.
    std::vector<std::byte> data = random_bytes(dtype.size * elements, 4);
    std::vector<std::byte> updates = random_bytes(dtype.size * places.size(), 5);
    for (std::byte& each : data) each &= std::byte{31};
    for (std::byte& each : updates) each &= std::byte{31};
    for (const ReductionInfo& each : reduction_table) {
      const PlacedLoop plain = placed_loop(dtype.dtype, dtype.size, each.reduction);
      const PlacedLoop fetching =
          placed_loop(dtype.dtype, dtype.size, each.reduction, Fetching::done);
      const MarkingLoop marking = marking_loop(dtype.dtype, dtype.size, each.reduction);
      REQUIRE((plain == nullptr) == (fetching == nullptr));
      if (plain == nullptr) REQUIRE(marking == nullptr);
      if (plain == nullptr) continue;
      INFO(dtype.name << " " << to_string(each.reduction));
      const auto count = std::ssize(places);
      std::vector<std::byte> expected = data;
      plain(expected.data(), places.data(), updates.data(), count);
      std::vector<std::byte> fetched = data;
      fetching(fetched.data(), places.data(), updates.data(), count);
      CHECK((fetched == expected));
      if (marking == nullptr) continue;
      std::vector<std::byte> changed = data;
      std::vector<std::uint64_t> marks(marked.size(), 0);
      marking(changed.data(), marks.data(), places.data(), updates.data(), count);
      CHECK((changed == expected));
      CHECK(marks == marked);
    }
  }
}

TEST_CASE("reduce: the identity of and has all bits, of or and xor none") {
  for (const DTypeInfo& dtype : dtype_table) {
    if (!is_defined(Reduction::bit_and, dtype.dtype)) continue;
    INFO(dtype.name);
    const bool is_bool = dtype.dtype == DType::boolean;
    const std::vector<std::byte> all(dtype.size, is_bool ? std::byte{1} : std::byte{0xFF});
    const std::vector<std::byte> none(dtype.size);
    CHECK(start_value(dtype.dtype, Reduction::bit_and, InitialValue::identity) == all);
    CHECK(start_value(dtype.dtype, Reduction::bit_or, InitialValue::identity) == none);
    CHECK(start_value(dtype.dtype, Reduction::bit_xor, InitialValue::identity) == none);
  }
}

TEST_CASE("reduce: a complex product does not recover infinities") {
  using Complex = std::complex<float>;
  const float infinity = std::numeric_limits<float>::infinity();
  const Complex product =
      reduced(DType::complex64, Reduction::prod, Complex(infinity, 0), Complex(infinity, 1));
  CHECK(product.real() == infinity);
  CHECK(std::isnan(product.imag()));
  const Complex lost =
      reduced(DType::complex64, Reduction::prod, Complex(infinity, infinity), Complex(1, 0));
  CHECK(std::isnan(lost.real()));
}

TEST_CASE("reduce: what is not defined has no loop") {
  CHECK(reduce_loop(DType::float32, Reduction::none) == nullptr);
  CHECK(reduce_loop(DType::complex64, Reduction::min) == nullptr);
  CHECK(reduce_loop(DType::complex128, Reduction::max) == nullptr);
  CHECK(reduce_loop(DType::opaque, Reduction::sum) == nullptr);
  for (const BitCase& each : bit_cases) {
    for (const DTypeInfo& dtype : dtype_table) {
      const bool has_it = is_integer(dtype.dtype) || dtype.dtype == DType::boolean;
      INFO(dtype.name << " " << to_string(each.reduction));
      CHECK(is_defined(each.reduction, dtype.dtype) == has_it);
      CHECK((reduce_loop(dtype.dtype, each.reduction) != nullptr) == has_it);
    }
  }
}

TEST_CASE("reduce: every path has the same bits for half floats") {
  if (!set_kernel_path(KernelPath::avx2)) {
    WARN("no avx2 here: only the portable path was run");
    return;
  }
  const Bits all = every_value();
  for (const DType dtype : {DType::float16, DType::bfloat16}) {
    for (const ReductionInfo& each : reduction_table) {
      const Reduction reduction = each.reduction;
      if (reduction == Reduction::none || !is_defined(reduction, dtype)) continue;
      for (const std::size_t shift : {1U, 7U, 257U, 4099U, 30011U, 32768U, 65535U}) {
        Bits other(all.size());
        for (std::size_t i = 0; i < all.size(); ++i) other[i] = all[(i + shift) % all.size()];
        REQUIRE(set_kernel_path(KernelPath::avx2));
        const Bits fast = reduced_all(dtype, reduction, all, other);
        const Bits fast_records = scattered_all(dtype, reduction, all, other);
        REQUIRE(set_kernel_path(KernelPath::portable));
        const Bits portable = reduced_all(dtype, reduction, all, other);
        const Bits portable_records = scattered_all(dtype, reduction, all, other);
        INFO(info(dtype).name << " " << to_string(reduction) << " " << to_string(each.extremes)
                              << ", shifted by " << shift);
        CHECK(fast == portable);
        CHECK(fast_records == portable);
        CHECK(portable_records == portable);
      }
    }
  }
  set_kernel_path(KernelPath::automatic);
}

}  // namespace tscatter
