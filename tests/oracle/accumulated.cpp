#include "oracle/accumulated.hpp"

#include <algorithm>

namespace tscatter::oracle {
namespace {

// A number of values, as the call divides by it.
std::int64_t divisor_of(const Call& call, std::int64_t values) {
  const ElementType& type = call.operand("data").type;
  const MeanDivisor divisor = call.row().policies.mean.divisor;
  if (divisor == MeanDivisor::exact) return values;
  if (is_integer(type.dtype)) {
    std::vector<std::byte> count(type.size);
    store_integer(type.dtype, values, count.data());
    const auto wrapped = static_cast<std::int64_t>(load_integer(type.dtype, count.data()));
    return wrapped == 0 ? 1 : wrapped;
  }
  const RealFormat format = format_of(type.dtype);
  if (divisor == MeanDivisor::stalling)
    return std::min(values, std::int64_t{1} << (format.mantissa + 1));
  return static_cast<std::int64_t>(decoded(format, encoded(format, static_cast<double>(values))));
}

// The attribute alpha in data's type, if it changes anything.
std::optional<std::vector<std::byte>> factor_of(const Call& call) {
  if (call.row().find_attribute("alpha") == nullptr) return std::nullopt;
  const auto alpha = call.row().attribute<Number>(call.attributes, "alpha");
  if (alpha == Number(std::int64_t{1}) || alpha == Number(1.0)) return std::nullopt;
  return element_of_number(call.operand("data").type, alpha);
}

}  // namespace

std::vector<std::byte> scaled(const Call& call, const std::byte* update) {
  const ElementType& type = call.operand("data").type;
  std::vector<std::byte> product{update, update + type.size};
  if (const auto factor = factor_of(call))
    combine(type, Reduction::prod, product.data(), factor->data());
  return product;
}

ElementType accumulator_of(const Call& call) {
  const ElementType& type = call.operand("data").type;
  if (!is_arithmetic(call.reduction()) || info(type.dtype).kind != DTypeKind::real) return type;
  const Accumulation wanted = call.row().policies.accumulation;
  if (wanted == Accumulation::float64) return ElementType::of(DType::float64);
  const bool is_half = type.size == 2;
  return wanted == Accumulation::float32 && is_half ? ElementType::of(DType::float32) : type;
}

Accumulated::Accumulated(const Call& call, std::size_t element)
    : call_{call},
      reduction_{call.reduction()},
      type_{call.operand("data").type},
      wide_{accumulator_of(call)},
      factor_{factor_of(call)},
      value_{converted(type_, start_of(call, element).data(), wide_)} {}

void Accumulated::add(const std::byte* update) {
  ++updates_;
  if (!factor_ && wide_ == type_) return combine(type_, reduction_, value_.data(), update);
  std::vector<std::byte> product{update, update + type_.size};
  if (factor_) combine(type_, Reduction::prod, product.data(), factor_->data());
  combine(wide_, reduction_, value_.data(), converted(type_, product.data(), wide_).data());
}

std::vector<std::byte> Accumulated::rounded() const {
  return converted(wide_, value_.data(), type_);
}

std::vector<std::byte> Accumulated::finished() const {
  if (!divides(reduction_) || updates_ == 0) return rounded();
  const MeanRules& mean = call_.row().policies.mean;
  const bool is_exact = mean.divisor == MeanDivisor::exact;
  const ElementType& type = is_exact ? wide_ : type_;
  std::vector<std::byte> quotient = is_exact ? value_ : rounded();
  const auto values = static_cast<std::int64_t>(updates_) + (call_.excludes_data() ? 0 : 1);
  divide(type, reduction_, quotient.data(), divisor_of(call_, values), mean.quotient);
  return converted(type, quotient.data(), type_);
}

std::vector<std::byte> start_of(const Call& call, std::size_t element) {
  const Dense& data = call.operand("data");
  const InitialValue initial = call.row().policies.initial.value_or(call.row().excluded);
  if (call.excludes_data() && initial.kind == InitialValue::Kind::number)
    return element_of_number(data.type, initial.number);
  if (call.excludes_data())
    return identity_of(data.type, call.reduction(), initial == InitialValue::infinite);
  return {data.element(element), data.element(element) + data.type.size};
}

}  // namespace tscatter::oracle
