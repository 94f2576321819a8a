// The table of forms: the checks and the lowering of each. prepare_… checks the rules of a form on
// dtypes, shapes and attributes, and makes what its lowering takes: updates of the shape that the
// other operands require, an index of a mask. It throws Error (rule); check_arguments has passed,
// and that updates have data's dtype is checked after it.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "tscatter/core/shape.hpp"
#include "tscatter/ops/operation.hpp"
#include "tscatter/plan/scatter_plan.hpp"

namespace tscatter::forms {

using Prepare = void(const Operation&, Arguments&);
// The shape that the other operands ask of updates. REQUIRES: every rule holds, except for rules on
// updates.
using UpdatesShapeOf = Shape(const Operation&, const Arguments&);
// REQUIRES: the arguments went through prepare_… of the form, or of one that makes an index.
using Lower = LoweredPlan(const Operation&, const Arguments&, const Lowering&);

// The form batched_rows: data [N, K, C], indices [N, W], updates [N, W, C]: each index is a
// position along axis 1 of data, within its own batch.
inline constexpr std::array batched_rows_checks{
    Check::data_rank,     Check::indices_rank,  Check::indices_dtype, Check::indices_shape,
    Check::updates_shape, Check::updates_dtype, Check::index_range};
Prepare prepare_batched_rows;
UpdatesShapeOf updates_of_batched_rows;
Lower lower_batched_rows;

// The form elements: each element of updates goes to its own place in data, but along one axis to
// the position that indices name.
inline constexpr std::array elements_checks{
    Check::data_rank,     Check::indices_rank,  Check::axis_range,    Check::indices_dtype,
    Check::indices_shape, Check::updates_shape, Check::updates_dtype, Check::index_range};
Prepare prepare_elements;
UpdatesShapeOf updates_of_elements;
Lower lower_elements;
Lower lower_elements_indexed;  // without a list of the entries where they suit that

// The form nd: each entry, a row along the last axis of indices, has coordinates for the first
// axes of data, and the entry's slice of updates goes there.
inline constexpr std::array nd_checks{
    Check::data_rank,     Check::indices_rank,  Check::index_depth,  Check::index_range,
    Check::indices_dtype, Check::updates_shape, Check::updates_dtype};
Prepare prepare_nd;
UpdatesShapeOf updates_of_nd;
Lower lower_nd;

// The form rows: each index is a position along one axis of data, and its part of updates goes
// there.
inline constexpr std::array rows_checks{Check::data_rank,     Check::axis_range,
                                        Check::index_range,   Check::indices_dtype,
                                        Check::updates_shape, Check::updates_dtype};
Prepare prepare_rows;
UpdatesShapeOf updates_of_rows;
Lower lower_rows;

// The form slice: updates replace a slice of data, given by start, stop and step along some axes.
inline constexpr std::array slice_checks{
    Check::data_rank,     Check::list_rank,     Check::list_dtype,
    Check::list_length,   Check::step_not_zero, Check::axes_range,
    Check::axes_distinct, Check::updates_shape, Check::updates_dtype};
Prepare prepare_slice;
UpdatesShapeOf updates_of_slice;

// The form start: indices have one number for each position along data's first axis, the batch:
// where along another axis the batch's part of updates begins. With OutsideIndex::modulo, positions
// wrap around at the end of the axis.
inline constexpr std::array start_checks{
    Check::data_rank,     Check::axis_range,    Check::indices_dtype, Check::indices_shape,
    Check::updates_shape, Check::updates_dtype, Check::index_range};
Prepare prepare_start;
Lower lower_start;

// The form window: the call gives the dimension numbers of StableHLO's scatter as operands.
inline constexpr std::array windows_checks{
    Check::data_rank,     Check::list_rank,     Check::list_dtype, Check::indices_dtype,
    Check::dims_range,    Check::dims_distinct, Check::dims_count, Check::batching_sizes,
    Check::updates_shape, Check::updates_dtype, Check::index_range};
Prepare prepare_windows;
Lower lower_windows;

// The form index: NumPy's index. Updates broadcast to what it names.
inline constexpr std::array index_checks{
    Check::data_rank,     Check::indices_rank, Check::indices_dtype, Check::indices_shape,
    Check::step_not_zero, Check::index_range,  Check::updates_shape, Check::updates_dtype};
Prepare prepare_index;
UpdatesShapeOf updates_of_index;
Lower lower_index;
Lower lower_index_for_run;  // a mask over the first axes of data is not listed

// The form flat: positions among all elements of data; an update for each.
inline constexpr std::array flat_checks{Check::data_rank, Check::indices_dtype, Check::index_range,
                                        Check::updates_shape, Check::updates_dtype};
Prepare prepare_flat;
UpdatesShapeOf updates_of_flat;

// The form mask: a mask that broadcasts to data; updates are for the places where it is true.
inline constexpr std::array mask_checks{Check::data_rank, Check::indices_dtype,
                                        Check::indices_shape, Check::updates_shape,
                                        Check::updates_dtype};
Prepare prepare_mask;
UpdatesShapeOf updates_of_mask;

// The form section: along one axis the attributes start, end and step say a slice, or the operand
// indices, of rank 0, says a position.
inline constexpr std::array section_checks{Check::data_rank, Check::axis_range,
                                           Check::updates_shape, Check::updates_dtype};
Prepare prepare_section;
UpdatesShapeOf updates_of_section;

// The form diagonal: the places of the axes dim1 and dim2 where the index along dim2 is that along
// dim1 plus offset. Updates has the other axes, and then one along the diagonal.
inline constexpr std::array diagonal_checks{Check::data_rank, Check::axis_range,
                                            Check::axes_distinct, Check::updates_shape,
                                            Check::updates_dtype};
Prepare prepare_diagonal;
UpdatesShapeOf updates_of_diagonal;
Lower lower_diagonal;

// The form segment: each index is a row of data, which the call makes, and its part of updates, of
// their axes behind those of indices, goes there.
inline constexpr std::array segment_checks{Check::base_shape, Check::indices_dtype,
                                           Check::updates_shape, Check::index_range};
Prepare prepare_segment;
UpdatesShapeOf updates_of_segment;
Lower lower_segment;

// The form block: indices have a number for each axis of data: where updates, at most as long as
// data along each axis, begin. A slice, without index entries, unless a policy drops or refuses a
// block that is not inside; then each element is an entry, as of a window.
inline constexpr std::array block_checks{Check::data_rank,     Check::indices_dtype,
                                         Check::indices_shape, Check::updates_shape,
                                         Check::updates_dtype, Check::index_range};
Prepare prepare_block;
Lower lower_block;

// What two updates of a call that have one destination are.
enum class Repeated : std::uint8_t { nothing, elements, blocks };

// What a form is to the operations that have it.
struct FormInfo {
  Form form;
  std::span<const Check> checks;  // that its calls go through
  Prepare* prepare;
  Lower* lower;
  Repeated repeated;
  UpdatesShapeOf* updates_shape;  // nullptr: the other operands leave it open
  // The lowering for the engine, if it has one of its own: entries may be left in indices.
  Lower* lower_for_run = nullptr;

  // Whether two updates of a call can have one destination.
  constexpr bool repeats_places() const { return repeated != Repeated::nothing; }
};

inline constexpr std::array form_table{
    FormInfo{Form::rows, rows_checks, prepare_rows, lower_rows, Repeated::blocks, updates_of_rows},
    FormInfo{Form::nd, nd_checks, prepare_nd, lower_nd, Repeated::blocks, updates_of_nd},
    FormInfo{Form::elements, elements_checks, prepare_elements, lower_elements, Repeated::elements,
             updates_of_elements, lower_elements_indexed},
    FormInfo{Form::window, windows_checks, prepare_windows, lower_windows, Repeated::blocks,
             nullptr},
    FormInfo{Form::start, start_checks, prepare_start, lower_start, Repeated::nothing, nullptr},
    FormInfo{Form::slice, slice_checks, prepare_slice, lower_index, Repeated::nothing,
             updates_of_slice},
    FormInfo{Form::batched_rows, batched_rows_checks, prepare_batched_rows, lower_batched_rows,
             Repeated::blocks, updates_of_batched_rows},
    FormInfo{Form::index, index_checks, prepare_index, lower_index, Repeated::blocks,
             updates_of_index, lower_index_for_run},
    FormInfo{Form::flat, flat_checks, prepare_flat, lower_index, Repeated::elements,
             updates_of_flat},
    FormInfo{Form::mask, mask_checks, prepare_mask, lower_index, Repeated::nothing, updates_of_mask,
             lower_index_for_run},
    FormInfo{Form::section, section_checks, prepare_section, lower_index, Repeated::nothing,
             updates_of_section},
    FormInfo{Form::diagonal, diagonal_checks, prepare_diagonal, lower_diagonal, Repeated::nothing,
             updates_of_diagonal},
    FormInfo{Form::segment, segment_checks, prepare_segment, lower_segment, Repeated::blocks,
             updates_of_segment},
    FormInfo{Form::block, block_checks, prepare_block, lower_block, Repeated::nothing, nullptr},
};

static_assert(detail::in_enum_order(form_table, &FormInfo::form), "form_table is indexed by Form");

constexpr const FormInfo& info(Form form) { return form_table[static_cast<std::size_t>(form)]; }

// Whether each attribute that answers policies has an answer for each of its values.
constexpr bool has_all_answers(const Operation& operation) {
  return std::ranges::all_of(operation.attributes, [](const AttributeInfo& each) {
    const std::size_t values =
        each.type() == AttributeType::boolean ? std::size_t{2} : each.choices.size();
    return each.answers.empty() || each.answers.size() == values;
  });
}

// Whether calls of the operation go through the check of its form. Data that is made has the dtype
// of updates.
constexpr bool is_checked(const Operation& operation, Check check) {
  return check != Check::updates_dtype || !is_made(operation.base);
}

// Whether indices are integers, and the row has all answers, and a rule for each check that its
// calls go through.
constexpr bool is_complete(const Operation& operation) {
  const auto has_rule = [&](Check check) { return !operation.label(check).empty(); };
  const auto has_rule_of_form = [&](Check check) {
    return has_rule(check) == is_checked(operation, check);
  };
  const bool reduces =
      operation.fixed != Reduction::none ||
      std::ranges::any_of(operation.attributes, [](const AttributeInfo& each) {
        return each.type() == AttributeType::reduction || each.name == "accumulate";
      });
  const bool has_axis = std::ranges::count(operation.operands, "axis", &OperandInfo::name) > 0;
  const bool takes_all = operation.data_dtypes.size() == all_dtypes.size();
  return !operation.index_dtypes.empty() &&
         std::ranges::all_of(operation.index_dtypes, is_integer) && has_all_answers(operation) &&
         std::ranges::all_of(info(operation.form).checks, has_rule_of_form) &&
         has_rule(Check::base_shape) == is_made(operation.base) &&
         has_rule(Check::duplicates) ==
             (operation.policies.duplicates == DuplicatePolicy::forbidden) &&
         has_rule(Check::axis_scalar) == has_axis && has_rule(Check::data_dtype) != takes_all &&
         has_rule(Check::reduction_dtype) == (reduces && operation.base != BaseFrom::counts);
}

// Operands that only some forms have, of an operation whose calls choose the form. Throws Error
// (usage, operation.o1 or operation.o2) when an operand of the form is missing, or one of other
// forms is given. Other operations: nothing.
void require_operands_of_form(const Operation& operation, const Arguments& arguments);

// What several forms share: the axis of rows and elements, an operand or an attribute, one integer,
// which may count from the end; and the shapes that updates of a call may have.

// Throws Error (the rules of Check::axis_scalar and Check::axis_range).
void require_axis(const Operation& operation, const Arguments& arguments);

// Counted from the front. REQUIRES: require_axis passed.
std::size_t axis_of(const Operation& operation, const Arguments& arguments);

struct RequiredShape {
  Shape shape;
  std::string formula;  // where it comes from, for messages
  std::string_view hint = {};
};

// The writes of a slice of each axis of data. `updates_strides`: along these axes, in elements.
LatticeWrites writes_of_slices(const TensorHeader& data, std::span<const SliceRange> slices,
                               std::span<const std::int64_t> updates_strides);

// Gives updates the shape, as the operation's UpdatesShape says: as a view, nothing is copied.
// Throws Error (the rule of Check::updates_shape).
void fit_updates(const Operation& operation, Arguments& arguments, const RequiredShape& required);

}  // namespace tscatter::forms
