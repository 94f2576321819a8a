#include "tscatter/io/formats/conversion.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tscatter/core/byte_order.hpp"
#include "tscatter/core/fail.hpp"
#include "tscatter/core/shape.hpp"
#include "tscatter/io/formats/text/element_value.hpp"
#include "tscatter/views/cast.hpp"
#include "tscatter/views/converted_elements.hpp"

namespace tscatter {
namespace {

constexpr std::array conversion_rule_rows{
    Rule{"convert.v1", "each value fits the dtype that it is converted to, exactly"},
    Rule{"convert.v2", "values that are converted are of a numeric dtype"},
    Rule{"convert.v3", "each value that is rounded stays within its dtype"},
};

ConversionFit worst_fit(Rounding rounding, Misfits misfits) {
  if (misfits == Misfits::converted) return ConversionFit::lost;
  return rounding == Rounding::refused ? ConversionFit::exact : ConversionFit::rounded;
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

Tensor converted(const Tensor& tensor, DType to, StopFlag stop, Progress* progress,
                 Rounding rounding, Misfits misfits) {
  require_numeric(tensor);
  const ElementType& from = tensor.type();
  if (from.dtype == to) return tensor;
  const ElementType type =
      ElementType::of(to, from.word() > 1 ? from.byte_order : std::endian::little);
  const bool is_plain_cast = rounding == Rounding::refused && misfits == Misfits::converted;
  const ToInteger to_integer = is_plain_cast ? ToInteger::toward_zero : ToInteger::nearest;
  return converted_by(tensor, type, ElementConverter(from, type, to_integer),
                      {.worst = worst_fit(rounding, misfits),
                       .rounds = rounding != Rounding::refused,
                       .stop = stop,
                       .progress = progress});
}

namespace {

class FittingElements final : public ConvertedElements {
 public:
  FittingElements(Tensor from, const ElementType& to, const ElementConverter& converter,
                  const ConversionRun& run)
      : ConvertedElements(std::move(from), to, converter), run_{run} {}

  // Refuses the first value in row-major order that does not fit.
  void check() const {
    const Parallelism all_cores{.threads = 0, .stop = run_.stop, .progress = run_.progress};
    const Numbering numbering(from().shape(), from().order());
    std::optional<std::int64_t> wrong;
    std::mutex finding;
    convert_all(all_cores, [&](const Piece& piece) {
      if (piece.counts.worst() <= run_.worst) return true;
      const std::scoped_lock lock(finding);
      for (std::int64_t i = piece.first; i < piece.first + piece.count; ++i) {
        const bool is_first = !wrong || numbering.is_before(i, *wrong);
        if (is_first && fit(i) > run_.worst) wrong = i;
      }
      return !numbering.is_row_major();
    });
    if (wrong) refuse(*wrong);
  }

 protected:
  void accept(const Piece& piece) const override {
    if (piece.counts.worst() <= run_.worst) return;
    for (std::int64_t i = piece.first; i < piece.first + piece.count; ++i) {
      if (fit(i) > run_.worst) refuse(i);
    }
  }

 private:
  [[noreturn]] void refuse(std::int64_t number) const {
    std::vector<std::byte> element(from().type().size);
    read_elements(from(), number, element);
    const Numbering numbering(from().shape(), from().order());
    const std::string place =
        from().rank() == 0 ? "the value"
                           : "the value at " + tscatter::to_string(numbering.position(number));
    const std::string got = json_text(element, from().type().dtype);
    // convert.v3
    if (run_.rounds) {
      fail(ErrorKind::rule, "convert.v3", from().name(),
           "{} must round to a number of {} ({}), got {}", place, to_string(to()), way_out(number),
           got);
    }
    // convert.v1
    fail(ErrorKind::rule, "convert.v1", from().name(), "{} must fit {} exactly ({}), got {}", place,
         to_string(to()), way_out(number), got);
  }

  // What to do about a value that does not fit.
  std::string_view way_out(std::int64_t number) const {
    const bool can_be_rounded = !run_.rounds && fit(number) <= run_.worst_rounded;
    return can_be_rounded ? "--round nearest" : "--cast unsafe";
  }

  ConversionRun run_;
};

}  // namespace

Tensor converted_by(const Tensor& tensor, const ElementType& to, const ElementConverter& converter,
                    const ConversionRun& run) {
  auto source = std::make_shared<FittingElements>(tensor, to, converter, run);
  TensorHeader header = tensor.header();
  header.type = to;
  Tensor result(header, source, tensor.name());
  const bool always_fits =
      run.worst == ConversionFit::lost || is_exact_cast(tensor.type(), result.type());
  if (!always_fits) source->check();
  return result;
}

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
