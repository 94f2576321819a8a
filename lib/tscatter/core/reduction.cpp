#include "tscatter/core/reduction.hpp"

#include <algorithm>

#include "tscatter/core/characters.hpp"
#include "tscatter/core/fail.hpp"

namespace tscatter {

std::optional<Reduction> reduction_from_name(std::string_view name) {
  if (name.empty()) return std::nullopt;
  for (const ReductionInfo& each : reduction_table) {
    const auto is_meant = [&](std::string_view known) { return equal_ignoring_case(known, name); };
    if (is_meant(each.name) || std::ranges::any_of(each.aliases, is_meant)) return each.reduction;
  }
  return std::nullopt;
}

bool is_defined(Reduction reduction, DType dtype) {
  const DTypeKind kind = info(dtype).kind;
  switch (info(reduction).needs) {
    case Needs::bytes: return true;
    case Needs::values: return kind != DTypeKind::opaque;
    case Needs::order: return kind != DTypeKind::opaque && kind != DTypeKind::complex;
    case Needs::number: return is_integer(dtype) || kind == DTypeKind::real;
    case Needs::bits: return is_integer(dtype) || dtype == DType::boolean;
    case Needs::reals: return kind == DTypeKind::real;
  }
  unreachable();
}

OrderEffect order_effect(Reduction reduction, DType dtype) {
  const bool is_exact = dtype == DType::boolean || is_integer(dtype);
  const OrderEffect effect = info(reduction).effect;
  return is_exact && effect != OrderEffect::last_stays ? OrderEffect::nothing : effect;
}

DType accumulator_of(DType dtype, Reduction reduction, Accumulation accumulation) {
  const OrderEffect effect = info(reduction).effect;
  const bool rounds = effect == OrderEffect::rounded_sum || effect == OrderEffect::rounded_prod;
  if (!rounds || info(dtype).kind != DTypeKind::real) return dtype;
  const auto wider = [&](DType other) {
    return info(other).size > info(dtype).size ? other : dtype;
  };
  switch (accumulation) {
    case Accumulation::each_step: return dtype;
    case Accumulation::float32: return wider(DType::float32);
    case Accumulation::float64: return wider(DType::float64);
  }
  unreachable();
}

}  // namespace tscatter
