// Casts: which are allowed, what values become, and tensors that are cast while they are read.
#include "tscatter/views/cast.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cmath>
#include <complex>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "catch.hpp"
#include "io/files.hpp"
#include "oracle/arithmetic.hpp"
#include "property/random.hpp"
#include "tscatter/core/byte_order.hpp"
#include "tscatter/io/files/sources.hpp"
#include "tscatter/io/formats/text/literal.hpp"

namespace tscatter {
namespace {

constexpr std::array numpy_dtypes{
    DType::boolean, DType::int8,    DType::int16,     DType::int32,     DType::int64,
    DType::uint8,   DType::uint16,  DType::uint32,    DType::uint64,    DType::float16,
    DType::float32, DType::float64, DType::complex64, DType::complex128};

// NumPy 2.4.6, a row for each dtype that is cast, a column for each that it becomes: s is safe, k
// of the same kind, u unsafe. Made by:
//   t = "? i1 i2 i4 i8 u1 u2 u4 u8 f2 f4 f8 c8 c16".split()
//   for a in t: print("".join("s" if np.can_cast(a, b) else
//                             "k" if np.can_cast(a, b, "same_kind") else "u" for b in t))
constexpr std::array<std::string_view, 14> numpy_casts{
    "ssssssssssssss", "ussssuuuusssss", "uksssuuuukssss", "ukkssuuuukksks", "ukkksuuuukksks",
    "ukssssssssssss", "ukksskssskssss", "ukkkskksskksks", "ukkkkkkkskksks", "uuuuuuuuusssss",
    "uuuuuuuuukssss", "uuuuuuuuukksks", "uuuuuuuuuuuuss", "uuuuuuuuuuuuks"};

ElementType type_named(std::string_view name) {
  if (const Float8* const format = float8_named(name)) return element_type_of(*format);
  return ElementType::of(*dtype_from_name(name));
}

// 's', 'k' or 'u', and 'x' where nothing allows the cast.
char narrowest(const ElementType& from, const ElementType& to) {
  if (can_cast(from, to, CastPolicy::safe)) return 's';
  if (can_cast(from, to, CastPolicy::same_kind)) return 'k';
  return can_cast(from, to, CastPolicy::unsafe) ? 'u' : 'x';
}
char narrowest(std::string_view from, std::string_view to) {
  return narrowest(type_named(from), type_named(to));
}

// ---- What a value becomes, element by element, in the oracle's arithmetic

bool is_real(DType dtype) { return info(dtype).kind == DTypeKind::real; }
bool is_complex(DType dtype) { return info(dtype).kind == DTypeKind::complex; }

struct Value {
  bool is_whole = false;  // else real
  oracle::Int128 whole = 0;
  double real = 0;
  double imaginary = 0;
};

Value value_at(DType dtype, const std::byte* element) {
  Value value;
  if (dtype == DType::boolean) return {.is_whole = true, .whole = *element == std::byte{0} ? 0 : 1};
  if (is_integer(dtype)) return {.is_whole = true, .whole = oracle::load_integer(dtype, element)};
  const oracle::RealFormat format = oracle::format_of(dtype);
  value.real = oracle::decoded(format, oracle::load_pattern(format, element));
  if (is_complex(dtype)) {
    const std::byte* const second = element + info(dtype).size / 2;
    value.imaginary = oracle::decoded(format, oracle::load_pattern(format, second));
  }
  return value;
}

// An integer of 64 bits as a double that rounds to any narrower format as the integer does: what
// does not fit into 53 bits is cut, and its last bit is set.
double sticky(oracle::Int128 whole) {
  const bool is_negative = whole < 0;
  const oracle::Int128 magnitude = is_negative ? -whole : whole;
  const bool is_long = magnitude >= (oracle::Int128{1} << 53);
  const oracle::Int128 cut = is_long ? (magnitude >> 11) | 1 : magnitude;
  const double value =
      std::ldexp(static_cast<double>(static_cast<std::int64_t>(cut)), is_long ? 11 : 0);
  const bool is_exact = is_long && ((magnitude >> 11) << 11) == magnitude;
  const double exact =
      std::ldexp(static_cast<double>(static_cast<std::int64_t>(magnitude >> 11)), 11);
  return (is_negative ? -1 : 1) * (is_exact ? exact : value);
}

double nearest_double(DType from, const std::byte* element) {
  if (from == DType::uint64) {
    std::uint64_t value = 0;
    std::memcpy(&value, element, sizeof value);
    return static_cast<double>(value);
  }
  return static_cast<double>(static_cast<std::int64_t>(oracle::load_integer(from, element)));
}

double end_of_integers(DType dtype, bool first) {
  const int bits = static_cast<int>(8 * info(dtype).size);
  const bool is_signed = info(dtype).kind == DTypeKind::signed_integer;
  if (first) return is_signed ? -std::ldexp(1.0, bits - 1) : 0;
  return std::ldexp(1.0, is_signed ? bits - 1 : bits);
}

void store_whole(DType to, const Value& value, std::byte* into) {
  if (value.is_whole) return oracle::store_integer(to, value.whole, into);
  const double whole = std::trunc(value.real);
  oracle::Int128 stored = 0;
  if (whole >= end_of_integers(to, false)) {
    stored = static_cast<oracle::Int128>(end_of_integers(to, false)) - 1;
  } else if (whole < end_of_integers(to, true)) {
    stored = static_cast<oracle::Int128>(end_of_integers(to, true));
  } else if (!std::isnan(whole)) {
    stored = static_cast<oracle::Int128>(whole);
  }
  oracle::store_integer(to, stored, into);
}

void store_real(DType to, DType from, const std::byte* element, const Value& value,
                std::byte* into) {
  const oracle::RealFormat format = oracle::format_of(to);
  double real = value.real;
  if (value.is_whole) {
    const bool is_widest = format.bits == 64;
    real =
        is_widest && from != DType::boolean ? nearest_double(from, element) : sticky(value.whole);
  }
  oracle::store_pattern(format, oracle::encoded(format, real), into);
  if (!is_complex(to)) return;
  oracle::store_pattern(format, oracle::encoded(format, value.imaginary), into + info(to).size / 2);
}

std::vector<std::byte> reference_cast(DType from, DType to, const std::byte* element) {
  const Value value = value_at(from, element);
  std::vector<std::byte> into(info(to).size);
  if (to == DType::boolean) {
    const bool is_zero =
        value.is_whole ? value.whole == 0 : value.real == 0 && value.imaginary == 0;
    into[0] = std::byte{is_zero ? std::uint8_t{0} : std::uint8_t{1}};
  } else if (is_integer(to)) {
    store_whole(to, value, into.data());
  } else {
    store_real(to, from, element, value, into.data());
  }
  return into;
}

// NaNs are equal, whatever their bits; payloads have a test of their own.
bool is_same_value(DType dtype, const std::byte* a, const std::byte* b) {
  if (!is_real(dtype) && !is_complex(dtype)) return std::memcmp(a, b, info(dtype).size) == 0;
  const Value x = value_at(dtype, a);
  const Value y = value_at(dtype, b);
  const auto equal = [](double p, double q) {
    return std::isnan(p) ? std::isnan(q)
                         : std::bit_cast<std::uint64_t>(p) == std::bit_cast<std::uint64_t>(q);
  };
  return equal(x.real, y.real) && equal(x.imaginary, y.imaginary);
}

// Whether the value comes back as it was.
bool is_exact(DType from, DType to, const std::byte* before, const std::byte* after) {
  const Value x = value_at(from, before);
  const Value y = value_at(to, after);
  if (x.is_whole && y.is_whole) return x.whole == y.whole;
  if (x.imaginary != y.imaginary || std::signbit(x.imaginary) != std::signbit(y.imaginary))
    return false;
  if (y.is_whole)
    return x.real == std::trunc(x.real) && std::abs(x.real) < 0x1p100 &&
           static_cast<oracle::Int128>(x.real) == y.whole;
  if (x.is_whole)
    return std::abs(y.real) < 0x1p100 && static_cast<oracle::Int128>(y.real) == x.whole;
  return x.real == y.real;
}

bool has_nan(DType dtype, const std::byte* element) {
  const Value value = value_at(dtype, element);
  return std::isnan(value.real) || std::isnan(value.imaginary);
}

std::vector<std::byte> random_elements(property::Random& random, DType dtype, std::int64_t count) {
  const oracle::Dense dense = property::random_values(random, ElementType::of(dtype), {count});
  return dense.bytes;
}

Tensor literal(const std::string& text) { return *literal_tensor(text, "x"); }

Tensor cast_named(const std::string& text, std::string_view to) {
  return cast_to(literal(text), type_named(to));
}

std::string counts_text(const Tensor& tensor) {
  const CastCounts counts = *count_casts(tensor, {.threads = 2});
  return fmt::format("{} cast, {} rounded, {} overflowed, {} lost", counts.cast,
                     counts.values.rounded, counts.values.overflowed, counts.values.lost);
}

template <class T>
std::vector<T> values_of(const Tensor& tensor) {
  const std::string bytes = native_content(tensor);
  std::vector<T> values(bytes.size() / sizeof(T));
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

}  // namespace

TEST_CASE("casts between NumPy's dtypes are allowed as its can_cast allows them", "[io]") {
  for (std::size_t from = 0; from < numpy_dtypes.size(); ++from) {
    std::string row;
    for (const DType to : numpy_dtypes)
      row += narrowest(ElementType::of(numpy_dtypes[from]), ElementType::of(to));
    INFO(info(numpy_dtypes[from]).name);
    CHECK(row == numpy_casts[from]);
  }
  CHECK(!can_cast(ElementType::of(DType::int8), ElementType::of(DType::int16), CastPolicy::no));
  CHECK(can_cast(ElementType::of(DType::int16, std::endian::big),
                 ElementType::of(DType::int16, std::endian::little), CastPolicy::no));
}

TEST_CASE("bfloat16 and float8 are of the real kind", "[io]") {
  CHECK(narrowest("float32", "bfloat16") == 'k');
  CHECK(narrowest("bfloat16", "float32") == 's');
  CHECK(narrowest("bfloat16", "complex64") == 's');
  CHECK(narrowest("bfloat16", "float16") == 'k');
  CHECK(narrowest("float16", "bfloat16") == 'k');
  CHECK(narrowest("uint8", "bfloat16") == 's');
  CHECK(narrowest("int16", "bfloat16") == 'k');
  CHECK(narrowest("bfloat16", "int64") == 'u');
  CHECK(narrowest("complex64", "bfloat16") == 'u');
  CHECK(narrowest("float8_e4m3fn", "float16") == 's');
  CHECK(narrowest("float8_e4m3fn", "bfloat16") == 's');
  CHECK(narrowest("float8_e8m0fnu", "float16") == 'k');
  CHECK(narrowest("float8_e8m0fnu", "bfloat16") == 's');
  CHECK(narrowest("float8_e5m2", "complex64") == 's');
  CHECK(narrowest("float8_e4m3fn", "float8_e5m2") == 'k');
  CHECK(narrowest("float16", "float8_e5m2") == 'k');
  CHECK(narrowest("bool", "float8_e5m2") == 's');
  CHECK(narrowest("bool", "float8_e8m0fnu") == 'k');
  CHECK(narrowest("int8", "float8_e5m2") == 'k');
  CHECK(narrowest("float8_e5m2", "int8") == 'u');
}

TEST_CASE("opaque elements are cast to nothing but themselves", "[io]") {
  const ElementType dates{.dtype = DType::opaque, .size = 8, .descr = "'<M8[ns]'"};
  const ElementType others{.dtype = DType::opaque, .size = 8, .descr = "'<M8[us]'"};
  CHECK(narrowest(dates, dates) == 's');
  CHECK(narrowest(dates, others) == 'x');
  CHECK(narrowest(dates, ElementType::of(DType::int64)) == 'x');
  CHECK(narrowest(ElementType::of(DType::int64), dates) == 'x');
}

TEST_CASE("every pair of dtypes casts as an element by element reference does", "[io]") {
  property::Random random(20261127);
  for (const DTypeInfo& from : dtype_table) {
    for (const DTypeInfo& to : dtype_table) {
      if (from.dtype == DType::opaque || to.dtype == DType::opaque) continue;
      std::vector<std::byte> elements;
      for (int i = 0; i < 40; ++i) {
        const std::vector<std::byte> some = random_elements(random, from.dtype, 60);
        elements.insert(elements.end(), some.begin(), some.end());
      }
      const std::size_t count = elements.size() / from.size;
      std::vector<std::byte> into(count * to.size);
      const ElementConverter convert(ElementType::of(from.dtype), ElementType::of(to.dtype));
      const ConversionCounts counts = convert(elements, into);
      std::int64_t wrong = 0;
      std::int64_t inexact = 0;
      std::int64_t nans = 0;
      for (std::size_t i = 0; i < count; ++i) {
        const std::byte* const before = &elements[i * from.size];
        const std::byte* const after = &into[i * to.size];
        const std::vector<std::byte> wanted = reference_cast(from.dtype, to.dtype, before);
        if (!is_same_value(to.dtype, after, wanted.data())) ++wrong;
        const bool is_nan = has_nan(from.dtype, before);
        nans += is_nan ? 1 : 0;
        if (!is_nan && !is_exact(from.dtype, to.dtype, before, after)) ++inexact;
      }
      INFO(from.name << " to " << to.name);
      CHECK(wrong == 0);
      // A NaN may have lost a part of its payload, or become an integer.
      const std::int64_t counted = counts.rounded + counts.overflowed + counts.lost;
      CHECK(counted >= inexact);
      CHECK(counted <= inexact + nans);
    }
  }
}

TEST_CASE("a cast rounds once, and to nearest even", "[io]") {
  CHECK(values_of<std::uint16_t>(
            cast_named("4xf64=1.00048828125,1.0004882812500003,65519.99,-65520", "float16")) ==
        std::vector<std::uint16_t>{0x3C00, 0x3C01, 0x7BFF, 0xFC00});
  CHECK(values_of<std::uint16_t>(cast_named("i64=36169534507319297", "bfloat16")) ==
        std::vector<std::uint16_t>{0x5B01});
  CHECK(content(cast_named("4xf64=464,465,-0.0,0.1", "float8_e4m3fn")) == "\x7E\x7F\x80\x1D");
}

TEST_CASE("what is lost has a defined value", "[io]") {
  CHECK(values_of<std::int8_t>(cast_named("7xf32=127.9,128,-1e30,inf,-inf,nan,-0.9", "int8")) ==
        std::vector<std::int8_t>{127, 127, -128, 127, -128, 0, 0});
  CHECK(values_of<std::uint8_t>(cast_named("3xf32=-1,-0.5,300", "uint8")) ==
        std::vector<std::uint8_t>{0, 0, 255});
  CHECK(values_of<std::int64_t>(cast_named("2xf64=9223372036854775808,-1e300", "int64")) ==
        std::vector<std::int64_t>{std::numeric_limits<std::int64_t>::max(),
                                  std::numeric_limits<std::int64_t>::min()});
  CHECK(values_of<std::uint8_t>(cast_named("3xi32=256,-1,300", "uint8")) ==
        std::vector<std::uint8_t>{0, 255, 44});
  CHECK(values_of<std::uint8_t>(cast_named("4xf32=0,0.5,nan,-0.0", "bool")) ==
        std::vector<std::uint8_t>{0, 1, 1, 0});
  CHECK(values_of<std::uint8_t>(cast_named("3xc64=0,2j,1", "bool")) ==
        std::vector<std::uint8_t>{0, 1, 1});
  CHECK(values_of<float>(cast_named("2xc64=1+2j,3", "float32")) == std::vector<float>{1, 3});
}

TEST_CASE("a cast counts what became of values", "[io]") {
  CHECK(counts_text(cast_named("6xf32=1,0.1,65519,65520,-1e9,inf", "float16")) ==
        "6 cast, 2 rounded, 2 overflowed, 0 lost");
  CHECK(counts_text(cast_named("6xf32=1,0.5,-1.5,300,nan,inf", "int8")) ==
        "6 cast, 2 rounded, 0 overflowed, 3 lost");
  CHECK(counts_text(cast_named("3xi64=9007199254740993,1,-9007199254740993", "float64")) ==
        "3 cast, 2 rounded, 0 overflowed, 0 lost");
  CHECK(counts_text(cast_named("2xi32=255,256", "uint8")) ==
        "2 cast, 0 rounded, 0 overflowed, 1 lost");
  CHECK(counts_text(cast_named("3xc64=1,2j,1-0j", "float32")) ==
        "3 cast, 0 rounded, 0 overflowed, 2 lost");
  CHECK(counts_text(cast_named("3xi32=0,1,2", "bool")) ==
        "3 cast, 0 rounded, 0 overflowed, 1 lost");
  CHECK(counts_text(cast_named("2xi32=70000,3", "float16")) ==
        "2 cast, 0 rounded, 1 overflowed, 0 lost");
  CHECK(counts_text(cast_named("3xf32=1000,0.1,nan", "float8_e4m3fn")) ==
        "3 cast, 1 rounded, 1 overflowed, 0 lost");
  CHECK(counts_text(cast_named("0xf32=0", "float16")) == "0 cast, 0 rounded, 0 overflowed, 0 lost");
  CHECK(!count_casts(literal("f32=1"), {}));
  CHECK(cast_from(literal("f32=1")) == nullptr);
}

TEST_CASE("counts do not depend on how often, or with how many threads, a tensor is read", "[io]") {
  std::vector<double> values(500000);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i) * 0.3;
  const auto count = std::ssize(values);
  const Tensor tensor({.type = ElementType::of(DType::float64), .shape = {count}},
                      owned_source(std::move(values)), "x");
  const Tensor cast = cast_to(tensor, ElementType::of(DType::float16));
  const std::string once = counts_text(cast);
  for (const int threads : {1, 2, 5}) {
    content(cast);
    const CastCounts counts = *count_casts(cast, {.threads = threads});
    CHECK(fmt::format("{} cast, {} rounded, {} overflowed, {} lost", counts.cast,
                      counts.values.rounded, counts.values.overflowed, counts.values.lost) == once);
  }
  const std::atomic<bool> stop = true;
  CHECK_THROWS_AS(count_casts(cast, {.threads = 2, .stop = &stop}), Cancelled);
}

TEST_CASE("a cast tensor is read in any ranges, by several threads", "[io]") {
  property::Random random(7);
  for (const auto& [from, to] : {std::pair{DType::float32, DType::float16},
                                 {DType::int16, DType::complex128},
                                 {DType::complex128, DType::int8},
                                 {DType::float64, DType::float32}}) {
    const Tensor tensor({.type = ElementType::of(from), .shape = {5000}},
                        owned_source(random_elements(random, from, 5000)), "x");
    const Tensor cast = cast_to(tensor, ElementType::of(to));
    const std::string whole = content(cast);
    std::atomic<int> wrong = 0;
    const auto read_ranges = [&](std::uint64_t seed) {
      property::Random own(seed);
      for (int i = 0; i < 300; ++i) {
        const std::int64_t begin = own.between(0, cast.byte_size());
        const std::int64_t size = std::min(
            own.among({std::int64_t{1}, std::int64_t{3}, std::int64_t{40}, std::int64_t{40000}}),
            cast.byte_size() - begin);
        std::vector<std::byte> bytes(static_cast<std::size_t>(size));
        cast.source().read(begin, bytes);
        if (text_of(bytes) != whole.substr(static_cast<std::size_t>(begin), bytes.size())) ++wrong;
      }
    };
    std::thread other(read_ranges, 1);
    read_ranges(2);
    other.join();
    CHECK(wrong == 0);
  }
}

TEST_CASE("a cast tensor has the byte order that is asked for, and its memory order", "[io]") {
  std::array<std::byte, 8> big{};
  big[1] = std::byte{1};
  big[2] = std::byte{2};
  big[7] = std::byte{3};
  const Tensor shorts({.type = ElementType::of(DType::int16, std::endian::big),
                       .shape = {2, 2},
                       .order = MemoryOrder::fortran},
                      std::span(big), "x");
  for (const std::endian order : {std::endian::little, std::endian::big}) {
    const Tensor ints = cast_to(shorts, ElementType::of(DType::int32, order));
    CHECK(ints.type() == ElementType::of(DType::int32, order));
    CHECK(ints.order() == MemoryOrder::fortran);
    CHECK(values_of<std::int32_t>(ints) == std::vector<std::int32_t>{1, 512, 0, 3});
  }
  CHECK(cast_from(cast_to(shorts, ElementType::of(DType::int32)))->type() == shorts.type());
}

TEST_CASE("a cast keeps that all elements are one", "[io]") {
  const Tensor many = cast_named("1000000xf64=0.1", "float16");
  REQUIRE(many.source().repeated());
  CHECK(text_of(*many.source().repeated()) == content(cast_named("f64=0.1", "float16")));
}

}  // namespace tscatter
