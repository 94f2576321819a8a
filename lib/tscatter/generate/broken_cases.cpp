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

// ---- Indices of a dtype that the operation does not take, in every form with index entries.

template <DType dtype>
constexpr Variant indices_of(std::string_view words) {
  return {Check::indices_dtype, words,
          [](BrokenCall& call) { call.put_zeros("indices", dtype, call.shape("indices")); }};
}

struct IndexVariant {
  DType dtype;
  Variant variant;
};

constexpr std::array index_variants{
    IndexVariant{DType::float32, indices_of<DType::float32>("indices-float32")},
    IndexVariant{DType::float64, indices_of<DType::float64>("indices-float64")},
    IndexVariant{DType::boolean, indices_of<DType::boolean>("indices-bool")},
    IndexVariant{DType::int8, indices_of<DType::int8>("indices-int8")},
    IndexVariant{DType::int16, indices_of<DType::int16>("indices-int16")},
    IndexVariant{DType::int32, indices_of<DType::int32>("indices-int32")},
    IndexVariant{DType::int64, indices_of<DType::int64>("indices-int64")},
    IndexVariant{DType::uint8, indices_of<DType::uint8>("indices-uint8")},
    IndexVariant{DType::uint16, indices_of<DType::uint16>("indices-uint16")},
    IndexVariant{DType::uint32, indices_of<DType::uint32>("indices-uint32")},
    IndexVariant{DType::uint64, indices_of<DType::uint64>("indices-uint64")},
};

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
  std::erase_if(variants, [&](const Variant& each) {
    return each.index_dtype && !takes_indices_of(operation, *each.index_dtype);
  });
  const bool has_indices = !operation.label(Check::indices_dtype).empty();
  for (const auto& [dtype, variant] : index_variants) {
    if (has_indices && !takes_indices_of(operation, dtype)) variants.push_back(variant);
  }
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
