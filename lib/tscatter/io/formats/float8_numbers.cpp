#include "tscatter/io/formats/float8_numbers.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

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
  void check_content(const Parallelism& parallelism) const override {
    codes_->check_content(parallelism);
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

ConversionFit worst_fit_of_float8(Rounding rounding, Misfits misfits) {
  if (misfits == Misfits::converted) return ConversionFit::lost;
  return rounding == Rounding::refused ? ConversionFit::exact : ConversionFit::overflowed;
}

}  // namespace

Tensor as_float8(const Tensor& tensor, const Float8& format, Rounding rounding, StopFlag stop,
                 Progress* progress, Misfits misfits) {
  if (float8_of(tensor.type()) == &format) return tensor;
  const Tensor numbers = as_numbers(tensor);
  require_numeric(numbers);
  const ElementType to = element_type_of(format);
  const Float8Overflow overflow =
      rounding == Rounding::saturated ? Float8Overflow::saturated : Float8Overflow::ends;
  return converted_by(numbers, to,
                      ElementConverter(numbers.type(), to, ToInteger::nearest, overflow),
                      {.worst = worst_fit_of_float8(rounding, misfits),
                       .worst_rounded = ConversionFit::overflowed,
                       .stop = stop,
                       .progress = progress});
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
