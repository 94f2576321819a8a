#include "tscatter/io/formats/conversion.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "tscatter/core/byte_order.hpp"
#include "tscatter/core/element_bits.hpp"
#include "tscatter/core/fail.hpp"
#include "tscatter/core/numbering.hpp"
#include "tscatter/io/formats/element_value.hpp"

namespace tscatter {
namespace {

constexpr std::array rules{
    Rule{"convert.v1", "each value fits the dtype that it is converted to, exactly"},
    Rule{"convert.v2", "values that are converted are of a numeric dtype"},
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

// ---- Pieces of a tensor

// Is told the number of each element that does not fit.
using Misfit = std::function<void(std::size_t)>;

template <class Wide>
void narrow(std::span<const Wide> values, DType to, std::span<std::byte> into,
            const Misfit& misfit) {
  visit_dtype(to, [&]<class To>() {
    for (std::size_t i = 0; i < values.size(); ++i) {
      const std::optional<To> fitting = exact<To>(values[i]);
      if (!fitting) {
        misfit(i);
      } else {
        std::memcpy(&into[i * sizeof(To)], &*fitting, sizeof(To));
      }
    }
  });
}

// Both in native byte order.
void convert(std::span<const std::byte> elements, DType from, DType to, std::span<std::byte> into,
             const Misfit& misfit) {
  visit_dtype(from, [&]<class From>() {
    std::vector<decltype(widened(From{}))> values;
    values.reserve(elements.size() / sizeof(From));
    for (std::size_t at = 0; at < elements.size(); at += sizeof(From)) {
      From element;
      std::memcpy(&element, &elements[at], sizeof(From));
      values.push_back(widened(element));
    }
    narrow(std::span(std::as_const(values)), to, into, misfit);
  });
}

class ConvertedSource final : public Source {
 public:
  ConvertedSource(Tensor from, ElementType to) : from_{std::move(from)}, to_{std::move(to)} {}

  std::int64_t size() const override { return from_.count() * element_size(); }

  void read(std::int64_t offset, std::span<std::byte> into) const override {
    while (!into.empty()) {
      const std::int64_t first = offset / element_size();
      const std::vector<std::byte> elements =
          converted(first, [&](std::size_t i) { refuse(first + static_cast<std::int64_t>(i)); });
      const auto skipped = static_cast<std::size_t>(offset % element_size());
      const std::size_t bytes = std::min(into.size(), elements.size() - skipped);
      std::memcpy(into.data(), &elements[skipped], bytes);
      into = into.subspan(bytes);
      offset += static_cast<std::int64_t>(bytes);
    }
  }

  void check_content(int threads, const std::atomic<bool>* stop) const override {
    from_.source().check_content(threads, stop);
  }

  // Refuses the first value in row-major order that does not fit.
  void check(const std::atomic<bool>* stop, Progress* progress) const {
    if (progress != nullptr) progress->begin(from_.byte_size());
    const Numbering numbering(from_.shape(), from_.order());
    std::optional<std::int64_t> wrong;
    for (std::int64_t first = 0; first < from_.count(); first += piece) {
      if (stop != nullptr && *stop) throw Cancelled();
      converted(first, [&](std::size_t i) {
        const std::int64_t number = first + static_cast<std::int64_t>(i);
        if (!wrong || numbering.is_before(number, *wrong)) wrong = number;
      });
      if (progress != nullptr)
        progress->add(std::min(piece, from_.count() - first) *
                      static_cast<std::int64_t>(from_.type().size));
      if (wrong && numbering.is_row_major()) break;
    }
    if (wrong) refuse(*wrong);
  }

 private:
  static constexpr std::int64_t piece = std::int64_t{64} * 1024;  // elements

  std::int64_t element_size() const { return static_cast<std::int64_t>(to_.size); }

  // A piece from this element on, in the order of the file.
  std::vector<std::byte> converted(std::int64_t first, const Misfit& misfit) const {
    const auto count = static_cast<std::size_t>(std::min(piece, from_.count() - first));
    std::vector<std::byte> elements(count * from_.type().size);
    read_elements(from_, first, elements);
    std::vector<std::byte> into(count * to_.size);
    convert(elements, from_.type().dtype, to_.dtype, into, misfit);
    turn_elements(into, ElementType::of(to_.dtype), to_.byte_order);
    return into;
  }

  [[noreturn]] void refuse(std::int64_t number) const {
    std::vector<std::byte> element(from_.type().size);
    read_elements(from_, number, element);
    const Numbering numbering(from_.shape(), from_.order());
    const std::string place =
        from_.rank() == 0 ? "the value"
                          : "the value at " + tscatter::to_string(numbering.position(number));
    // convert.v1
    fail(ErrorKind::rule, "convert.v1", from_.name(), "{} must fit {} exactly, got {}", place,
         info(to_.dtype).name, json_text(element, from_.type().dtype));
  }

  Tensor from_;
  ElementType to_;
};

}  // namespace

const std::span<const Rule> conversion_rules = rules;

Tensor converted(const Tensor& tensor, DType to, const std::atomic<bool>* stop,
                 Progress* progress) {
  const ElementType& from = tensor.type();
  // convert.v2
  if (from.dtype == DType::opaque) {
    fail(ErrorKind::rule, "convert.v2", tensor.name(),
         "values that are converted must be of a numeric dtype{}, got {}",
         from.size <= 2 ? " (--dtype says which)" : "", to_string(from));
  }
  if (from.dtype == to) return tensor;
  const ElementType type =
      ElementType::of(to, from.word() > 1 ? from.byte_order : std::endian::little);
  auto source = std::make_shared<ConvertedSource>(tensor, type);
  TensorHeader header = tensor.header();
  header.type = type;
  Tensor result(header, source, tensor.name());
  source->check(stop, progress);
  return result;
}

}  // namespace tscatter
