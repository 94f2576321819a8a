// The operations of ONNX. Spec: docs/ops.md.
#include <algorithm>
#include <array>
#include <span>

#include "tscatter/ops/forms/forms.hpp"
#include "tscatter/ops/names/lines.hpp"
#include "tscatter/ops/names/namespaces.hpp"

namespace tscatter::names {
namespace {

// Before opset 13.
constexpr auto without_bfloat16 = all_but<DType::bfloat16>;
constexpr RuleLine any_but_bfloat16{Check::data_dtype, "data is of any dtype but bfloat16"};

// ---- Reductions, since opset 16

constexpr std::array reduction_words{ReductionWord{Reduction::sum, "add"},
                                     ReductionWord{Reduction::prod, "mul"}};
constexpr AttributeInfo reduction_16 =
    reduction(reductions<Reduction::none, Reduction::sum, Reduction::prod>, reduction_words);
constexpr AttributeInfo reduction_18 = reduction(
    reductions<Reduction::none, Reduction::sum, Reduction::prod, Reduction::max, Reduction::min>,
    reduction_words);

constexpr RuleLine copying_or_valued{
    Check::reduction_dtype, "the reduction is defined for the dtype: opaque dtypes have none only"};

// ---- Scatter and ScatterElements

constexpr AttributeInfo elements_axis = axis("the axis along which indices count, in [-r, r)");
constexpr std::array elements_attributes{elements_axis};
constexpr std::array elements_attributes_16{elements_axis, reduction_16};
constexpr std::array elements_attributes_18{elements_axis, reduction_18};

constexpr std::array elements_13_lines{
    lines::data_rank,          lines::elements_rank,  lines::axis_range,
    lines::index_from_the_end, lines::int32_or_int64, lines::elements_shape,
    lines::elements_updates,   lines::updates_dtype,
};
constexpr auto elements_11_lines = with(elements_13_lines, any_but_bfloat16);
constexpr auto elements_16_lines = with(elements_13_lines, copying_or_valued);
constexpr auto elements_18_lines = with(elements_13_lines, lines::every_reduction);

constexpr Decision step_by_step{Knob::accumulation, "as ONNX's reference"};

constexpr std::array elements_decisions{row_major, Decision{Knob::extremes, "as ONNX's reference"},
                                        step_by_step};
constexpr std::array scatter_9_decisions{row_major,
                                         Decision{Knob::index_outside, "as ScatterElements says"},
                                         Decision{Knob::negative_index, "as ScatterElements says"}};

constexpr std::string_view elements_summary =
    "write each update to the position along one axis that indices names";
constexpr std::string_view elements_reducing_summary =
    "update the positions along one axis that indices names, with a reduction";

// What the versions share.
constexpr Operation elements_row{
    .form = Form::elements,
    .policies = {.negative = NegativeIndex::from_the_end},
    .index_dtypes = dtypes<DType::int32, DType::int64>,
    .operands = std::span(elements_operands).first(3),
    .attributes = elements_attributes,
    .decisions = elements_decisions,
    .examples = words<"-d data.npy -i indices.npy -u updates.npy -a 1 -o out.npy",
                      "-d 2x3xf32=0 -i '[[-1], [0]]' -u '[[10], [20]]' -a 1">};

// ---- ScatterND

constexpr std::array nd_attributes_16{reduction_16};
constexpr std::array nd_attributes_18{reduction_18};

constexpr std::array nd_13_lines{
    lines::data_rank,
    lines::indices_rank,
    lines::index_depth,
    lines::coordinates_from_the_end,
    lines::int64_only,
    RuleLine{Check::updates_shape, "updates has shape indices.shape[:-1] + data.shape[k:]"},
    lines::updates_dtype};
constexpr auto nd_11_lines = with(nd_13_lines, any_but_bfloat16);
constexpr auto nd_16_lines = with(nd_13_lines, copying_or_valued);
constexpr auto nd_18_lines = with(nd_13_lines, lines::every_reduction);

constexpr std::array nd_decisions{
    row_major, Decision{Knob::index_outside, "as ONNX's reference"},
    Decision{Knob::extremes, "as ONNX's reference; of equals our decision"}, step_by_step,
    Decision{Knob::negative_index, "as later versions say"}};

constexpr std::string_view nd_summary = "overwrite the elements or slices that index entries name";
constexpr std::string_view nd_reducing_summary =
    "update the elements or slices that index entries name, with a reduction";

constexpr Operation nd_row{.form = Form::nd,
                           .policies = {.negative = NegativeIndex::from_the_end},
                           .index_dtypes = dtypes<DType::int64>,
                           .operands = nd_operands,
                           .decisions = nd_decisions,
                           .examples = words<"-d data.npy -i indices.npy -u updates.npy -o out.npy",
                                             "-d 8xf32=0 -i '[[4], [-1]]' -u '[9, 10]'">};

// ---- TensorScatter

// In the order of the node's inputs.
constexpr std::array start_operands{
    operand("data", 'd', OperandRole::data,
            "past_cache, of rank 2 or more; the first axis is the batch", "", "past_cache"),
    updates_operand("update, of data's shape, or shorter along axis", "", "update"),
    optional(operand("indices", 'i', OperandRole::integers,
                     "write_indices: where updates begin along axis, one for each batch; else 0",
                     "", "write_indices"))};

constexpr std::array<IndexAnswer, 2> answers_of_modes{IndexAnswer{},
                                                      {.outside = OutsideIndex::modulo}};
constexpr std::array start_attributes{
    axis("the axis that indices name positions along, in [-r, r), not the batch's", -2),
    word("mode", choices<"linear", "circular">,
         "circular: after the end of the axis comes its beginning", answers_of_modes)};

constexpr std::array start_lines{
    RuleLine{Check::data_rank, "data has rank r >= 2"},
    RuleLine{Check::axis_range,
             "axis is in [-r, r), where r is the rank of data, and not that of the batch, 0 or -r"},
    lines::int64_only,
    RuleLine{Check::indices_shape, "indices has shape [data.shape[0]]"},
    RuleLine{Check::updates_shape,
             "updates has data's shape, but for a size t along axis, which is at most s, that of "
             "data"},
    lines::updates_dtype,
    RuleLine{Check::index_range,
             "with mode = linear, each index is in [0, s - t]; with circular it may be any"},
};

constexpr std::array start_decisions{
    Decision{Knob::negative_index, "our decision: linear refuses, circular takes the remainder"}};

constexpr Operation before_bfloat16(Operation row) {
  row.data_dtypes = without_bfloat16;
  return row;
}

constexpr Operation decided(Operation row, std::span<const Decision> decisions) {
  row.decisions = decisions;
  return row;
}

constexpr Operation reducing(Operation row, std::span<const AttributeInfo> attributes,
                             std::span<const std::string_view> examples) {
  row.attributes = attributes;
  row.examples = examples;
  return row;
}

// Their texts speak of negative indices.
constexpr Operation nd_reducing(std::span<const AttributeInfo> attributes,
                                std::span<const std::string_view> examples) {
  return reducing(decided(nd_row, std::span(nd_decisions).first(4)), attributes, examples);
}

constexpr Operation with_extremes(Operation row, Extremes extremes) {
  row.policies.extremes = extremes;
  return row;
}

constexpr std::array<Operation, 10> rows{{
    named<"onnx.Scatter-9", elements_11_lines, "onnx.scatter_9">(
        elements_summary, before_bfloat16(decided(elements_row, scatter_9_decisions))),
    named<"onnx.ScatterElements-11", elements_11_lines, "onnx.scatter_elements_11">(
        elements_summary, before_bfloat16(elements_row)),
    named<"onnx.ScatterElements-13", elements_13_lines, "onnx.scatter_elements_13">(
        elements_summary, elements_row),
    named<"onnx.ScatterElements-16", elements_16_lines, "onnx.scatter_elements_16">(
        elements_reducing_summary,
        reducing(elements_row, elements_attributes_16,
                 words<"-d data.npy -i indices.npy -u updates.npy -a 1 -r add -o out.npy",
                       "-d 4xf32=2 -i '[1, 1, -1]' -u '[10, 20, 30]' -r mul">)),
    named<"onnx.ScatterElements-18", elements_18_lines, "onnx.scatter_elements_18">(
        elements_reducing_summary,
        reducing(elements_row, elements_attributes_18,
                 words<"-d data.npy -i indices.npy -u updates.npy -a 1 -r add -o out.npy",
                       "-d 4xf32=15 -i '[1, 1, -1]' -u '[10, 20, 30]' -r max">)),
    named<"onnx.ScatterND-11", nd_11_lines, "onnx.scatter_nd_11">(nd_summary,
                                                                  before_bfloat16(nd_row)),
    named<"onnx.ScatterND-13", nd_13_lines, "onnx.scatter_nd_13">(nd_summary, nd_row),
    named<"onnx.ScatterND-16", nd_16_lines, "onnx.scatter_nd_16">(
        nd_reducing_summary,
        nd_reducing(nd_attributes_16,
                    words<"-d data.npy -i indices.npy -u updates.npy -r add -o out.npy",
                          "-d 8xf32=1 -i '[[4], [-1]]' -u '[9, 10]' -r mul">)),
    named<"onnx.ScatterND-18", nd_18_lines, "onnx.scatter_nd_18">(
        nd_reducing_summary,
        with_extremes(
            nd_reducing(nd_attributes_18,
                        words<"-d data.npy -i indices.npy -u updates.npy -r add -o out.npy",
                              "-d 8xf32=0 -i '[[4], [-1]]' -u '[9, 10]' -r max">),
            Extremes::propagate)),
    named<"onnx.TensorScatter-24", start_lines, "onnx.tensor_scatter_24">(
        "write a part of a cache, from a position of its own in each batch",
        {.form = Form::start,
         .index_dtypes = dtypes<DType::int64>,
         .operands = start_operands,
         .attributes = start_attributes,
         .decisions = start_decisions,
         .examples =
             words<"-d cache.npy -i written.npy -u step.npy --in-place",
                   "-d 2x4x1xf32=0 -i '[3, 1]' -u '[[[1], [2]], [[3], [4]]]' --mode circular">}),
}};
static_assert(std::ranges::all_of(rows, forms::is_complete));

}  // namespace

const Namespace onnx{.name = "onnx", .versions = Versions::opset, .operations = rows};

}  // namespace tscatter::names
