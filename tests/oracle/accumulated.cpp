#include "oracle/accumulated.hpp"

namespace tscatter::oracle {

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
      value_{converted(type_, start_of(call, element).data(), wide_)} {}

void Accumulated::add(const std::byte* update) {
  combine(wide_, reduction_, value_.data(), converted(type_, update, wide_).data());
  ++updates_;
}

std::vector<std::byte> Accumulated::rounded() const {
  return converted(wide_, value_.data(), type_);
}

std::vector<std::byte> Accumulated::finished() const {
  if (!divides(reduction_) || updates_ == 0) return rounded();
  std::vector<std::byte> quotient = value_;
  const auto values = static_cast<std::int64_t>(updates_) + (call_.excludes_data() ? 0 : 1);
  divide(wide_, quotient.data(), values);
  return converted(wide_, quotient.data(), type_);
}

std::vector<std::byte> start_of(const Call& call, std::size_t element) {
  const Dense& data = call.operand("data");
  const auto& initial = call.row().policies.initial;
  if (call.excludes_data() && initial && initial->kind == InitialValue::Kind::number)
    return element_of_number(data.type, initial->number);
  if (call.excludes_data()) return identity_of(data.type, call.reduction());
  return {data.element(element), data.element(element) + data.type.size};
}

}  // namespace tscatter::oracle
