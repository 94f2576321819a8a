#include "tscatter/ops/names/openvino.hpp"

#include <algorithm>
#include <array>

#include "tscatter/ops/forms/forms.hpp"

namespace tscatter {
namespace {

// ---- ScatterNDUpdate

constexpr std::array nd_operands{
    OperandInfo{"data", 'd', OperandRole::data, Presence::required,
                "the tensor that is updated, of rank 1 or more"},
    OperandInfo{"indices", 'i', OperandRole::integers, Presence::required,
                "index entries along the last axis, of rank 1 or more"},
    OperandInfo{"updates", 'u', OperandRole::updates, Presence::required,
                "indices.shape[:-1] + data.shape[indices.shape[-1]:]"},
};

constexpr std::array nd_index_dtypes{DType::int32, DType::int64};

constexpr std::array nd_3_rules{
    OperationRule{{"scatter_nd_update_3.c1", "data has rank r >= 1"}, Check::data_rank},
    OperationRule{{"scatter_nd_update_3.c2", "indices has rank q >= 1"}, Check::indices_rank},
    OperationRule{{"scatter_nd_update_3.c3",
                   "the index depth k = indices.shape[-1] is at most the rank of data"},
                  Check::index_depth},
    OperationRule{{"scatter_nd_update_3.c4",
                   "coordinate j of each index entry is in [0, s), where s = data.shape[j]"},
                  Check::index_range},
    OperationRule{{"scatter_nd_update_3.c5", "indices are int32 or int64"}, Check::indices_dtype},
    OperationRule{
        {"scatter_nd_update_3.c6",
         "updates has shape indices.shape[:-1] + data.shape[k:]; where that is rank 0, any tensor "
         "of one element will do"},
        Check::updates_shape},
    OperationRule{{"scatter_nd_update_3.c7", "updates has the dtype of data"},
                  Check::updates_dtype},
};

constexpr std::array<std::string_view, 2> nd_3_examples{
    "tscatter ScatterNDUpdate-3 -d data.npy -i indices.npy -u updates.npy -o out.npy",
    "tscatter ScatterNDUpdate-3 -d 8xf32=0 -i '[[4], [3]]' -u '[9, 10]'",
};

constexpr std::array<AttributeValue, 6> nd_15_reductions{Reduction::none, Reduction::sum,
                                                         Reduction::sub,  Reduction::prod,
                                                         Reduction::min,  Reduction::max};

constexpr std::array nd_15_attributes{
    AttributeInfo{"reduction", 'r', Reduction::none, nd_15_reductions,
                  "how an update combines with the element that is there"},
};

constexpr std::array nd_15_rules{
    OperationRule{{"scatter_nd_update_15.c1", "data has rank r >= 1"}, Check::data_rank},
    OperationRule{{"scatter_nd_update_15.c2", "indices has rank q >= 1"}, Check::indices_rank},
    OperationRule{{"scatter_nd_update_15.c3",
                   "the index depth k = indices.shape[-1] is at most the rank of data"},
                  Check::index_depth},
    OperationRule{
        {"scatter_nd_update_15.c4",
         "coordinate j of each index entry is in [-s, s), where s = data.shape[j]; a negative one "
         "counts from the end"},
        Check::index_range},
    OperationRule{{"scatter_nd_update_15.c5", "indices are int32 or int64"}, Check::indices_dtype},
    OperationRule{
        {"scatter_nd_update_15.c6",
         "updates has shape indices.shape[:-1] + data.shape[k:]; where that is rank 0, any tensor "
         "of one element will do"},
        Check::updates_shape},
    OperationRule{{"scatter_nd_update_15.c7", "updates has the dtype of data"},
                  Check::updates_dtype},
    OperationRule{
        {"scatter_nd_update_15.c8",
         "the reduction is defined for the dtype: opaque dtypes have none only, complex ones no "
         "min and max"},
        Check::reduction_dtype},
};

constexpr std::array<std::string_view, 2> nd_15_examples{
    "tscatter ScatterNDUpdate-15 -d data.npy -i indices.npy -u updates.npy -r sum -o out.npy",
    "tscatter ScatterNDUpdate-15 -d 8xf32=0 -i '[[4], [3]]' -u '[9, 10]' -r max",
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

constexpr std::array update_3_rules{
    OperationRule{{"scatter_update_3.c1", "data has rank r >= 1"}, Check::data_rank},
    OperationRule{
        {"scatter_update_3.c2", "axis is of an integer dtype and has rank 0 or shape [1]"},
        Check::axis_scalar},
    OperationRule{{"scatter_update_3.c3", "axis is in [-r, r), where r is the rank of data"},
                  Check::axis_range},
    OperationRule{
        {"scatter_update_3.c4", "each index is in [0, s), where s is the size of data along axis"},
        Check::index_range},
    OperationRule{{"scatter_update_3.c5", "indices are of an integer dtype"}, Check::indices_dtype},
    OperationRule{{"scatter_update_3.c6",
                   "updates has shape data.shape[:axis] + indices.shape + data.shape[axis+1:]"},
                  Check::updates_shape},
    OperationRule{{"scatter_update_3.c7", "updates has the dtype of data"}, Check::updates_dtype},
};

constexpr std::array<std::string_view, 2> update_3_examples{
    "tscatter ScatterUpdate-3 -d data.npy -i indices.npy -u updates.npy -a 1 -o out.npy",
    "tscatter ScatterUpdate-3 -d 4xf32=0 -i '[1, 3]' -u '[10, 30]' -a 0",
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

constexpr std::array slice_15_rules{
    OperationRule{{"slice_scatter_15.c1", "data has rank r >= 1"}, Check::data_rank},
    OperationRule{{"slice_scatter_15.c2", "start, stop, step and axes have rank 1"},
                  Check::list_rank},
    OperationRule{{"slice_scatter_15.c3",
                   "start, stop, step and axes are of integer dtypes, not necessarily the same"},
                  Check::list_dtype},
    OperationRule{
        {"slice_scatter_15.c4", "start, stop, step and axes have the same number of elements"},
        Check::list_length},
    OperationRule{{"slice_scatter_15.c5", "no step is 0"}, Check::step_not_zero},
    OperationRule{
        {"slice_scatter_15.c6",
         "each of axes is in [-r, r), where r is the rank of data; without axes, start has at most "
         "r elements"},
        Check::axes_range},
    OperationRule{
        {"slice_scatter_15.c7", "axes names no axis twice, a negative one counting from the end"},
        Check::axes_distinct},
    OperationRule{{"slice_scatter_15.c8",
                   "updates has data's shape, with the length of the slice on each sliced axis"},
                  Check::updates_shape},
    OperationRule{{"slice_scatter_15.c9", "updates has the dtype of data"}, Check::updates_dtype},
};

constexpr std::array<std::string_view, 2> slice_15_examples{
    "tscatter SliceScatter-15 -d data.npy -u updates.npy --start 0,1 --stop 3,5 --step 2,2 --axes "
    "0,1 -o out.npy",
    "tscatter SliceScatter-15 -d 2x5xf32=0 -u '[[10, 20, 30, 40, 50]]' --start 0 --stop 1 --step 1",
};

constexpr std::array<Operation, 4> rows{{
    {.name = "ScatterNDUpdate-3",
     .id = "scatter_nd_update_3",
     .summary = "overwrite the elements or slices that index entries name",
     .form = Form::nd,
     .index_dtypes = nd_index_dtypes,
     .operands = nd_operands,
     .rules = nd_3_rules,
     .examples = nd_3_examples},
    {.name = "ScatterNDUpdate-15",
     .id = "scatter_nd_update_15",
     .summary = "update the elements or slices that index entries name, with a reduction",
     .form = Form::nd,
     .negative = NegativeIndices::from_the_end,
     .index_dtypes = nd_index_dtypes,
     .operands = nd_operands,
     .attributes = nd_15_attributes,
     .rules = nd_15_rules,
     .examples = nd_15_examples},
    {.name = "ScatterUpdate-3",
     .id = "scatter_update_3",
     .summary = "write updates to the places of one axis that indices names",
     .form = Form::rows,
     .operands = update_operands,
     .rules = update_3_rules,
     .examples = update_3_examples},
    {.name = "SliceScatter-15",
     .id = "slice_scatter_15",
     .summary = "write updates over a slice of data",
     .form = Form::slice,
     .operands = slice_operands,
     .rules = slice_15_rules,
     .examples = slice_15_examples},
}};
static_assert(std::ranges::all_of(rows, forms::has_all_rules));
static_assert(std::ranges::all_of(rows, forms::takes_integers));

}  // namespace

const std::span<const Operation> openvino_operations = rows;

}  // namespace tscatter
