// The operations of PaddlePaddle, as its CPU kernels compute them. Spec: docs/ops.md.
#include <algorithm>
#include <array>
#include <span>

#include "tscatter/ops/forms/forms.hpp"
#include "tscatter/ops/names/labelled.hpp"
#include "tscatter/ops/names/lines.hpp"
#include "tscatter/ops/names/namespaces.hpp"
#include "tscatter/ops/names/segment_lines.hpp"

namespace tscatter::names {
namespace {

// ---- Operands

constexpr OperandInfo data_called(std::string_view own) {
  return {.name = "data",
          .flag = 'd',
          .role = OperandRole::data,
          .presence = Presence::required,
          .help = "the tensor that is updated, of rank 1 or more",
          .own = own};
}

constexpr OperandInfo index_called(std::string_view own, std::string_view help) {
  return {.name = "indices",
          .flag = 'i',
          .role = OperandRole::integers,
          .presence = Presence::required,
          .help = help,
          .own = own};
}

constexpr OperandInfo updates_called(std::string_view own, std::string_view help) {
  return {.name = "updates",
          .flag = 'u',
          .role = OperandRole::updates,
          .presence = Presence::required,
          .help = help,
          .own = own};
}

constexpr OperandInfo x = data_called("x");
constexpr OperandInfo vector_index =
    index_called("index", "positions along axis: a vector, or one integer");
constexpr OperandInfo mask{.name = "mask",
                           .flag = 0,
                           .role = OperandRole::mask,
                           .presence = Presence::required,
                           .help = "bools that broadcast to x"};
constexpr OperandInfo items{.name = "index",
                            .flag = 'i',
                            .role = OperandRole::index,
                            .presence = Presence::required,
                            .help =
                                "once for each item of the index: positions, a mask, an integer, a "
                                "slice or ...",
                            .own = "indices"};

constexpr std::array scatter_operands{
    x, vector_index, updates_called("", "x's shape, but as long as index along axis")};
constexpr std::array nd_operands_of_x{
    x, index_called("index", "index entries along the last axis, of rank 1 or more"),
    updates_called("", "index.shape[:-1] + x.shape[index.shape[-1]:]")};
constexpr std::array nd_operands_of_zeros{
    index_called("index", "index entries along the last axis, of rank 1 or more"),
    updates_called("", "index.shape[:-1] + shape[index.shape[-1]:]"),
    OperandInfo{.name = "shape",
                .flag = 0,
                .role = OperandRole::list,
                .presence = Presence::required,
                .help = "the shape of the output, of rank 1 or more"}};
constexpr std::array along_operands{
    data_called("arr"),
    index_called("", "positions along axis, of arr's rank; off axis as long as arr, or 1"),
    updates_called("values", "broadcasts to the shape of indices")};
constexpr std::array index_add_operands{
    x, vector_index, updates_called("value", "x's shape, but as long as index along axis")};
constexpr std::array fill_operands{x, vector_index, updates_called("value", "one value for all")};
constexpr std::array index_put_operands{
    x, items, updates_called("value", "broadcasts to the shape of x[indices]")};
constexpr std::array masked_fill_operands{x, mask, updates_called("value", "one value for all")};

constexpr std::array int32_or_int64{DType::int32, DType::int64};

// ---- Attributes

constexpr AttributeInfo axis{.name = "axis",
                             .flag = 'a',
                             .default_value = std::int64_t{0},
                             .choices = {},
                             .help = "the axis along which index counts, in [-r, r)",
                             .is_required = true};
constexpr AttributeInfo first_axis = [] {
  AttributeInfo made = axis;
  made.help = "the axis along which index counts, in [-r, r); Paddle has 0 only";
  made.is_required = false;
  return made;
}();

constexpr std::array<AttributeValue, 2> overwrite_choices{Reduction::none, Reduction::sum};
constexpr std::array overwrite_words{ReductionWord{Reduction::none, "true"},
                                     ReductionWord{Reduction::sum, "false"}};
constexpr std::array scatter_attributes{
    AttributeInfo{.name = "reduction",
                  .flag = 0,
                  .default_value = Reduction::none,
                  .choices = overwrite_choices,
                  .help = "whether updates replace what is there; else they are added, and what is "
                          "there does not count",
                  .words = overwrite_words,
                  .takes_own_words_only = true,
                  .own = "overwrite"},
    first_axis};

constexpr std::array<AttributeValue, 6> reduce_choices{Reduction::none, Reduction::sum,
                                                       Reduction::prod, Reduction::mean,
                                                       Reduction::min,  Reduction::max};
constexpr std::array reduce_words{
    ReductionWord{Reduction::none, "assign"}, ReductionWord{Reduction::sum, "add"},
    ReductionWord{Reduction::prod, "mul"}, ReductionWord{Reduction::min, "amin"},
    ReductionWord{Reduction::max, "amax"}};
constexpr std::array along_attributes{
    axis,
    AttributeInfo{.name = "reduction",
                  .flag = 'r',
                  .default_value = Reduction::none,
                  .choices = reduce_choices,
                  .help = "how an update combines with the element that is there",
                  .words = reduce_words,
                  .own = "reduce"},
    AttributeInfo{.name = "use_init_val",
                  .flag = 0,
                  .default_value = true,
                  .choices = {},
                  .help = "whether arr's value counts where updates land; else the reduction's "
                          "identity does",
                  .own = "include_self"}};

constexpr std::array axis_only{axis};
constexpr std::array index_add_attributes{axis,
                                          AttributeInfo{.name = "alpha",
                                                        .flag = 0,
                                                        .default_value = Number(std::int64_t{1}),
                                                        .choices = {},
                                                        .help = "value is multiplied by it first"}};
constexpr std::array accumulate_only{
    AttributeInfo{.name = "accumulate",
                  .flag = 0,
                  .default_value = false,
                  .choices = {},
                  .help = "whether updates are added, instead of replacing what is there"}};

// ---- The order of a call in Python

constexpr std::array<std::string_view, 4> scatter_order{"x", "index", "updates", "overwrite"};
constexpr std::array<std::string_view, 6> along_order{"arr",  "indices", "values",
                                                      "axis", "reduce",  "include_self"};
constexpr std::array<std::string_view, 5> index_add_order{"x", "index", "axis", "value", "alpha"};
constexpr std::array<std::string_view, 4> fill_order{"x", "index", "axis", "value"};
constexpr std::array<std::string_view, 4> index_put_order{"x", "indices", "value", "accumulate"};

// ---- Rules

constexpr RuleLine x_rank{Check::data_rank, "x has rank r >= 1"};
constexpr RuleLine axis_of_x{Check::axis_range, "axis is in [-r, r), where r is the rank of x"};
constexpr RuleLine vector_rank{Check::indices_rank, "index has rank 1 or 0"};
constexpr RuleLine index_from_the_end{
    Check::index_range,
    "each index is in [-s, s), where s is the size of x along axis; a negative one counts from the "
    "end"};
constexpr RuleLine two_dtypes{Check::indices_dtype, "index is int32 or int64"};
constexpr RuleLine dtype_of_x{Check::updates_dtype, "updates have the dtype of x"};
constexpr RuleLine value_shape{Check::updates_shape, "value has rank 0"};
constexpr RuleLine summed_dtype{Check::reduction_dtype,
                                "a sum is of any dtype but opaque ones, which are replaced only"};

constexpr std::array scatter_lines{
    x_rank,
    vector_rank,
    axis_of_x,
    index_from_the_end,
    two_dtypes,
    RuleLine{Check::updates_shape,
             "updates have the shape of x, but along axis as many as index has"},
    dtype_of_x,
    summed_dtype};
constexpr std::array index_add_lines{
    x_rank,
    vector_rank,
    axis_of_x,
    index_from_the_end,
    two_dtypes,
    RuleLine{Check::updates_shape, "value has the shape of x, but along axis as many as index has"},
    dtype_of_x,
    summed_dtype};
constexpr std::array fill_lines{x_rank,     vector_rank, axis_of_x, index_from_the_end,
                                two_dtypes, value_shape, dtype_of_x};
constexpr std::array nd_lines{
    x_rank,
    RuleLine{Check::indices_rank, "index has rank q >= 1"},
    RuleLine{Check::index_depth, "the index depth k = index.shape[-1] is at most the rank of x"},
    RuleLine{Check::index_range,
             "coordinate j of each index entry is in [-s, s), where s = x.shape[j]; a negative one "
             "counts from the end"},
    two_dtypes,
    RuleLine{Check::updates_shape, "updates has shape index.shape[:-1] + x.shape[k:]"},
    dtype_of_x,
    summed_dtype};
constexpr std::array nd_lines_of_zeros{
    RuleLine{Check::list_rank, "shape has rank 1"},
    RuleLine{Check::list_dtype, "shape is int32 or int64"},
    RuleLine{Check::base_shape,
             "shape has at most 64 sizes, each of 0 or more, and output has less than 2^63 "
             "elements and bytes"},
    RuleLine{Check::data_rank, "shape has a size or more"},
    RuleLine{Check::indices_rank, "index has rank q >= 1"},
    RuleLine{Check::index_depth,
             "the index depth k = index.shape[-1] is at most the length of shape"},
    RuleLine{Check::index_range,
             "coordinate j of each index entry is in [-s, s), where s = shape[j]; a negative one "
             "counts from the end"},
    two_dtypes,
    RuleLine{Check::updates_shape, "updates has shape index.shape[:-1] + shape[k:]"},
    RuleLine{Check::reduction_dtype, "updates is of any dtype but opaque ones"}};
constexpr std::array along_lines{
    RuleLine{Check::data_rank, "arr has rank r >= 1"},
    RuleLine{Check::indices_rank, "indices has the rank of arr"},
    RuleLine{Check::axis_range, "axis is in [-r, r), where r is the rank of arr"},
    RuleLine{Check::indices_dtype, "indices are int32 or int64"},
    RuleLine{Check::indices_shape, "along every axis but axis, indices is 1 or as long as arr"},
    RuleLine{Check::updates_shape,
             "values broadcasts to the shape of indices, with arr's sizes off axis"},
    RuleLine{Check::updates_dtype, "values has the dtype of arr"},
    RuleLine{Check::reduction_dtype,
             "the reduction is defined for the dtype: opaque dtypes have assign only, complex ones "
             "no amin, amax and mean, bool no mean"},
    RuleLine{Check::index_range,
             "each index is in [-s, s), where s is the size of arr along axis; a negative one "
             "counts from the end"},
};
constexpr std::array index_put_lines{
    x_rank,
    RuleLine{Check::indices_rank,
             "the items of indices are for at most r axes, at most one of them is ..., and none is "
             "None"},
    RuleLine{Check::indices_dtype, "positions are int32 or int64, a mask is of bool"},
    RuleLine{Check::indices_shape,
             "positions broadcast to one shape; a mask is as long as x along its axes"},
    lines::step_not_zero,
    lines::positions_from_the_end,
    RuleLine{Check::updates_shape, "value broadcasts to the shape of x[indices]"},
    dtype_of_x,
    summed_dtype};
constexpr std::array masked_fill_lines{
    x_rank, RuleLine{Check::indices_dtype, "mask is of dtype bool"},
    RuleLine{Check::indices_shape, "mask broadcasts to the shape of x"}, dtype_of_x, value_shape};

// ---- Decisions

constexpr std::string_view on_cpu = "as Paddle on a CPU";
constexpr Decision order{Knob::duplicates, "as Paddle on a CPU; its text has none"};
constexpr Decision rounding{Knob::accumulation, on_cpu};
constexpr std::array summing{order, rounding};
constexpr std::array reducing{
    order,
    rounding,
    Decision{Knob::extremes, on_cpu},
    Decision{Knob::mean_of_integers, on_cpu},
    Decision{Knob::mean_divisor, on_cpu},
    Decision{Knob::initial_value,
             "our decision: in Paddle the first update replaces, which leaves another -0 or NaN"}};

constexpr std::array ascending_sums{rounding};
constexpr std::array ascending_extremes{Decision{Knob::extremes, on_cpu}};
constexpr std::array ascending_means{rounding, Decision{Knob::mean_of_integers, on_cpu},
                                     Decision{Knob::mean_divisor, on_cpu}};

constexpr Policies from_the_end{.negative = NegativeIndex::from_the_end};
constexpr Policies sum_of_updates{.negative = NegativeIndex::from_the_end,
                                  .initial = InitialValue::identity};
constexpr Policies reduced{.negative = NegativeIndex::from_the_end,
                           .mean = {.divisor = MeanDivisor::in_dtype}};

// ---- Examples

using Examples = std::array<std::string_view, 2>;
constexpr Examples index_add_examples{"-d x.npy --axis 0 -i ids.npy -u rows.npy -o out.npy",
                                      "-d 3xf32=0 --axis 0 -i '[-1, -1]' -u '[1, 3]' --alpha 2"};
constexpr Examples index_fill_examples{"-d x.npy --axis 0 -i ids.npy --value 0 --in-place",
                                       "-d 3xf32=0 --axis 0 -i '[-1, 0]' --value 7"};
constexpr Examples index_put_examples{
    "-d x.npy -i rows.npy -i columns.npy -u values.npy -o out.npy",
    "-d 3x2xf32=0 -i '[[2, 0]]' -u '[[1], [2]]' --accumulate"};
constexpr Examples masked_fill_examples{"-d x.npy --mask mask.npy --value 0 --in-place",
                                        "-d 2x2xf32=0 --mask '[[true], [false]]' --value 7"};
constexpr Examples along_examples{
    "-d a.npy -i top.npy -u best.npy --axis 1 -o out.npy",
    "-d 2x3xf32=1 -i '[[1, 1]]' -u 5 --axis 1 --reduce add --include-self false"};
constexpr Examples scatter_examples{"-d x.npy -i ids.npy -u rows.npy -o out.npy",
                                    "-d 3xf32=9 -i '[1, 1]' -u '[1, 2]' --overwrite false"};
constexpr Examples nd_examples{"-d x.npy -i index.npy -u updates.npy -o out.npy",
                               "-d 3xf32=9 -i '[[-1], [0], [0]]' -u '[1, 2, 3]'"};

constexpr Examples zeros_examples{"-i index.npy -u updates.npy --shape 100,50 -o out.npy",
                                  "-i '[[1], [-1], [1]]' -u 3xf32=1,2,4 --shape 4"};

constexpr Operation segments(std::string_view name, std::string_view summary, Reduction reduction,
                             const InitialValue& initial, std::span<const OperationRule> rules,
                             std::span<const Decision> decisions) {
  Operation row = sorted_segments(name, summary, reduction, rules, decisions);
  row.policies.mean.divisor = MeanDivisor::in_dtype;
  return beginning_with(row, initial);
}

constexpr std::array<Operation, 12> rows{{
    segments("paddle.geometric.segment_max", "the greatest of the rows of each segment",
             Reduction::max, InitialValue::infinite,
             labelled<"paddle.geometric.segment_max", lines::of_sorted_extremes>,
             ascending_extremes),
    segments("paddle.geometric.segment_mean", "the mean of the rows of each segment",
             Reduction::mean, InitialValue::identity,
             labelled<"paddle.geometric.segment_mean", lines::of_sorted_extremes>, ascending_means),
    segments("paddle.geometric.segment_min", "the least of the rows of each segment",
             Reduction::min, InitialValue::infinite,
             labelled<"paddle.geometric.segment_min", lines::of_sorted_extremes>,
             ascending_extremes),
    segments("paddle.geometric.segment_sum", "the sum of the rows of each segment", Reduction::sum,
             InitialValue::identity,
             labelled<"paddle.geometric.segment_sum", lines::of_sorted_sums>, ascending_sums),
    {.name = "paddle.index_add",
     .id = "paddle.index_add",
     .summary = "add rows, multiplied by alpha, at positions along one axis",
     .form = Form::rows,
     .fixed = Reduction::sum,
     .policies = from_the_end,
     .index_rank = IndexRank::vector,
     .index_dtypes = int32_or_int64,
     .operands = index_add_operands,
     .attributes = index_add_attributes,
     .rules = labelled<"paddle.index_add", index_add_lines>,
     .decisions = summing,
     .examples = index_add_examples,
     .order = index_add_order},
    {.name = "paddle.index_fill",
     .id = "paddle.index_fill",
     .summary = "write one value at positions along one axis",
     .form = Form::rows,
     .policies = from_the_end,
     .updates_shape = UpdatesShape::fill,
     .index_rank = IndexRank::vector,
     .index_dtypes = int32_or_int64,
     .operands = fill_operands,
     .attributes = axis_only,
     .rules = labelled<"paddle.index_fill", fill_lines>,
     .examples = index_fill_examples,
     .order = fill_order},
    {.name = "paddle.index_put",
     .id = "paddle.index_put",
     .summary = "write or add values at an index of positions, masks and slices",
     .form = Form::index,
     .policies = from_the_end,
     .updates_shape = UpdatesShape::broadcast,
     .takes_new_axes = false,
     .index_dtypes = int32_or_int64,
     .operands = index_put_operands,
     .attributes = accumulate_only,
     .rules = labelled<"paddle.index_put", index_put_lines>,
     .decisions = summing,
     .examples = index_put_examples,
     .order = index_put_order},
    {.name = "paddle.masked_fill",
     .id = "paddle.masked_fill",
     .summary = "write one value where a mask is true",
     .form = Form::mask,
     .updates_shape = UpdatesShape::fill,
     .operands = masked_fill_operands,
     .rules = labelled<"paddle.masked_fill", masked_fill_lines>,
     .examples = masked_fill_examples},
    {.name = "paddle.put_along_axis",
     .id = "paddle.put_along_axis",
     .summary = "combine values with elements at positions along one axis",
     .form = Form::elements,
     .policies = reduced,
     .updates_shape = UpdatesShape::broadcast,
     .broadcasts_indices = true,
     .excluded = InitialValue::infinite,
     .index_dtypes = int32_or_int64,
     .operands = along_operands,
     .attributes = along_attributes,
     .rules = labelled<"paddle.put_along_axis", along_lines>,
     .decisions = reducing,
     .examples = along_examples,
     .order = along_order},
    {.name = "paddle.scatter",
     .id = "paddle.scatter",
     .summary = "replace rows, or add rows into those that first become 0",
     .form = Form::rows,
     .policies = sum_of_updates,
     .index_rank = IndexRank::vector,
     .index_dtypes = int32_or_int64,
     .operands = scatter_operands,
     .attributes = scatter_attributes,
     .rules = labelled<"paddle.scatter", scatter_lines>,
     .decisions = summing,
     .examples = scatter_examples,
     .order = scatter_order},
    {.name = "paddle.scatter_nd",
     .id = "paddle.scatter_nd",
     .summary = "add elements or slices up in a tensor of zeros",
     .form = Form::nd,
     .base = BaseFrom::shape,
     .fixed = Reduction::sum,
     .policies = from_the_end,
     .index_dtypes = int32_or_int64,
     .operands = nd_operands_of_zeros,
     .rules = labelled<"paddle.scatter_nd", nd_lines_of_zeros>,
     .decisions = summing,
     .examples = zeros_examples},
    {.name = "paddle.scatter_nd_add",
     .id = "paddle.scatter_nd_add",
     .summary = "add to the elements or slices that index entries name",
     .form = Form::nd,
     .fixed = Reduction::sum,
     .policies = from_the_end,
     .index_dtypes = int32_or_int64,
     .operands = nd_operands_of_x,
     .rules = labelled<"paddle.scatter_nd_add", nd_lines>,
     .decisions = summing,
     .examples = nd_examples},
}};
static_assert(std::ranges::all_of(rows, forms::has_all_rules));
static_assert(std::ranges::all_of(rows, forms::takes_integers));

}  // namespace

const Namespace paddle{.name = "paddle",
                       .aliases = {"paddlepaddle"},
                       .packages = {"tensor"},
                       .versions = Versions::exact,
                       .operations = rows};

}  // namespace tscatter::names
