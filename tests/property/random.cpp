#include "property/random.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "oracle/arithmetic.hpp"

namespace tscatter::property {
namespace {

using oracle::RealFormat;

enum class Flavour { small, special, bits, near_one, mixed };

std::uint64_t special_real(Random& random, const RealFormat& format) {
  const std::uint64_t smallest_normal = std::uint64_t{1} << format.mantissa;
  const std::uint64_t quiet = smallest_normal >> 1;
  const auto magnitude = random.among<std::uint64_t>({
      0,
      0,
      1,
      smallest_normal - 1,
      smallest_normal,
      static_cast<std::uint64_t>(format.bias()) << format.mantissa,
      format.infinity() - 1,
      format.infinity(),
      format.infinity() | quiet,
      format.infinity() | quiet | 5,
      format.infinity() | 1,
  });
  return magnitude | (random.chance(50) ? format.sign() : 0);
}

std::uint64_t near_one(Random& random, const RealFormat& format) {
  const std::uint64_t fraction = random.bits() & ((std::uint64_t{1} << format.mantissa) - 1);
  const auto exponent = static_cast<std::uint64_t>(format.bias() + random.between(-4, 4));
  return (exponent << format.mantissa) | fraction | (random.chance(50) ? format.sign() : 0);
}

std::uint64_t random_real(Random& random, const RealFormat& format, Flavour flavour) {
  switch (flavour) {
    case Flavour::small:
      return oracle::encoded(format, static_cast<double>(random.between(-24, 24)) / 4);
    case Flavour::special: return special_real(random, format);
    case Flavour::near_one: return near_one(random, format);
    default: return random.bits();
  }
}

void fill_real(Random& random, DType dtype, Flavour flavour, std::span<std::byte> element) {
  const RealFormat format = oracle::format_of(dtype);
  const auto part = static_cast<std::size_t>(format.bits / 8);
  for (std::size_t at = 0; at < element.size(); at += part) {
    oracle::store_pattern(format, random_real(random, format, flavour), &element[at]);
  }
}

void fill_integer(Random& random, DType dtype, Flavour flavour, std::byte* element) {
  const int width = static_cast<int>(info(dtype).size) * 8;
  const oracle::Int128 half = oracle::Int128{1} << (width - 1);
  auto value = static_cast<oracle::Int128>(random.bits());
  if (flavour == Flavour::small || flavour == Flavour::near_one) value = random.between(-6, 6);
  if (flavour == Flavour::special) {
    value = random.among<oracle::Int128>({0, 1, -1, half, half - 1, half + 1, 2 * half - 1});
  }
  oracle::store_integer(dtype, value, element);
}

void fill_bytes(Random& random, std::span<std::byte> element) {
  for (std::byte& byte : element) byte = static_cast<std::byte>(random.bits() & 0xFFU);
}

std::byte random_boolean(Random& random, Flavour flavour) {
  if (flavour == Flavour::bits || flavour == Flavour::mixed) {
    return random.among(
        {std::byte{0}, std::byte{1}, std::byte{2}, std::byte{0x80}, std::byte{0xFF}});
  }
  return random.among({std::byte{0}, std::byte{1}});
}

Flavour element_flavour(Random& random, Flavour flavour) {
  if (flavour != Flavour::mixed) return flavour;
  return random.among({Flavour::small, Flavour::special, Flavour::bits, Flavour::near_one});
}

void fill(Random& random, const ElementType& type, Flavour flavour, std::span<std::byte> element) {
  switch (info(type.dtype).kind) {
    case DTypeKind::boolean: element[0] = random_boolean(random, flavour); return;
    case DTypeKind::signed_integer:
    case DTypeKind::unsigned_integer:
      return fill_integer(random, type.dtype, element_flavour(random, flavour), element.data());
    case DTypeKind::real:
    case DTypeKind::complex:
      return fill_real(random, type.dtype, element_flavour(random, flavour), element);
    case DTypeKind::opaque: return fill_bytes(random, element);
  }
}

}  // namespace

Shape random_shape(Random& random, std::size_t rank, std::int64_t most) {
  static const std::vector<std::int64_t> few_axes{1,  2,  3,  4,  5,   7,   8,
                                                  13, 17, 31, 64, 101, 131, 257};
  static const std::vector<std::int64_t> many_axes{1, 1, 2, 2, 3, 3, 4, 5, 7, 11};
  Shape shape;
  for (std::size_t axis = 0; axis < rank; ++axis) {
    shape.push_back(random.chance(3) ? 0 : random.among(rank <= 2 ? few_axes : many_axes));
  }
  const auto size = [&] {
    std::int64_t result = 1;
    for (const std::int64_t dim : shape) result *= std::max<std::int64_t>(dim, 1);
    return result;
  };
  while (size() > most) *std::ranges::max_element(shape) /= 2;
  return shape;
}

ElementType random_type(Random& random) {
  if (random.chance(10)) {
    struct Opaque {
      const char* descr;
      std::size_t size;
    };
    const auto [descr, size] = random.among<Opaque>({{"'|S3'", 3},
                                                     {"'<M8[ns]'", 8},
                                                     {"'|V1'", 1},
                                                     {"'<U4'", 16},
                                                     {"[('a', '<f4'), ('b', '|u1')]", 5}});
    return {.dtype = DType::opaque, .size = size, .descr = descr};
  }
  return ElementType::of(static_cast<DType>(random.between(0, 14)));
}

ElementType random_integer_type(Random& random) {
  return ElementType::of(static_cast<DType>(random.between(1, 8)));
}

oracle::Dense random_values(Random& random, const ElementType& type, const Shape& shape) {
  const auto flavour =
      random.among({Flavour::small, Flavour::small, Flavour::special, Flavour::bits,
                    Flavour::near_one, Flavour::near_one, Flavour::mixed});
  oracle::Dense dense = oracle::Dense::zeros(type, shape);
  for (std::size_t i = 0; i < dense.count(); ++i) {
    fill(random, type, flavour, std::span(dense.element(i), type.size));
  }
  return dense;
}

std::vector<std::size_t> random_order(Random& random, std::size_t count) {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t i = count; i > 1; --i) std::swap(order[i - 1], order[random.bits() % i]);
  return order;
}

}  // namespace tscatter::property
