// The table of forms: the checks and the lowering of each. Not part of the installed interface.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>

#include "tscatter/ops/forms/batched_rows.hpp"
#include "tscatter/ops/forms/elements.hpp"
#include "tscatter/ops/forms/nd.hpp"
#include "tscatter/ops/forms/rows.hpp"
#include "tscatter/ops/forms/slice.hpp"
#include "tscatter/ops/forms/start.hpp"
#include "tscatter/ops/forms/windows.hpp"

namespace tscatter::forms {

// What a form is to the operations that have it.
struct FormInfo {
  Form form;
  std::span<const Check> checks;  // that its calls go through
  void (*validate)(const Operation&, const Arguments&);
  LoweredPlan (*lower)(const Operation&, const Arguments&, const Parallelism&);
  bool repeats_places;  // whether two updates of a call can have one destination
  // The shape that the other operands ask of updates; nullptr: they leave it open.
  Shape (*updates_shape)(const Operation&, const Arguments&);
  // The lowering for the engine, if it has one of its own: entries may be left in indices.
  LoweredPlan (*lower_for_run)(const Operation&, const Arguments&, const Parallelism&) = nullptr;
};

inline constexpr std::array form_table{
    FormInfo{Form::rows, rows_checks, validate_rows, lower_rows, true, updates_of_rows},
    FormInfo{Form::nd, nd_checks, validate_nd, lower_nd, true, updates_of_nd},
    FormInfo{Form::elements, elements_checks, validate_elements, lower_elements, true,
             updates_of_elements, lower_elements_indexed},
    FormInfo{Form::window, windows_checks, validate_windows, lower_windows, true, nullptr},
    FormInfo{Form::start, start_checks, validate_start, lower_start, false, nullptr},
    FormInfo{Form::slice, slice_checks, validate_slice, lower_slice, false, updates_of_slice},
    FormInfo{Form::batched_rows, batched_rows_checks, validate_batched_rows, lower_batched_rows,
             true, updates_of_batched_rows},
};

static_assert(detail::in_enum_order(form_table, &FormInfo::form), "form_table is indexed by Form");

constexpr const FormInfo& info(Form form) { return form_table[static_cast<std::size_t>(form)]; }

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
  return std::ranges::all_of(info(operation.form).checks, has_rule) &&
         has_rule(Check::duplicates) ==
             (operation.policies.duplicates == DuplicatePolicy::forbidden) &&
         has_rule(Check::axis_scalar) == has_axis && has_rule(Check::data_dtype) != takes_all &&
         has_rule(Check::reduction_dtype) == reduces;
}

}  // namespace tscatter::forms
