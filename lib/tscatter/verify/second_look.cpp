#include "tscatter/verify/second_look.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <iterator>
#include <variant>

#include "tscatter/core/number.hpp"
#include "tscatter/core/reduction.hpp"
#include "tscatter/orders/element_judge.hpp"
#include "tscatter/reach/reached_terms.hpp"
#include "tscatter/verify/actual_reader.hpp"

namespace tscatter {
namespace {

bool is_of_parts(DType dtype) { return info(dtype).size != info(dtype).word; }

// The number that multiplied updates, in their real dtype.
double alpha_of(const Call& call, DType dtype) {
  const auto alpha = call.operation->attribute<Number>(call.arguments.attributes, "alpha");
  return std::visit([](auto number) { return static_cast<double>(number); },
                    fitted(alpha, dtype).value());
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
  if (variant.is_fused) return is_sum && !is_of_parts(dtype) && call.arguments.unscaled.has_value();
  return variant.accumulation &&
         accumulator_of(dtype, reduction, *variant.accumulation) !=
             accumulator_of(dtype, reduction, operation.policies.accumulation);
}

orders::JudgeOptions with_variant(orders::JudgeOptions options, const Variant& variant,
                                  const Call& call, DType dtype, Reduction reduction) {
  if (variant.is_fused) {
    options.products = orders::Products::fused;
    options.alpha = alpha_of(call, dtype);
  }
  if (variant.divisor) options.rounds_sum = MeanRules{*variant.divisor}.rounds_sum();
  if (!variant.accumulation) return options;
  const bool is_wide = accumulator_of(dtype, reduction, *variant.accumulation) != dtype;
  options.accumulation = is_wide ? *variant.accumulation : Accumulation::each_step;
  return options;
}

orders::Combination combination_of(const Variant& variant, const Call& call) {
  orders::Combination combination =
      tscatter::combination_of(*call.operation, call.arguments.attributes);
  combination.accumulation = variant.accumulation.value_or(combination.accumulation);
  combination.mean.divisor = variant.divisor.value_or(combination.mean.divisor);
  return combination;
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
                      .options = with_variant(options, each, call, dtype, reduction),
                      .takes_any_zero = each.takes_any_zero,
                      .combination = combination_of(each, call)});
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
  begin(variant, judged.first);
  VariantJudge& by = judges_[variant];
  by.judge->judge(with_open(columns_of(by, judged)), second_, orders::Reordered::listed);
  for (const std::uint32_t column : open_) {
    ElementVerdict& second = second_[column];
    if (second.element_class == ElementClass::in_order) second = orders::explained_by_order;
    if (second.element_class >= judged.verdicts[column].element_class) continue;
    second.variant = variants_[variant].number;
    judged.verdicts[column] = second;
  }
}

// Gives the variant's judge the rows of the first one.
void SecondLook::begin(std::size_t variant, const orders::AnyElementJudge& first) {
  VariantJudge& by = judges_[variant];
  if (!by.judge) {
    const JudgedVariant& judged = variants_[variant];
    by.judge = orders::make_any_element_judge(dtype_, reduction_, judged.options);
    by.value.emplace(ElementType::of(dtype_), judged.combination);
  }
  by.judge->begin_rows(static_cast<std::int64_t>(first.rows()));
  for (std::size_t k = 0; k < first.rows(); ++k) {
    by.judge->add_row(first.row(k));
    if (first.has_factors()) by.judge->add_factors(first.factors(k));
  }
}

// The columns with what the variant leaves of them in order, of rounded products, and divides by.
orders::Columns SecondLook::columns_of(VariantJudge& by, const Judged& judged) {
  orders::Columns columns = judged.columns;
  columns.divisor = by.value->divisor_after(static_cast<std::int64_t>(judged.first.rows()));
  by.value->begin({columns.data, columns.count * size_});
  for (std::size_t k = 0; k < judged.first.rows(); ++k) by.value->apply(judged.first.row(k));
  by.value->divide(columns.divisor);
  const std::span<const std::byte> left = by.value->rounded();
  in_order_.assign(left.begin(), left.end());
  columns.in_order = in_order_.data();
  return columns;
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
  for (const VariantJudge& each : judges_) {
    if (each.judge) each.judge->forget();
  }
}

}  // namespace tscatter
