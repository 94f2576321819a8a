#include "tscatter/verify/second_look.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <iterator>
#include <type_traits>
#include <variant>

#include "tscatter/core/reduction.hpp"
#include "tscatter/verify/other_bits.hpp"

namespace tscatter {
namespace {

bool is_of_parts(DType dtype) { return info(dtype).size != info(dtype).word; }

template <class Value>
bool is_one(const Value& value) {
  if constexpr (std::is_arithmetic_v<Value>) {
    return value == Value{1};
  } else if constexpr (requires { value.index(); }) {
    return std::visit([](const auto& held) { return is_one(held); }, value);
  } else {
    return false;
  }
}

// Whether updates are multiplied by a number that may round them.
bool scales_updates(const Call& call) {
  const auto alpha = call.arguments.attributes.find("alpha");
  return alpha != call.arguments.attributes.end() && !is_one(alpha->second);
}

// Whether the variant computes something that the call leaves open.
bool is_another_way(const Variant& variant, const Call& call, DType dtype, Reduction reduction) {
  const Operation& operation = *call.operation;
  const OrderEffect effect = order_effect(reduction, dtype);
  if (variant.takes_any_zero)
    return effect == OrderEffect::extreme && !operation.overridden.contains(Policy::extremes);
  if (variant.takes_any_nan) return false;  // of moves
  if (variant.divisor) {
    return info(reduction).divides && !operation.overridden.contains(Policy::divisor) &&
           *variant.divisor != operation.policies.mean.divisor;
  }
  if (operation.overridden.contains(Policy::accumulation)) return false;
  const bool is_sum = effect == OrderEffect::rounded_sum && !info(reduction).divides;
  if (variant.is_fused) return is_sum && !is_of_parts(dtype) && scales_updates(call);
  return variant.accumulation &&
         accumulator_of(dtype, reduction, *variant.accumulation) !=
             accumulator_of(dtype, reduction, operation.policies.accumulation);
}

orders::JudgeOptions with_variant(orders::JudgeOptions options, const Variant& variant, DType dtype,
                                  Reduction reduction) {
  if (variant.is_fused) options.products = orders::Products::fused;
  if (!variant.accumulation) return options;
  const bool is_wide = accumulator_of(dtype, reduction, *variant.accumulation) != dtype;
  options.accumulation = is_wide ? *variant.accumulation : Accumulation::each_step;
  return options;
}

Division division_of(const Variant& variant, const Call& call, DType dtype, Reduction reduction) {
  const Operation& operation = *call.operation;
  Division division{.reduction = reduction,
                    .initial = operation.initial_value(call.arguments.attributes),
                    .rules = operation.policies.mean,
                    .dtype = dtype};
  division.rules.divisor = variant.divisor.value_or(division.rules.divisor);
  return division;
}

}  // namespace

std::vector<JudgedVariant> judged_variants(const Call& call, DType dtype, Reduction reduction,
                                           const orders::JudgeOptions& options) {
  std::vector<JudgedVariant> judged;
  if (reduction == Reduction::none) return judged;
  std::uint8_t number = 0;
  for (const Variant& each : call.operation->variants) {
    ++number;
    if (!is_another_way(each, call, dtype, reduction)) continue;
    judged.push_back({.number = number,
                      .options = with_variant(options, each, dtype, reduction),
                      .takes_any_zero = each.takes_any_zero,
                      .division = division_of(each, call, dtype, reduction)});
  }
  return judged;
}

SecondLook::SecondLook(DType dtype, Reduction reduction, OtherBits zeros,
                       std::span<const JudgedVariant> variants)
    : dtype_{dtype},
      size_{info(dtype).size},
      reduction_{reduction},
      zeros_{zeros},
      variants_{variants},
      judges_(variants.size()) {}

bool SecondLook::may_change(const Judged& judged) const {
  return std::ranges::any_of(judged.differing, [&](std::uint32_t column) {
    return (!variants_.empty() && is_open(judged.verdicts[column])) ||
           may_change_zeros(judged, column);
  });
}

// Where a bound was exceeded, the sign does not matter.
bool SecondLook::may_change_zeros(const Judged& judged, std::uint32_t column) const {
  const ElementVerdict& verdict = judged.verdicts[column];
  return verdict.element_class == ElementClass::wrong &&
         verdict.deviation == orders::Deviation::none && std::isinf(verdict.share) &&
         zeros_of(judged, column) != 0;
}

unsigned SecondLook::zeros_of(const Judged& judged, std::uint32_t column) const {
  return zero_parts(dtype_, judged.columns.actual + column * size_);
}

void SecondLook::look(const Judged& judged) {
  second_.resize(judged.columns.count);
  for (std::size_t i = 0; i < variants_.size(); ++i) {
    const std::uint8_t number = variants_[i].number;
    if (!variants_[i].takes_any_zero) {
      judge_by(i, judged);
      continue;
    }
    flip_zeros(judged, [&](ElementVerdict& verdict) {
      verdict = {.element_class = ElementClass::rounded,
                 .deviation = orders::Deviation::other_zero,
                 .variant = number};
    });
  }
  flip_zeros(judged, [&](ElementVerdict& verdict) {
    verdict.deviation = orders::Deviation::other_zero;
    if (zeros_ == OtherBits::kept) return;
    verdict.element_class = ElementClass::rounded;
    verdict.share = 0;
  });
}

void SecondLook::judge_by(std::size_t variant, const Judged& judged) {
  open_.clear();
  std::ranges::copy_if(judged.differing, std::back_inserter(open_),
                       [&](std::uint32_t column) { return is_open(judged.verdicts[column]); });
  if (open_.empty()) return;
  const JudgedVariant& by = variants_[variant];
  auto& judge = judges_[variant];
  if (!judge) judge = orders::make_any_element_judge(dtype_, reduction_, by.options);
  judged.first.share_rows(*judge);
  orders::Columns columns = with_open(judged.columns);
  columns.divisor = divisor_of(by.division, columns.updates);
  judge->judge(columns, second_, orders::Reordered::listed);
  for (const std::uint32_t column : open_) {
    if (second_[column].element_class >= judged.verdicts[column].element_class) continue;
    judged.verdicts[column] = second_[column];
    judged.verdicts[column].variant = by.number;
  }
}

// Calls take(verdict) for wrong columns that would be legal if zeros had the other sign: the one of
// either part, or of both.
template <class Take>
void SecondLook::flip_zeros(const Judged& judged, const Take& take) {
  const unsigned all_parts = is_of_parts(dtype_) ? 3 : 1;
  for (unsigned parts = 1; parts <= all_parts; ++parts) {
    open_.clear();
    std::ranges::copy_if(judged.differing, std::back_inserter(open_), [&](std::uint32_t column) {
      return may_change_zeros(judged, column) && (zeros_of(judged, column) & parts) == parts;
    });
    if (open_.empty()) continue;
    const orders::Columns columns = with_open(judged.columns);
    for (const std::uint32_t column : open_)
      negate_parts(dtype_, parts, actual_.data() + column * size_);
    judged.first.judge(columns, second_, orders::Reordered::listed);
    for (const std::uint32_t column : open_) {
      if (is_legal(second_[column].element_class)) take(judged.verdicts[column]);
    }
  }
}

// The columns with the actual values of the open ones alone; the others are in order.
orders::Columns SecondLook::with_open(const orders::Columns& columns) {
  actual_.assign(columns.in_order, columns.in_order + columns.count * size_);
  for (const std::uint32_t column : open_)
    std::memcpy(actual_.data() + column * size_, columns.actual + column * size_, size_);
  orders::Columns open = columns;
  open.actual = actual_.data();
  return open;
}

void SecondLook::forget() {
  for (const auto& judge : judges_) {
    if (judge) judge->forget();
  }
}

}  // namespace tscatter
