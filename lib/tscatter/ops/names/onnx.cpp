// The operations of ONNX. Spec: docs/ops.md.
#include <algorithm>
#include <array>
#include <span>

#include "tscatter/ops/forms/forms.hpp"
#include "tscatter/ops/names/labelled.hpp"
#include "tscatter/ops/names/lines.hpp"
#include "tscatter/ops/names/namespaces.hpp"

namespace tscatter::names {
namespace {

// Before opset 13.
constexpr std::array without_bfloat16{
    DType::boolean, DType::int8,    DType::int16,     DType::int32,      DType::int64,
    DType::uint8,   DType::uint16,  DType::uint32,    DType::uint64,     DType::float16,
    DType::float32, DType::float64, DType::complex64, DType::complex128, DType::opaque};

constexpr RuleLine any_but_bfloat16{Check::data_dtype, "data is of any dtype but bfloat16"};

// ---- Reductions, since opset 16

constexpr std::array<AttributeValue, 5> reductions{Reduction::none, Reduction::sum, Reduction::prod,
                                                   Reduction::max, Reduction::min};

constexpr std::array words{ReductionWord{Reduction::sum, "add"},
                           ReductionWord{Reduction::prod, "mul"}};

constexpr AttributeInfo reduction_attribute(std::span<const AttributeValue> choices) {
  return {.name = "reduction",
          .flag = 'r',
          .default_value = Reduction::none,
          .choices = choices,
          .help = "how an update combines with the element that is there",
          .words = words};
}

constexpr std::array attributes_16{reduction_attribute(std::span(reductions).first(3))};
constexpr std::array attributes_18{reduction_attribute(reductions)};

constexpr RuleLine copying_or_valued{
    Check::reduction_dtype, "the reduction is defined for the dtype: opaque dtypes have none only"};

// ---- Scatter and ScatterElements

constexpr AttributeInfo axis_attribute{.name = "axis",
                                       .flag = 'a',
                                       .default_value = std::int64_t{0},
                                       .choices = {},
                                       .help = "the axis along which indices count, in [-r, r)"};

constexpr std::array elements_attributes{axis_attribute};
constexpr std::array elements_attributes_16{axis_attribute, attributes_16.front()};
constexpr std::array elements_attributes_18{axis_attribute, attributes_18.front()};

constexpr std::span elements_inputs = std::span(elements_operands).first(3);
constexpr std::array elements_index_dtypes{DType::int32, DType::int64};

constexpr std::array elements_13_lines{
    lines::data_rank,
    lines::elements_rank,
    lines::axis_range,
    lines::index_from_the_end,
    RuleLine{Check::indices_dtype, "indices are int32 or int64"},
    lines::elements_shape,
    lines::elements_updates,
    lines::updates_dtype,
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

constexpr std::array<std::string_view, 2> elements_examples{
    "-d data.npy -i indices.npy -u updates.npy -a 1 -o out.npy",
    "-d 2x3xf32=0 -i '[[-1], [0]]' -u '[[10], [20]]' -a 1",
};

constexpr std::array<std::string_view, 2> elements_16_examples{
    "-d data.npy -i indices.npy -u updates.npy -a 1 -r add -o out.npy",
    "-d 4xf32=2 -i '[1, 1, -1]' -u '[10, 20, 30]' -r mul",
};

constexpr std::array<std::string_view, 2> elements_18_examples{
    "-d data.npy -i indices.npy -u updates.npy -a 1 -r add -o out.npy",
    "-d 4xf32=15 -i '[1, 1, -1]' -u '[10, 20, 30]' -r max",
};

constexpr std::string_view elements_summary =
    "write each update to the position along one axis that indices names";
constexpr std::string_view elements_reducing_summary =
    "update the positions along one axis that indices names, with a reduction";

// ---- ScatterND

constexpr std::array int64_only{DType::int64};

constexpr RuleLine nd_indices{Check::indices_dtype, "indices are int64"};
constexpr RuleLine nd_updates{Check::updates_shape,
                              "updates has shape indices.shape[:-1] + data.shape[k:]"};

constexpr std::array nd_13_lines{
    lines::data_rank, lines::indices_rank, lines::index_depth,  lines::coordinates_from_the_end,
    nd_indices,       nd_updates,          lines::updates_dtype};

constexpr auto nd_11_lines = with(nd_13_lines, any_but_bfloat16);
constexpr auto nd_16_lines = with(nd_13_lines, copying_or_valued);
constexpr auto nd_18_lines = with(nd_13_lines, lines::every_reduction);

constexpr std::array nd_decisions{
    row_major, Decision{Knob::index_outside, "as ONNX's reference"},
    Decision{Knob::extremes, "as ONNX's reference; of equals our decision"}, step_by_step,
    Decision{Knob::negative_index, "as later versions say"}};

// The texts of -16 and -18 speak of negative indices.
constexpr std::span nd_16_decisions = std::span(nd_decisions).first(4);

constexpr std::array<std::string_view, 2> nd_examples{
    "-d data.npy -i indices.npy -u updates.npy -o out.npy",
    "-d 8xf32=0 -i '[[4], [-1]]' -u '[9, 10]'",
};

constexpr std::array<std::string_view, 2> nd_16_examples{
    "-d data.npy -i indices.npy -u updates.npy -r add -o out.npy",
    "-d 8xf32=1 -i '[[4], [-1]]' -u '[9, 10]' -r mul",
};

constexpr std::array<std::string_view, 2> nd_18_examples{
    "-d data.npy -i indices.npy -u updates.npy -r add -o out.npy",
    "-d 8xf32=0 -i '[[4], [-1]]' -u '[9, 10]' -r max",
};

constexpr std::string_view nd_summary = "overwrite the elements or slices that index entries name";
constexpr std::string_view nd_reducing_summary =
    "update the elements or slices that index entries name, with a reduction";

// ---- TensorScatter

// In the order of the node's inputs.
constexpr std::array start_operands{
    OperandInfo{"data",
                'd',
                OperandRole::data,
                Presence::required,
                "past_cache, of rank 2 or more; the first axis is the batch",
                {"past_cache"}},
    OperandInfo{"updates",
                'u',
                OperandRole::updates,
                Presence::required,
                "update, of data's shape, or shorter along axis",
                {"update"}},
    OperandInfo{"indices",
                'i',
                OperandRole::integers,
                Presence::optional,
                "write_indices: where updates begin along axis, one for each batch; else 0",
                {"write_indices"}},
};

constexpr std::array<AttributeValue, 2> modes{Word{"linear"}, Word{"circular"}};
constexpr std::array<IndexAnswer, 2> answers_of_modes{IndexAnswer{},
                                                      {.outside = OutsideIndex::modulo}};

constexpr std::array start_attributes{
    AttributeInfo{
        .name = "axis",
        .flag = 'a',
        .default_value = std::int64_t{-2},
        .choices = {},
        .help = "the axis that indices name positions along, in [-r, r), not the batch's"},
    AttributeInfo{.name = "mode",
                  .flag = 0,
                  .default_value = Word{"linear"},
                  .choices = modes,
                  .help = "circular: after the end of the axis comes its beginning",
                  .answers = answers_of_modes}};

constexpr std::array start_lines{
    RuleLine{Check::data_rank, "data has rank r >= 2"},
    RuleLine{Check::axis_range,
             "axis is in [-r, r), where r is the rank of data, and not that of the batch, 0 or -r"},
    RuleLine{Check::indices_dtype, "indices are int64"},
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

constexpr std::array<std::string_view, 2> start_examples{
    "-d cache.npy -i written.npy -u step.npy --in-place",
    "-d 2x4x1xf32=0 -i '[3, 1]' -u '[[[1], [2]], [[3], [4]]]' --mode circular",
};

// What the versions of an operation share; name, id and rules are a version's own.
constexpr Operation elements_row{.name = {},
                                 .id = {},
                                 .summary = elements_summary,
                                 .form = Form::elements,
                                 .policies = {.negative = NegativeIndex::from_the_end},
                                 .index_dtypes = elements_index_dtypes,
                                 .operands = elements_inputs,
                                 .attributes = elements_attributes,
                                 .rules = {},
                                 .decisions = elements_decisions,
                                 .examples = elements_examples};

constexpr Operation nd_row{.name = {},
                           .id = {},
                           .summary = nd_summary,
                           .form = Form::nd,
                           .policies = {.negative = NegativeIndex::from_the_end},
                           .index_dtypes = int64_only,
                           .operands = nd_operands,
                           .rules = {},
                           .decisions = nd_decisions,
                           .examples = nd_examples};

constexpr Operation version(Operation row, std::string_view name, std::string_view id,
                            std::span<const OperationRule> rules) {
  row.name = name;
  row.id = id;
  row.rules = rules;
  return row;
}

constexpr Operation before_bfloat16(Operation row) {
  row.data_dtypes = without_bfloat16;
  return row;
}

constexpr Operation reducing(Operation row, std::string_view summary,
                             std::span<const AttributeInfo> attributes,
                             std::span<const std::string_view> examples) {
  row.summary = summary;
  row.attributes = attributes;
  row.examples = examples;
  return row;
}

constexpr Operation decided(Operation row, std::span<const Decision> decisions) {
  row.decisions = decisions;
  return row;
}

constexpr Operation with_extremes(Operation row, Extremes extremes) {
  row.policies.extremes = extremes;
  return row;
}

constexpr Operation nd_reducing_row(std::span<const AttributeInfo> attributes,
                                    std::span<const std::string_view> examples) {
  return decided(reducing(nd_row, nd_reducing_summary, attributes, examples), nd_16_decisions);
}

constexpr std::array<Operation, 10> rows{{
    version(before_bfloat16(decided(elements_row, scatter_9_decisions)), "onnx.Scatter-9",
            "onnx.scatter_9", labelled<"onnx.scatter_9", elements_11_lines>),
    version(before_bfloat16(elements_row), "onnx.ScatterElements-11", "onnx.scatter_elements_11",
            labelled<"onnx.scatter_elements_11", elements_11_lines>),
    version(elements_row, "onnx.ScatterElements-13", "onnx.scatter_elements_13",
            labelled<"onnx.scatter_elements_13", elements_13_lines>),
    version(reducing(elements_row, elements_reducing_summary, elements_attributes_16,
                     elements_16_examples),
            "onnx.ScatterElements-16", "onnx.scatter_elements_16",
            labelled<"onnx.scatter_elements_16", elements_16_lines>),
    version(reducing(elements_row, elements_reducing_summary, elements_attributes_18,
                     elements_18_examples),
            "onnx.ScatterElements-18", "onnx.scatter_elements_18",
            labelled<"onnx.scatter_elements_18", elements_18_lines>),
    version(before_bfloat16(nd_row), "onnx.ScatterND-11", "onnx.scatter_nd_11",
            labelled<"onnx.scatter_nd_11", nd_11_lines>),
    version(nd_row, "onnx.ScatterND-13", "onnx.scatter_nd_13",
            labelled<"onnx.scatter_nd_13", nd_13_lines>),
    version(nd_reducing_row(attributes_16, nd_16_examples), "onnx.ScatterND-16",
            "onnx.scatter_nd_16", labelled<"onnx.scatter_nd_16", nd_16_lines>),
    version(with_extremes(nd_reducing_row(attributes_18, nd_18_examples), Extremes::propagate),
            "onnx.ScatterND-18", "onnx.scatter_nd_18", labelled<"onnx.scatter_nd_18", nd_18_lines>),
    {.name = "onnx.TensorScatter-24",
     .id = "onnx.tensor_scatter_24",
     .summary = "write a part of a cache, from a position of its own in each batch",
     .form = Form::start,
     .index_dtypes = int64_only,
     .operands = start_operands,
     .attributes = start_attributes,
     .rules = labelled<"onnx.tensor_scatter_24", start_lines>,
     .decisions = start_decisions,
     .examples = start_examples},
}};
static_assert(std::ranges::all_of(rows, forms::has_all_rules));
static_assert(std::ranges::all_of(rows, forms::takes_integers));

}  // namespace

const Namespace onnx{.name = "onnx", .versions = Versions::opset, .operations = rows};

}  // namespace tscatter::names
