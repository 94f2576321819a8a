#include "tscatter/generate/broken_cases.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "tscatter/core/unreachable.hpp"
#include "tscatter/generate/broken_call.hpp"

namespace tscatter::generate {
namespace {

const BrokenForm& broken_form(Form form) {
  switch (form) {
    case Form::rows: return broken_rows;
    case Form::nd: return broken_nd;
    case Form::slice: return broken_slice;
  }
  unreachable();
}

// ---- A reduction that is not defined for the dtype, in every form.

void complex_with(BrokenCall& call, Reduction reduction) {
  for (const std::string_view operand : {"data", "updates"}) {
    call.put_values(operand, DType::complex64, call.shape(operand));
  }
  call.reduce_by(reduction);
}

void complex_min(BrokenCall& call) { complex_with(call, Reduction::min); }
void complex_max(BrokenCall& call) { complex_with(call, Reduction::max); }

void records_with(BrokenCall& call, Reduction reduction) {
  call.put_records();
  call.reduce_by(reduction);
}

void records_sum(BrokenCall& call) { records_with(call, Reduction::sum); }
void records_max(BrokenCall& call) { records_with(call, Reduction::max); }

struct ReductionVariant {
  Reduction reduction;
  Variant variant;
};

constexpr std::array reduction_variants{
    ReductionVariant{Reduction::min, {Check::reduction_dtype, "complex-min", complex_min}},
    ReductionVariant{Reduction::max, {Check::reduction_dtype, "complex-max", complex_max}},
    ReductionVariant{Reduction::sum, {Check::reduction_dtype, "records-sum", records_sum}},
    ReductionVariant{Reduction::max, {Check::reduction_dtype, "records-max", records_max}},
};

std::vector<Variant> variants_of(const Operation& operation) {
  const std::span<const Variant> of_form = broken_form(operation.form).variants;
  std::vector<Variant> variants(of_form.begin(), of_form.end());
  const std::vector<Reduction> reductions = operation.reductions();
  for (const auto& [reduction, variant] : reduction_variants) {
    if (std::ranges::count(reductions, reduction) > 0) variants.push_back(variant);
  }
  return variants;
}

}  // namespace

GeneratedCase broken_case(const Setting& setting) {
  const Operation& operation = *setting.operation;
  const std::vector<Variant> variants = variants_of(operation);
  const Variant& variant = variants[setting.draws.turn(Stream::variant, variants.size())];
  BrokenCall call(setting);
  broken_form(operation.form).begin(call);
  variant.break_rule(call);
  GeneratedCase made = std::move(call).made();
  made.expected_error = operation.label(variant.check);
  const std::size_t number = made.expected_error.rfind('.') + 1;
  made.name = fmt::format("{}-{}", made.expected_error.substr(number), variant.words);
  return made;
}

std::size_t broken_variants(const Operation& operation) { return variants_of(operation).size(); }

}  // namespace tscatter::generate
