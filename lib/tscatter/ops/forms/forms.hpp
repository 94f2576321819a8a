// The table of forms: the checks and the lowering of each. Not part of the installed interface.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>

#include "tscatter/ops/operation.hpp"
#include "tscatter/plan/lowered_plan.hpp"

namespace tscatter::forms {

// The form batched_rows: data [N, K, C], indices [N, W], updates [N, W, C]: each index is a
// position along axis 1 of data, within its own batch.
inline constexpr std::array batched_rows_checks{
    Check::data_rank,     Check::indices_rank,  Check::indices_dtype, Check::indices_shape,
    Check::updates_shape, Check::updates_dtype, Check::index_range};

void validate_batched_rows(const Operation& operation, const Arguments& arguments);

// REQUIRES: every rule holds, except for rules on updates.
Shape updates_of_batched_rows(const Operation& operation, const Arguments& arguments);

// REQUIRES: validate_batched_rows passed.
LoweredPlan lower_batched_rows(const Operation& operation, const Arguments& arguments,
                               const Parallelism& parallelism);

// The form elements: each element of updates goes to its own place in data, but along one axis to
// the position that indices name.
inline constexpr std::array elements_checks{
    Check::data_rank,     Check::indices_rank,  Check::axis_range,    Check::indices_dtype,
    Check::indices_shape, Check::updates_shape, Check::updates_dtype, Check::index_range};

void validate_elements(const Operation& operation, const Arguments& arguments);

// REQUIRES: every rule holds, except for rules on updates.
Shape updates_of_elements(const Operation& operation, const Arguments& arguments);

// REQUIRES: validate_elements passed.
LoweredPlan lower_elements(const Operation& operation, const Arguments& arguments,
                           const Parallelism& parallelism);

// The same for the engine, without a list of the entries where they suit that.
LoweredPlan lower_elements_indexed(const Operation& operation, const Arguments& arguments,
                                   const Parallelism& parallelism);

// The form nd: each entry, a row along the last axis of indices, has coordinates for the first
// axes of data, and the entry's slice of updates goes there.
inline constexpr std::array nd_checks{
    Check::data_rank,     Check::indices_rank,  Check::index_depth,  Check::index_range,
    Check::indices_dtype, Check::updates_shape, Check::updates_dtype};

void validate_nd(const Operation& operation, const Arguments& arguments);

// REQUIRES: every rule holds, except for rules on updates.
Shape updates_of_nd(const Operation& operation, const Arguments& arguments);

// REQUIRES: validate_nd passed.
LoweredPlan lower_nd(const Operation& operation, const Arguments& arguments,
                     const Parallelism& parallelism);

// The form rows: each index is a position along one axis of data, and its part of updates goes
// there.
inline constexpr std::array rows_checks{Check::data_rank,     Check::axis_range,
                                        Check::index_range,   Check::indices_dtype,
                                        Check::updates_shape, Check::updates_dtype};

void validate_rows(const Operation& operation, const Arguments& arguments);

// REQUIRES: every rule holds, except for rules on updates.
Shape updates_of_rows(const Operation& operation, const Arguments& arguments);

// REQUIRES: validate_rows passed.
LoweredPlan lower_rows(const Operation& operation, const Arguments& arguments,
                       const Parallelism& parallelism);

// The form slice: updates replace a slice of data, given by start, stop and step along some axes.
inline constexpr std::array slice_checks{
    Check::data_rank,     Check::list_rank,     Check::list_dtype,
    Check::list_length,   Check::step_not_zero, Check::axes_range,
    Check::axes_distinct, Check::updates_shape, Check::updates_dtype};

void validate_slice(const Operation& operation, const Arguments& arguments);

// REQUIRES: every rule holds, except for rules on updates.
Shape updates_of_slice(const Operation& operation, const Arguments& arguments);

// REQUIRES: validate_slice passed.
LoweredPlan lower_slice(const Operation& operation, const Arguments& arguments,
                        const Parallelism& parallelism);

// The form start: indices have one number for each position along data's first axis, the batch:
// where along another axis the batch's part of updates begins.
inline constexpr std::array start_checks{
    Check::data_rank,     Check::axis_range,    Check::indices_dtype, Check::indices_shape,
    Check::updates_shape, Check::updates_dtype, Check::index_range};

void validate_start(const Operation& operation, const Arguments& arguments);

// With the attribute mode = circular, positions wrap around at the end of the axis. REQUIRES:
// validate_start passed.
LoweredPlan lower_start(const Operation& operation, const Arguments& arguments,
                        const Parallelism& parallelism);

// The form window: the call gives the dimension numbers of StableHLO's scatter as operands.
inline constexpr std::array windows_checks{
    Check::data_rank,     Check::list_rank,     Check::list_dtype, Check::indices_dtype,
    Check::dims_range,    Check::dims_distinct, Check::dims_count, Check::batching_sizes,
    Check::updates_shape, Check::updates_dtype, Check::index_range};

void validate_windows(const Operation& operation, const Arguments& arguments);

// REQUIRES: validate_windows passed.
LoweredPlan lower_windows(const Operation& operation, const Arguments& arguments,
                          const Parallelism& parallelism);

// The form index: NumPy's index. Updates broadcast to what it names.
inline constexpr std::array index_checks{
    Check::data_rank,     Check::indices_rank, Check::indices_dtype, Check::indices_shape,
    Check::step_not_zero, Check::index_range,  Check::updates_shape, Check::updates_dtype};

// Updates broadcast. Throws Error (rule) by all checks but index_range. REQUIRES: check_arguments
// passed.
Arguments prepare_index(const Operation& operation, Arguments arguments);

// REQUIRES: of prepare_index().
void validate_index(const Operation& operation, const Arguments& arguments);

// REQUIRES: every rule holds, except for rules on updates.
Shape updates_of_index(const Operation& operation, const Arguments& arguments);

// REQUIRES: of prepare_index(), validate_index passed.
LoweredPlan lower_index(const Operation& operation, const Arguments& arguments,
                        const Parallelism& parallelism);

// The same for the engine: a mask over the first axes of data is not listed.
LoweredPlan lower_index_for_run(const Operation& operation, const Arguments& arguments,
                                const Parallelism& parallelism);

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
  // Makes the operands of a call that need it.
  Arguments (*prepare)(const Operation&, Arguments) = nullptr;
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
    FormInfo{Form::index, index_checks, validate_index, lower_index, true, updates_of_index,
             lower_index_for_run, prepare_index},
};

static_assert(detail::in_enum_order(form_table, &FormInfo::form), "form_table is indexed by Form");

constexpr const FormInfo& info(Form form) { return form_table[static_cast<std::size_t>(form)]; }

constexpr bool takes_integers(const Operation& operation) {
  return !operation.index_dtypes.empty() && std::ranges::all_of(operation.index_dtypes, is_integer);
}

// Whether the row has a rule for each check that its calls go through.
constexpr bool has_all_rules(const Operation& operation) {
  const auto has_rule = [&](Check check) { return !operation.label(check).empty(); };
  const bool reduces = operation.fixed != Reduction::none ||
                       std::ranges::any_of(operation.attributes, [](const AttributeInfo& each) {
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

// Operands that only some forms have, of an operation whose calls choose the form. Throws Error
// (usage, operation.o1 or operation.o2) when an operand of the form is missing, or one of other
// forms is given. Other operations: nothing.
void require_operands_of_form(const Operation& operation, const Arguments& arguments);

}  // namespace tscatter::forms
