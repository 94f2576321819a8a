#include "tscatter/io/formats/conversion.hpp"

#include <array>

#include "tscatter/core/fail.hpp"
#include "tscatter/io/formats/converted_source.hpp"

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

}  // namespace tscatter
