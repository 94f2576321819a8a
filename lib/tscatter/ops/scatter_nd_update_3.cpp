#include "tscatter/ops/scatter_nd_update_3.hpp"

#include <array>

#include "tscatter/ops/scatter_nd_update.hpp"

namespace tscatter {
namespace {

constexpr std::array operands{
    OperandInfo{"data", 'd', OperandRole::data, Presence::required,
                "the tensor that is updated, of rank 1 or more"},
    OperandInfo{"indices", 'i', OperandRole::integers, Presence::required,
                "index entries along the last axis, of rank 1 or more"},
    OperandInfo{"updates", 'u', OperandRole::updates, Presence::required,
                "indices.shape[:-1] + data.shape[indices.shape[-1]:]"},
};

constexpr std::array rules{
    Rule{"scatter_nd_update_3.c1", "data has rank r >= 1"},
    Rule{"scatter_nd_update_3.c2", "indices has rank q >= 1"},
    Rule{"scatter_nd_update_3.c3",
         "the index depth k = indices.shape[-1] is at most the rank of data"},
    Rule{"scatter_nd_update_3.c4",
         "coordinate j of each index entry is in [0, s), where s = data.shape[j]"},
    Rule{"scatter_nd_update_3.c5", "indices are of an integer dtype"},
    Rule{"scatter_nd_update_3.c6",
         "updates has shape indices.shape[:-1] + data.shape[k:]; where that is rank 0, any tensor "
         "of one element will do"},
    Rule{"scatter_nd_update_3.c7", "updates has the dtype of data"},
};

// scatter_nd_update_3.c1
// scatter_nd_update_3.c2
// scatter_nd_update_3.c3
// scatter_nd_update_3.c4
// scatter_nd_update_3.c5
// scatter_nd_update_3.c6
// scatter_nd_update_3.c7
constexpr ScatterNdRules labels{
    .id = "scatter_nd_update_3",
    .data_rank = "scatter_nd_update_3.c1",
    .indices_rank = "scatter_nd_update_3.c2",
    .index_depth = "scatter_nd_update_3.c3",
    .index_range = "scatter_nd_update_3.c4",
    .indices_dtype = "scatter_nd_update_3.c5",
    .updates_shape = "scatter_nd_update_3.c6",
    .updates_dtype = "scatter_nd_update_3.c7",
};

constexpr std::array<std::string_view, 2> examples{
    "tscatter ScatterNDUpdate-3 -d data.npy -i indices.npy -u updates.npy -o out.npy",
    "tscatter ScatterNDUpdate-3 -d 8xf32=0 -i '[[4], [3]]' -u '[9, 10]'",
};

void validate(const Arguments& arguments) { validate_scatter_nd(arguments, labels); }

TensorHeader infer_output(const Arguments& arguments) { return arguments.operand("data").header(); }

LoweredPlan lower(const Arguments& arguments, const Parallelism& parallelism) {
  return lower_scatter_nd(arguments, labels, NegativeIndices::refused, parallelism);
}

}  // namespace

const Operation scatter_nd_update_3_operation{
    .name = "ScatterNDUpdate-3",
    .id = labels.id,
    .summary = "overwrite the elements or slices that index entries name",
    .operands = operands,
    .attributes = {},
    .rules = rules,
    .examples = examples,
    .validate = validate,
    .infer_output = infer_output,
    .lower = lower,
};

}  // namespace tscatter
