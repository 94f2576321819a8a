// The operations of OpenVINO's opsets. Spec: docs/ops.md.
#include <algorithm>
#include <array>

#include "tscatter/ops/forms/forms.hpp"
#include "tscatter/ops/names/labelled.hpp"
#include "tscatter/ops/names/lines.hpp"
#include "tscatter/ops/names/namespaces.hpp"

namespace tscatter::names {
namespace {

// ---- ScatterElementsUpdate

constexpr RuleLine axis_scalar{Check::axis_scalar,
                               "axis is of an integer dtype and has rank 0 or shape [1]"};
constexpr RuleLine index_from_0{Check::index_range,
                                "each index is in [0, s), where s is the size of data along axis"};
constexpr RuleLine integer_indices{Check::indices_dtype, "indices are of an integer dtype"};

constexpr std::array elements_3_lines{
    lines::data_rank,
    lines::elements_rank,
    axis_scalar,
    lines::axis_range,
    index_from_0,
    integer_indices,
    lines::elements_shape,
    RuleLine{Check::indices_length, "along axis, too, indices is at most as long as data"},
    lines::elements_updates,
    lines::updates_dtype,
};

constexpr std::array elements_decisions{row_major};

constexpr std::array<std::string_view, 2> elements_3_examples{
    "-d data.npy -i indices.npy -u updates.npy -a 1 -o out.npy",
    "-d 2x3xf32=0 -i '[[2], [0]]' -u '[[10], [20]]' -a 1",
};

constexpr std::array<AttributeValue, 6> elements_12_reductions{Reduction::none, Reduction::sum,
                                                               Reduction::prod, Reduction::min,
                                                               Reduction::max,  Reduction::mean};

constexpr std::array elements_12_attributes{
    AttributeInfo{"reduction", 'r', Reduction::none, elements_12_reductions,
                  "how an update combines with the element that is there"},
    AttributeInfo{"use_init_val", 0, true, {}, "whether data's value counts where updates land"},
};

constexpr std::array elements_12_decisions{
    row_major, Decision{Knob::initial_value, "of min and max our decision: as OpenVINO"},
    Decision{Knob::mean_of_integers, "our decision: the text has no rounding"},
    Decision{Knob::accumulation, "our decision: the text has no rounding"}};

constexpr std::array elements_12_lines{
    lines::data_rank,
    lines::elements_rank,
    axis_scalar,
    lines::axis_range,
    lines::index_from_the_end,
    integer_indices,
    lines::elements_shape,
    lines::elements_updates,
    lines::updates_dtype,
    RuleLine{Check::reduction_dtype,
             "the reduction is defined for the dtype: opaque dtypes have none only, complex ones "
             "no min, max and mean, bool no mean"},
};

constexpr std::array<std::string_view, 2> elements_12_examples{
    "-d data.npy -i indices.npy -u updates.npy -a 1 -r sum -o out.npy",
    "-d 4xf32=2,3,4,6 -i '[1, 0, -1]' -u '[10, 20, 30]' -a 0 -r sum",
};

// ---- ScatterNDUpdate

constexpr std::array nd_index_dtypes{DType::int32, DType::int64};

constexpr RuleLine nd_indices{Check::indices_dtype, "indices are int32 or int64"};
constexpr RuleLine nd_updates{
    Check::updates_shape,
    "updates has shape indices.shape[:-1] + data.shape[k:]; where that is rank 0, any tensor of "
    "one element will do"};

constexpr std::array nd_3_lines{lines::data_rank,          lines::indices_rank, lines::index_depth,
                                lines::coordinates_from_0, nd_indices,          nd_updates,
                                lines::updates_dtype};

constexpr std::array nd_decisions{
    row_major, Decision{Knob::updates_shape, "our decision: runtimes give [1] for one entry"}};

constexpr std::array<std::string_view, 2> nd_3_examples{
    "-d data.npy -i indices.npy -u updates.npy -o out.npy",
    "-d 8xf32=0 -i '[[4], [3]]' -u '[9, 10]'",
};

constexpr std::array<AttributeValue, 6> nd_15_reductions{Reduction::none, Reduction::sum,
                                                         Reduction::sub,  Reduction::prod,
                                                         Reduction::min,  Reduction::max};

constexpr std::array nd_15_attributes{
    AttributeInfo{"reduction", 'r', Reduction::none, nd_15_reductions,
                  "how an update combines with the element that is there"},
};

constexpr std::array nd_15_lines{
    lines::data_rank, lines::indices_rank, lines::index_depth,   lines::coordinates_from_the_end,
    nd_indices,       nd_updates,          lines::updates_dtype, lines::every_reduction};

constexpr std::array<std::string_view, 2> nd_15_examples{
    "-d data.npy -i indices.npy -u updates.npy -r sum -o out.npy",
    "-d 8xf32=0 -i '[[4], [3]]' -u '[9, 10]' -r max",
};

// ---- ScatterUpdate

constexpr std::array update_operands{
    OperandInfo{"data", 'd', OperandRole::data, Presence::required,
                "the tensor that is updated, of rank 1 or more"},
    OperandInfo{"indices", 'i', OperandRole::integers, Presence::required,
                "positions along the axis, of any rank"},
    OperandInfo{"updates", 'u', OperandRole::updates, Presence::required,
                "data.shape[:axis] + indices.shape + data.shape[axis+1:]"},
    OperandInfo{"axis", 'a', OperandRole::integers, Presence::required,
                "an integer, or a tensor of rank 0 or shape [1], in [-r, r)"},
};

constexpr std::array update_3_lines{
    lines::data_rank,
    axis_scalar,
    lines::axis_range,
    index_from_0,
    integer_indices,
    RuleLine{Check::updates_shape,
             "updates has shape data.shape[:axis] + indices.shape + data.shape[axis+1:]"},
    lines::updates_dtype,
};

constexpr std::array update_decisions{row_major};

constexpr std::array<std::string_view, 2> update_3_examples{
    "-d data.npy -i indices.npy -u updates.npy -a 1 -o out.npy",
    "-d 4xf32=0 -i '[1, 3]' -u '[10, 30]' -a 0",
};

// ---- SliceScatter

constexpr std::array slice_operands{
    OperandInfo{"data", 'd', OperandRole::data, Presence::required,
                "the tensor that is updated, of rank 1 or more"},
    OperandInfo{"updates", 'u', OperandRole::updates, Presence::required,
                "data's shape, with the length of the slice on each sliced axis"},
    OperandInfo{"start", 0, OperandRole::list, Presence::required,
                "where the slice begins on each axis"},
    OperandInfo{"stop", 0, OperandRole::list, Presence::required,
                "where it ends, exclusive; clamped as in Python"},
    OperandInfo{"step", 0, OperandRole::list, Presence::required,
                "from one position to the next; not 0"},
    OperandInfo{"axes", 0, OperandRole::list, Presence::optional,
                "the sliced axes; left out: the first ones"},
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

constexpr std::array<std::string_view, 2> slice_15_examples{
    "-d data.npy -u updates.npy --start 0,1 --stop 3,5 --step 2,2 --axes "
    "0,1 -o out.npy",
    "-d 2x5xf32=0 -u '[[10, 20, 30, 40, 50]]' --start 0 --stop 1 --step 1",
};

constexpr std::array<Operation, 7> rows{{
    {.name = "ScatterElementsUpdate-3",
     .id = "scatter_elements_update_3",
     .summary = "write each update to the position along one axis that indices names",
     .form = Form::elements,
     .operands = elements_operands,
     .rules = labelled<"scatter_elements_update_3", elements_3_lines>,
     .decisions = elements_decisions,
     .examples = elements_3_examples},
    {.name = "ScatterElementsUpdate-12",
     .id = "scatter_elements_update_12",
     .summary = "update the positions along one axis that indices names, with a reduction",
     .form = Form::elements,
     .policies = {.negative = NegativeIndex::from_the_end, .extremes = Extremes::update},
     .operands = elements_operands,
     .attributes = elements_12_attributes,
     .rules = labelled<"scatter_elements_update_12", elements_12_lines>,
     .decisions = elements_12_decisions,
     .examples = elements_12_examples},
    {.name = "ScatterNDUpdate-3",
     .id = "scatter_nd_update_3",
     .summary = "overwrite the elements or slices that index entries name",
     .form = Form::nd,
     .updates_shape = UpdatesShape::one_element,
     .index_dtypes = nd_index_dtypes,
     .operands = nd_operands,
     .rules = labelled<"scatter_nd_update_3", nd_3_lines>,
     .decisions = nd_decisions,
     .examples = nd_3_examples},
    {.name = "ScatterNDUpdate-4",
     .id = "scatter_nd_update_4",
     .summary = "overwrite the elements or slices that index entries name, as ScatterNDUpdate-3",
     .form = Form::nd,
     .updates_shape = UpdatesShape::one_element,
     .index_dtypes = nd_index_dtypes,
     .operands = nd_operands,
     .rules = labelled<"scatter_nd_update_4", nd_3_lines>,
     .decisions = nd_decisions,
     .examples = nd_3_examples},
    {.name = "ScatterNDUpdate-15",
     .id = "scatter_nd_update_15",
     .summary = "update the elements or slices that index entries name, with a reduction",
     .form = Form::nd,
     .policies = {.negative = NegativeIndex::from_the_end},
     .updates_shape = UpdatesShape::one_element,
     .index_dtypes = nd_index_dtypes,
     .operands = nd_operands,
     .attributes = nd_15_attributes,
     .rules = labelled<"scatter_nd_update_15", nd_15_lines>,
     .decisions = nd_decisions,
     .examples = nd_15_examples},
    {.name = "ScatterUpdate-3",
     .id = "scatter_update_3",
     .summary = "write updates to the places of one axis that indices names",
     .form = Form::rows,
     .operands = update_operands,
     .rules = labelled<"scatter_update_3", update_3_lines>,
     .decisions = update_decisions,
     .examples = update_3_examples},
    {.name = "SliceScatter-15",
     .id = "slice_scatter_15",
     .summary = "write updates over a slice of data",
     .form = Form::slice,
     .operands = slice_operands,
     .rules = labelled<"slice_scatter_15", slice_15_lines>,
     .examples = slice_15_examples},
}};
static_assert(std::ranges::all_of(rows, forms::has_all_rules));
static_assert(std::ranges::all_of(rows, forms::takes_integers));

}  // namespace

const Namespace openvino{
    .name = "openvino", .aliases = {"ov"}, .versions = Versions::exact, .operations = rows};

}  // namespace tscatter::names
