#include "tscatter/generate/broken_cases.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "tscatter/generate/form_cases.hpp"

namespace tscatter::generate {
namespace {

// ---- Indices of a dtype that the operation does not take, in every form with index entries.

template <DType dtype>
void indices_of(BrokenCall& call) {
  call.put_zeros("indices", dtype, call.shape("indices"));
}

template <DType dtype>
bool refuses_indices_of(const Operation& operation) {
  const bool has_indices = !operation.label(Check::indices_dtype).empty();
  return has_indices && !takes_indices_of(operation, dtype);
}

template <DType dtype>
constexpr Variant index_variant(std::string_view words) {
  return {Check::indices_dtype, words, indices_of<dtype>, refuses_indices_of<dtype>};
}

constexpr std::array index_variants{index_variant<DType::float32>("indices-float32"),
                                    index_variant<DType::float64>("indices-float64"),
                                    index_variant<DType::boolean>("indices-bool"),
                                    index_variant<DType::int8>("indices-int8"),
                                    index_variant<DType::int16>("indices-int16"),
                                    index_variant<DType::int32>("indices-int32"),
                                    index_variant<DType::int64>("indices-int64"),
                                    index_variant<DType::uint8>("indices-uint8"),
                                    index_variant<DType::uint16>("indices-uint16"),
                                    index_variant<DType::uint32>("indices-uint32"),
                                    index_variant<DType::uint64>("indices-uint64")};

// ---- Data of a dtype that the operation does not take, in every form.

template <DType dtype>
void data_of(BrokenCall& call) {
  for (const std::string_view operand : {"data", "updates"})
    call.put_values(operand, dtype, call.shape(operand));
}

template <DType dtype>
bool refuses_data_of(const Operation& operation) {
  return !takes_data_of(operation, dtype);
}

template <DType dtype>
constexpr Variant data_variant(std::string_view words) {
  return {Check::data_dtype, words, data_of<dtype>, refuses_data_of<dtype>};
}

constexpr std::array data_variants{
    data_variant<DType::bfloat16>("data-bfloat16"), data_variant<DType::uint8>("data-uint8"),
    data_variant<DType::float64>("data-float64"), data_variant<DType::complex64>("data-complex64")};

// ---- A reduction that is not defined for the dtype, in every form.

// Opaque elements are records.
template <DType dtype, Reduction reduction>
void reduced(BrokenCall& call) {
  if constexpr (dtype == DType::opaque) {
    call.put_records();
  } else {
    data_of<dtype>(call);
  }
  call.reduce_by(reduction);
}

template <Reduction reduction>
bool has_reduction(const Operation& operation) {
  return std::ranges::count(operation.reductions(), reduction) > 0;
}

template <DType dtype, Reduction reduction>
constexpr Variant reduction_variant(std::string_view words) {
  return {Check::reduction_dtype, words, reduced<dtype, reduction>, has_reduction<reduction>};
}

constexpr std::array reduction_variants{
    reduction_variant<DType::complex64, Reduction::min>("complex-min"),
    reduction_variant<DType::complex64, Reduction::max>("complex-max"),
    reduction_variant<DType::opaque, Reduction::sum>("records-sum"),
    reduction_variant<DType::opaque, Reduction::max>("records-max"),
    reduction_variant<DType::boolean, Reduction::mean>("bool-mean"),
    reduction_variant<DType::complex64, Reduction::mean>("complex-mean"),
};

// ---- Entries that name one place, in every form whose entries can.

void indices_alike(BrokenCall& call) {
  call.put_zeros("indices", call.dtype("indices"), call.shape("indices"));
}

// By a policy: the operation has no rule of its own.
bool only_policy_refuses_duplicates(const Operation& operation) {
  return operation.label(Check::duplicates).empty() && forms::info(operation.form).repeats_places;
}

constexpr std::array duplicate_variants{
    Variant{Check::duplicates, "indices-alike", indices_alike, only_policy_refuses_duplicates}};

std::string_view label_of(const Operation& operation, Check check) {
  const std::string_view label = operation.label(check);
  return label.empty() && check == Check::duplicates ? "operation.o6" : label;
}

// Whether the operation's policies refuse what fails the check.
bool is_refused(const Operation& operation, Check check) {
  const Policies& policies = operation.policies;
  if (check == Check::index_range) return policies.outside == OutsideIndex::error;
  if (check == Check::duplicates) return policies.duplicates == DuplicatePolicy::forbidden;
  return true;
}

// The variants of the form, then those that every form has.
std::vector<Variant> variants_of(const Operation& operation) {
  std::vector<Variant> variants;
  for (const std::span<const Variant> some :
       {cases_of(operation.form).broken->variants, std::span<const Variant>(data_variants),
        std::span<const Variant>(index_variants), std::span<const Variant>(reduction_variants),
        std::span<const Variant>(duplicate_variants)}) {
    variants.insert(variants.end(), some.begin(), some.end());
  }
  std::erase_if(variants, [&](const Variant& each) {
    const bool is_any = each.is_broken == nullptr || each.is_broken(operation);
    return label_of(operation, each.check).empty() || !is_any || !is_refused(operation, each.check);
  });
  return variants;
}

}  // namespace

GeneratedCase broken_case(const Setting& setting) {
  const Operation& operation = *setting.operation;
  const std::vector<Variant> variants = variants_of(operation);
  const Variant& variant = variants[setting.draws.turn(Stream::variant, variants.size())];
  BrokenCall call(setting);
  cases_of(operation.form).broken->begin(call);
  variant.break_rule(call);
  GeneratedCase made = std::move(call).made();
  made.expected_error = label_of(operation, variant.check);
  const std::size_t number = made.expected_error.rfind('.') + 1;
  made.name = fmt::format("{}-{}", made.expected_error.substr(number), variant.words);
  return made;
}

std::size_t broken_variants(const Operation& operation) { return variants_of(operation).size(); }

}  // namespace tscatter::generate
