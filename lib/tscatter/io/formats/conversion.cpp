#include "tscatter/io/formats/conversion.hpp"

#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "tscatter/core/element_bits.hpp"
#include "tscatter/core/fail.hpp"
#include "tscatter/core/round_once.hpp"
#include "tscatter/io/formats/converted_source.hpp"

namespace tscatter {
namespace {

constexpr std::array conversion_rule_rows{
    Rule{"convert.v1", "each value fits the dtype that it is converted to, exactly"},
    Rule{"convert.v2", "values that are converted are of a numeric dtype"},
    Rule{"convert.v3", "each value that is rounded stays within its dtype"},
};

// ---- From any dtype to int64, uint64, float64 or complex128, which hold its values.

constexpr int double_fraction_bits = std::numeric_limits<double>::digits - 1;

template <class Real>
constexpr int fraction_bits = std::numeric_limits<Real>::digits - 1;
template <>
constexpr int fraction_bits<Half> = 10;
template <>
constexpr int fraction_bits<BFloat16> = 7;

template <class Real>
using BitsOf = ElementBits<sizeof(Real)>;

// The bits of infinity.
template <class Real>
constexpr std::uint64_t exponent_mask = ((std::uint64_t{1} << (8 * sizeof(Real) - 1)) - 1) >>
                                        fraction_bits<Real> << fraction_bits<Real>;

// A NaN with the sign and the fraction of another, which is `shift` bits narrower or wider.
template <class To, class From>
To nan_of(From value, int shift) {
  const auto bits = static_cast<std::uint64_t>(std::bit_cast<BitsOf<From>>(value));
  const std::uint64_t fraction = bits & ((std::uint64_t{1} << fraction_bits<From>)-1);
  const std::uint64_t sign = bits >> (8 * sizeof(From) - 1) << (8 * sizeof(To) - 1);
  const std::uint64_t moved = shift < 0 ? fraction >> -shift : fraction << shift;
  return std::bit_cast<To>(static_cast<BitsOf<To>>(sign | exponent_mask<To> | moved));
}

template <class T>
auto widened(T value) {
  if constexpr (is_complex_v<T>) {
    return std::complex<double>(widened(value.real()), widened(value.imag()));
  } else if constexpr (is_real_v<T>) {
    const auto wide = static_cast<double>(value);
    return std::isnan(wide) ? nan_of<double>(value, double_fraction_bits - fraction_bits<T>) : wide;
  } else if constexpr (std::is_signed_v<T>) {
    return static_cast<std::int64_t>(value);
  } else if constexpr (std::is_same_v<T, Bool>) {
    return static_cast<std::uint64_t>(value == Bool{} ? 0 : 1);
  } else {
    return static_cast<std::uint64_t>(value);
  }
}

// ---- And from there to any dtype; nullopt if the value does not fit.

template <class Real>
std::optional<Real> narrowed(double value) {
  if (std::isnan(value)) {
    constexpr int surplus = double_fraction_bits - fraction_bits<Real>;
    const auto nan = nan_of<Real>(value, -surplus);
    const bool keeps_bits =
        std::bit_cast<std::uint64_t>(widened(nan)) == std::bit_cast<std::uint64_t>(value);
    return keeps_bits ? std::optional(nan) : std::nullopt;
  }
  Real narrow{};
  if constexpr (HalfWidth<Real>) {
    narrow = Real(static_cast<float>(value));
  } else {
    narrow = static_cast<Real>(value);
  }
  return static_cast<double>(narrow) == value ? std::optional(narrow) : std::nullopt;
}

template <class Integer>
std::optional<Integer> whole(double value) {
  const double end = std::ldexp(1.0, std::numeric_limits<Integer>::digits);
  const double first = std::is_signed_v<Integer> ? -end : 0;
  if (!(value >= first && value < end) || std::trunc(value) != value) return std::nullopt;
  return static_cast<Integer>(value);
}

template <class Real>
std::optional<Real> real_of(double value) {
  return narrowed<Real>(value);
}
template <class Real, class Integer>
std::optional<Real> real_of(Integer value) {
  const auto wide = static_cast<double>(value);
  return whole<Integer>(wide) == value ? narrowed<Real>(wide) : std::nullopt;
}

template <class To, class Wide>
std::optional<To> exact(Wide value);

template <class Complex, class Wide>
std::optional<Complex> complex_of(Wide value) {
  using Part = typename Complex::value_type;
  if constexpr (is_complex_v<Wide>) {
    const std::optional<Part> real = exact<Part>(value.real());
    const std::optional<Part> imaginary = exact<Part>(value.imag());
    return real && imaginary ? std::optional(Complex(*real, *imaginary)) : std::nullopt;
  } else {
    const std::optional<Part> real = exact<Part>(value);
    return real ? std::optional(Complex(*real, 0)) : std::nullopt;
  }
}

template <class To, class Wide>
std::optional<To> exact(Wide value) {
  if constexpr (is_complex_v<To>) {
    return complex_of<To>(value);
  } else if constexpr (is_complex_v<Wide>) {
    const bool is_real = std::bit_cast<std::uint64_t>(value.imag()) == 0;
    return is_real ? exact<To>(value.real()) : std::nullopt;
  } else if constexpr (std::is_same_v<To, Bool>) {
    const bool fits = value == Wide{0} || value == Wide{1};
    return fits ? std::optional(static_cast<Bool>(value == Wide{1})) : std::nullopt;
  } else if constexpr (is_real_v<To>) {
    return real_of<To>(value);
  } else if constexpr (std::is_same_v<Wide, double>) {
    return whole<To>(value);
  } else {
    return std::in_range<To>(value) ? std::optional(static_cast<To>(value)) : std::nullopt;
  }
}

// ---- The same, rounded to nearest, of two to the even one.

// A NaN stays one, quiet and with what there is room for of its payload.
template <class Real>
Real cut_nan(double value) {
  constexpr std::uint64_t quiet = std::uint64_t{1} << (double_fraction_bits - 1);
  const auto nan = std::bit_cast<double>(std::bit_cast<std::uint64_t>(value) | quiet);
  return nan_of<Real>(nan, fraction_bits<Real> - double_fraction_bits);
}

// Beyond the largest number: nullopt.
template <class Real, class Wide>
std::optional<Real> rounded_real(Wide value) {
  if constexpr (std::is_same_v<Wide, double>) {
    if (std::isnan(value)) return cut_nan<Real>(value);
  }
  Real narrow{};
  if constexpr (!HalfWidth<Real>) {
    narrow = static_cast<Real>(value);
  } else if constexpr (std::is_same_v<Wide, double>) {
    narrow = rounded_once<Real>(value);
  } else {
    narrow = rounded_once<Real>(rounded_to_odd(value));
  }
  return std::isinf(static_cast<double>(narrow)) ? std::nullopt : std::optional(narrow);
}

template <class To, class Wide>
std::optional<To> nearest(Wide value) {
  if (const std::optional<To> fitting = exact<To>(value)) return fitting;
  if constexpr (is_complex_v<To> && is_complex_v<Wide>) {
    using Part = typename To::value_type;
    const std::optional<Part> real = nearest<Part>(value.real());
    const std::optional<Part> imaginary = nearest<Part>(value.imag());
    return real && imaginary ? std::optional(To(*real, *imaginary)) : std::nullopt;
  } else if constexpr (is_complex_v<To>) {
    const auto real = nearest<typename To::value_type>(value);
    return real ? std::optional(To(*real, 0)) : std::nullopt;
  } else if constexpr (is_complex_v<Wide>) {
    const bool is_real = std::bit_cast<std::uint64_t>(value.imag()) == 0;
    return is_real ? nearest<To>(value.real()) : std::nullopt;
  } else if constexpr (is_real_v<To>) {
    return rounded_real<To>(value);
  } else if constexpr (std::is_same_v<Wide, double> && !std::is_same_v<To, Bool>) {
    return whole<To>(std::nearbyint(value));
  } else {
    return std::nullopt;
  }
}

// ---- Pieces of a tensor

template <class Wide>
void narrow(std::span<const Wide> values, DType to, Rounding rounding, std::span<std::byte> into,
            const Misfit& misfit) {
  visit_dtype(to, [&]<class To>() {
    for (std::size_t i = 0; i < values.size(); ++i) {
      const std::optional<To> fitting =
          rounding == Rounding::refused ? exact<To>(values[i]) : nearest<To>(values[i]);
      if (!fitting) {
        misfit(i);
      } else {
        std::memcpy(&into[i * sizeof(To)], &*fitting, sizeof(To));
      }
    }
  });
}

// Both in native byte order.
void convert(std::span<const std::byte> elements, DType from, DType to, Rounding rounding,
             std::span<std::byte> into, const Misfit& misfit) {
  visit_dtype(from, [&]<class From>() {
    std::vector<decltype(widened(From{}))> values;
    values.reserve(elements.size() / sizeof(From));
    for (std::size_t at = 0; at < elements.size(); at += sizeof(From)) {
      From element;
      std::memcpy(&element, &elements[at], sizeof(From));
      values.push_back(widened(element));
    }
    narrow(std::span(std::as_const(values)), to, rounding, into, misfit);
  });
}

}  // namespace

const std::span<const Rule> conversion_rules = conversion_rule_rows;

void require_numeric(const Tensor& tensor) {
  const ElementType& type = tensor.type();
  // convert.v2
  if (type.dtype == DType::opaque) {
    fail(ErrorKind::rule, "convert.v2", tensor.name(),
         "values that are converted must be of a numeric dtype{}, got {}",
         type.size <= 2 ? " (--dtype says which)" : "", to_string(type));
  }
}

Tensor converted(const Tensor& tensor, DType to, const std::atomic<bool>* stop, Progress* progress,
                 Rounding rounding) {
  require_numeric(tensor);
  const ElementType& from = tensor.type();
  if (from.dtype == to) return tensor;
  const ElementType type =
      ElementType::of(to, from.word() > 1 ? from.byte_order : std::endian::little);
  return converted_by(
      tensor, type,
      [from = from.dtype, to, rounding](std::span<const std::byte> elements,
                                        std::span<std::byte> into, const Misfit& misfit) {
        convert(elements, from, to, rounding, into, misfit);
      },
      {.rounds = rounding != Rounding::refused, .stop = stop, .progress = progress});
}

}  // namespace tscatter
