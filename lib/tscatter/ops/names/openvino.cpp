// The operations of OpenVINO's opsets. Spec: docs/ops.md.
#include <algorithm>
#include <array>

#include "tscatter/ops/forms/forms.hpp"
#include "tscatter/ops/names/lines.hpp"
#include "tscatter/ops/names/namespaces.hpp"

namespace tscatter::names {
namespace {

// ---- ScatterElementsUpdate

constexpr RuleLine index_from_0{Check::index_range,
                                "each index is in [0, s), where s is the size of data along axis"};

constexpr std::array elements_3_lines{
    lines::data_rank,
    lines::elements_rank,
    lines::axis_scalar,
    lines::axis_range,
    index_from_0,
    lines::integer_indices,
    lines::elements_shape,
    RuleLine{Check::indices_length, "along axis, too, indices is at most as long as data"},
    lines::elements_updates,
    lines::updates_dtype,
};

constexpr std::array in_row_major_order{row_major};

constexpr std::array elements_12_attributes{
    reduction(reductions<Reduction::none, Reduction::sum, Reduction::prod, Reduction::min,
                         Reduction::max, Reduction::mean>),
    boolean("use_init_val", true, "whether data's value counts where updates land"),
};

constexpr std::array elements_12_decisions{
    row_major, Decision{Knob::initial_value, "of min and max our decision: as OpenVINO"},
    Decision{Knob::mean_of_integers, "our decision: the text has no rounding"},
    Decision{Knob::accumulation, "our decision: the text has no rounding"}};

constexpr std::array elements_12_lines{
    lines::data_rank,
    lines::elements_rank,
    lines::axis_scalar,
    lines::axis_range,
    lines::index_from_the_end,
    lines::integer_indices,
    lines::elements_shape,
    lines::elements_updates,
    lines::updates_dtype,
    RuleLine{Check::reduction_dtype,
             "the reduction is defined for the dtype: opaque dtypes have none only, complex ones "
             "no min, max and mean, bool no mean"},
};

// ---- ScatterNDUpdate

constexpr RuleLine nd_updates{
    Check::updates_shape,
    "updates has shape indices.shape[:-1] + data.shape[k:]; where that is rank 0, any tensor of "
    "one element will do"};

constexpr std::array nd_3_lines{
    lines::data_rank,      lines::indices_rank, lines::index_depth,  lines::coordinates_from_0,
    lines::int32_or_int64, nd_updates,          lines::updates_dtype};

constexpr std::array nd_decisions{
    row_major, Decision{Knob::updates_shape, "our decision: runtimes give [1] for one entry"}};

constexpr Operation nd_3_row{
    .form = Form::nd,
    .updates_shape = UpdatesShape::one_element,
    .index_dtypes = dtypes<DType::int32, DType::int64>,
    .operands = nd_operands,
    .decisions = nd_decisions,
    .examples = words<"-d data.npy -i indices.npy -u updates.npy -o out.npy",
                      "-d 8xf32=0 -i '[[4], [3]]' -u '[9, 10]'">};

constexpr std::array nd_15_attributes{
    reduction(reductions<Reduction::none, Reduction::sum, Reduction::sub, Reduction::prod,
                         Reduction::min, Reduction::max>)};

constexpr std::array nd_15_lines{lines::data_rank,      lines::indices_rank,
                                 lines::index_depth,    lines::coordinates_from_the_end,
                                 lines::int32_or_int64, nd_updates,
                                 lines::updates_dtype,  lines::every_reduction};

// ---- ScatterUpdate

constexpr std::array update_operands{
    data_operand(), indices_operand("positions along the axis, of any rank"),
    updates_operand("data.shape[:axis] + indices.shape + data.shape[axis+1:]"), axis_operand};

constexpr std::array update_3_lines{
    lines::data_rank,
    lines::axis_scalar,
    lines::axis_range,
    index_from_0,
    lines::integer_indices,
    RuleLine{Check::updates_shape,
             "updates has shape data.shape[:axis] + indices.shape + data.shape[axis+1:]"},
    lines::updates_dtype,
};

// ---- SliceScatter

constexpr std::array slice_operands{
    data_operand(),
    updates_operand("data's shape, with the length of the slice on each sliced axis"),
    list_operand("start", "where the slice begins on each axis"),
    list_operand("stop", "where it ends, exclusive; clamped as in Python"),
    list_operand("step", "from one position to the next; not 0"),
    optional(list_operand("axes", "the sliced axes; left out: the first ones")),
};

constexpr std::array slice_15_lines{
    lines::data_rank,
    RuleLine{Check::list_rank, "start, stop, step and axes have rank 1"},
    RuleLine{Check::list_dtype,
             "start, stop, step and axes are of integer dtypes, not necessarily the same"},
    RuleLine{Check::list_length, "start, stop, step and axes have the same number of elements"},
    RuleLine{Check::step_not_zero, "no step is 0"},
    RuleLine{Check::axes_range,
             "each of axes is in [-r, r), where r is the rank of data; without axes, start has at "
             "most r elements"},
    RuleLine{Check::axes_distinct,
             "axes names no axis twice, a negative one counting from the end"},
    RuleLine{Check::updates_shape,
             "updates has data's shape, with the length of the slice on each sliced axis"},
    lines::updates_dtype,
};

constexpr std::array<Operation, 7> rows{{
    named<"ScatterElementsUpdate-3", elements_3_lines, "scatter_elements_update_3">(
        "write each update to the position along one axis that indices names",
        {.form = Form::elements,
         .operands = elements_operands,
         .decisions = in_row_major_order,
         .examples = words<"-d data.npy -i indices.npy -u updates.npy -a 1 -o out.npy",
                           "-d 2x3xf32=0 -i '[[2], [0]]' -u '[[10], [20]]' -a 1">}),
    named<"ScatterElementsUpdate-12", elements_12_lines, "scatter_elements_update_12">(
        "update the positions along one axis that indices names, with a reduction",
        {.form = Form::elements,
         .policies = {.negative = NegativeIndex::from_the_end, .extremes = Extremes::update},
         .operands = elements_operands,
         .attributes = elements_12_attributes,
         .decisions = elements_12_decisions,
         .examples = words<"-d data.npy -i indices.npy -u updates.npy -a 1 -r sum -o out.npy",
                           "-d 4xf32=2,3,4,6 -i '[1, 0, -1]' -u '[10, 20, 30]' -a 0 -r sum">}),
    named<"ScatterNDUpdate-3", nd_3_lines, "scatter_nd_update_3">(
        "overwrite the elements or slices that index entries name", nd_3_row),
    named<"ScatterNDUpdate-4", nd_3_lines, "scatter_nd_update_4">(
        "overwrite the elements or slices that index entries name, as ScatterNDUpdate-3", nd_3_row),
    named<"ScatterNDUpdate-15", nd_15_lines, "scatter_nd_update_15">(
        "update the elements or slices that index entries name, with a reduction",
        {.form = Form::nd,
         .policies = {.negative = NegativeIndex::from_the_end},
         .updates_shape = UpdatesShape::one_element,
         .index_dtypes = dtypes<DType::int32, DType::int64>,
         .operands = nd_operands,
         .attributes = nd_15_attributes,
         .decisions = nd_decisions,
         .examples = words<"-d data.npy -i indices.npy -u updates.npy -r sum -o out.npy",
                           "-d 8xf32=0 -i '[[4], [3]]' -u '[9, 10]' -r max">}),
    named<"ScatterUpdate-3", update_3_lines, "scatter_update_3">(
        "write updates to the places of one axis that indices names",
        {.form = Form::rows,
         .operands = update_operands,
         .decisions = in_row_major_order,
         .examples = words<"-d data.npy -i indices.npy -u updates.npy -a 1 -o out.npy",
                           "-d 4xf32=0 -i '[1, 3]' -u '[10, 30]' -a 0">}),
    named<"SliceScatter-15", slice_15_lines, "slice_scatter_15">(
        "write updates over a slice of data",
        {.form = Form::slice,
         .operands = slice_operands,
         .examples =
             words<"-d data.npy -u updates.npy --start 0,1 --stop 3,5 --step 2,2 --axes "
                   "0,1 -o out.npy",
                   "-d 2x5xf32=0 -u '[[10, 20, 30, 40, 50]]' --start 0 --stop 1 --step 1">}),
}};
static_assert(std::ranges::all_of(rows, forms::is_complete));

}  // namespace

const Namespace openvino{
    .name = "openvino", .aliases = {"ov"}, .versions = Versions::exact, .operations = rows};

}  // namespace tscatter::names
