#include "tscatter/io/formats/float8_numbers.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "tscatter/core/element_bits.hpp"
#include "tscatter/core/round_once.hpp"
#include "tscatter/core/visit_dtype.hpp"
#include "tscatter/io/formats/conversion.hpp"
#include "tscatter/io/formats/converted_source.hpp"

namespace tscatter {
namespace {

constexpr std::int64_t width = sizeof(float);

class DecodedFloats final : public Source {
 public:
  DecodedFloats(std::shared_ptr<const Source> codes, const Float8& format)
      : codes_{std::move(codes)}, values_{float8_values(format)} {}

  std::int64_t size() const override { return codes_->size() * width; }

  // Any range of bytes, of whole elements or not.
  void read(std::int64_t offset, std::span<std::byte> into) const override {
    const std::int64_t end = offset + static_cast<std::int64_t>(into.size());
    for (std::int64_t at = offset; at < end;) {
      const std::int64_t first = at / width;
      const std::int64_t count = std::min(piece, (end + width - 1) / width - first);
      const std::vector<float> floats = decoded(first, count);
      const std::int64_t skipped = at - first * width;
      const std::int64_t taken = std::min(end - at, count * width - skipped);
      std::memcpy(into.data() + (at - offset),
                  reinterpret_cast<const std::byte*>(floats.data()) + skipped,
                  static_cast<std::size_t>(taken));
      at += taken;
    }
  }
  void check_content(int threads, const std::atomic<bool>* stop) const override {
    codes_->check_content(threads, stop);
  }

 private:
  static constexpr std::int64_t piece = std::int64_t{64} * 1024;  // elements

  std::vector<float> decoded(std::int64_t first, std::int64_t count) const {
    std::vector<std::byte> codes(static_cast<std::size_t>(count));
    codes_->read(first, codes);
    std::vector<float> floats(codes.size());
    std::ranges::transform(codes, floats.begin(), [&](std::byte code) {
      return values_[std::to_integer<std::size_t>(code)];
    });
    return floats;
  }

  std::shared_ptr<const Source> codes_;
  std::array<float, 256> values_;
};

// nullopt: a complex number that has an imaginary part.
template <class T>
std::optional<double> real_number(T value) {
  if constexpr (is_complex_v<T>) {
    const auto imaginary = static_cast<double>(value.imag());
    const bool is_real = imaginary == 0 && !std::signbit(imaginary);
    return is_real ? std::optional(static_cast<double>(value.real())) : std::nullopt;
  } else if constexpr (is_real_v<T>) {
    return static_cast<double>(value);
  } else if constexpr (std::is_same_v<T, Bool>) {
    return value == Bool{} ? 0.0 : 1.0;
  } else {
    return rounded_to_odd(value);
  }
}

class Float8Writer {
 public:
  Float8Writer(const Float8& format, DType from, Rounding rounding)
      : encoder_{format, rounding == Rounding::saturated ? Float8Overflow::saturated
                                                         : Float8Overflow::ends},
        values_{float8_values(format)},
        from_{from},
        rounding_{rounding} {}

  void operator()(std::span<const std::byte> elements, std::span<std::byte> into,
                  const Misfit& misfit) const {
    visit_dtype(from_, [&]<class T>() {
      for (std::size_t i = 0; i < into.size(); ++i) {
        T element;
        std::memcpy(&element, &elements[i * sizeof(T)], sizeof(T));
        const std::optional<double> number = real_number(element);
        const std::uint8_t code = number ? encoder_(*number) : std::uint8_t{0};
        if (!number || !fits(*number, code)) misfit(i);
        into[i] = static_cast<std::byte>(code);
      }
    });
  }

 private:
  // A NaN stays one.
  bool fits(double number, std::uint8_t code) const {
    if (rounding_ != Rounding::refused) return true;
    const auto value = static_cast<double>(values_[code]);
    if (std::isnan(number)) return std::isnan(value);
    return value == number && std::signbit(value) == std::signbit(number);
  }

  Float8Encoder encoder_;
  std::array<float, 256> values_;
  DType from_;
  Rounding rounding_;
};

}  // namespace

Tensor as_float8(const Tensor& tensor, const Float8& format, Rounding rounding,
                 const std::atomic<bool>* stop, Progress* progress) {
  if (float8_of(tensor.type()) == &format) return tensor;
  const Tensor numbers = as_numbers(tensor);
  require_numeric(numbers);
  return converted_by(numbers, element_type_of(format),
                      Float8Writer(format, numbers.type().dtype, rounding),
                      {.stop = stop, .progress = progress});
}

Tensor as_numbers(const Tensor& tensor) {
  const Float8* const format = float8_of(tensor.type());
  if (format == nullptr) return tensor;
  return {
      {.type = ElementType::of(DType::float32), .shape = tensor.shape(), .order = tensor.order()},
      std::make_shared<DecodedFloats>(tensor.shared_source(), *format),
      tensor.name()};
}

}  // namespace tscatter
