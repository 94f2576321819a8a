// The checks of each form. Not part of the installed interface.
#pragma once

#include <algorithm>
#include <span>

#include "tscatter/core/unreachable.hpp"
#include "tscatter/ops/forms/batched_rows.hpp"
#include "tscatter/ops/forms/elements.hpp"
#include "tscatter/ops/forms/nd.hpp"
#include "tscatter/ops/forms/rows.hpp"
#include "tscatter/ops/forms/slice.hpp"

namespace tscatter::forms {

constexpr std::span<const Check> checks_of(Form form) {
  switch (form) {
    case Form::rows: return rows_checks;
    case Form::nd: return nd_checks;
    case Form::elements: return elements_checks;
    case Form::slice: return slice_checks;
    case Form::batched_rows: return batched_rows_checks;
  }
  unreachable();
}

constexpr bool takes_integers(const Operation& operation) {
  return !operation.index_dtypes.empty() && std::ranges::all_of(operation.index_dtypes, is_integer);
}

// Whether the row has a rule for each check that its calls go through.
constexpr bool has_all_rules(const Operation& operation) {
  const auto has_rule = [&](Check check) { return !operation.label(check).empty(); };
  const bool reduces = std::ranges::any_of(operation.attributes, [](const AttributeInfo& each) {
    return each.type() == AttributeType::reduction;
  });
  const bool has_axis = std::ranges::count(operation.operands, "axis", &OperandInfo::name) > 0;
  const bool takes_all = operation.data_dtypes.size() == all_dtypes.size();
  return std::ranges::all_of(checks_of(operation.form), has_rule) &&
         has_rule(Check::duplicates) ==
             (operation.policies.duplicates == DuplicatePolicy::forbidden) &&
         has_rule(Check::axis_scalar) == has_axis && has_rule(Check::data_dtype) != takes_all &&
         has_rule(Check::reduction_dtype) == reduces;
}

}  // namespace tscatter::forms
