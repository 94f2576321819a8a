// The operations of PaddlePaddle, as its CPU kernels compute them. Spec: docs/ops.md.
#include <algorithm>
#include <array>
#include <span>

#include "tscatter/ops/forms/forms.hpp"
#include "tscatter/ops/names/form_lines.hpp"
#include "tscatter/ops/names/lines.hpp"
#include "tscatter/ops/names/namespaces.hpp"

namespace tscatter::names {
namespace {

// ---- Operands

constexpr OperandInfo x = data_operand("x");
constexpr OperandInfo vector_index =
    indices_operand("positions along axis: a vector, or one integer", "index");
constexpr OperandInfo entries =
    indices_operand("index entries along the last axis, of rank 1 or more", "index");

constexpr std::array scatter_operands{
    x, vector_index, updates_operand("x's shape, but as long as index along axis")};
constexpr std::array nd_operands_of_x{
    x, entries, updates_operand("index.shape[:-1] + x.shape[index.shape[-1]:]")};
constexpr std::array nd_operands_of_zeros{
    entries, updates_operand("index.shape[:-1] + shape[index.shape[-1]:]"), shape_operand};
constexpr std::array along_operands{
    data_operand("arr"),
    indices_operand("positions along axis, of arr's rank; off axis as long as arr, or 1"),
    updates_operand("broadcasts to the shape of indices", "values")};
constexpr std::array index_add_operands{
    x, vector_index, updates_operand("x's shape, but as long as index along axis", "value")};
constexpr std::array fill_operands{x, vector_index, updates_operand("one value for all", "value")};
constexpr std::array index_put_operands{
    x,
    index_operand("once for each item of the index: positions, a mask, an integer, a slice or ...",
                  "indices"),
    updates_operand("broadcasts to the shape of x[indices]", "value")};
constexpr std::array masked_fill_operands{x, mask_operand("bools that broadcast to x"),
                                          updates_operand("one value for all", "value")};

// ---- Attributes

constexpr AttributeInfo axis_of_index =
    required(axis("the axis along which index counts, in [-r, r)"));

constexpr std::array overwrite_words{ReductionWord{Reduction::none, "true"},
                                     ReductionWord{Reduction::sum, "false"}};
constexpr std::array scatter_attributes{
    AttributeInfo{.name = "reduction",
                  .default_value = Reduction::none,
                  .choices = reductions<Reduction::none, Reduction::sum>,
                  .help = "whether updates replace what is there; else they are added, and what is "
                          "there does not count",
                  .words = overwrite_words,
                  .takes_own_words_only = true,
                  .own = "overwrite"},
    axis("the axis along which index counts, in [-r, r); Paddle has 0 only")};

constexpr std::array reduce_words{
    ReductionWord{Reduction::none, "assign"}, ReductionWord{Reduction::sum, "add"},
    ReductionWord{Reduction::prod, "mul"}, ReductionWord{Reduction::min, "amin"},
    ReductionWord{Reduction::max, "amax"}};
constexpr std::array along_attributes{
    axis_of_index,
    reduction(reductions<Reduction::none, Reduction::sum, Reduction::prod, Reduction::mean,
                         Reduction::min, Reduction::max>,
              reduce_words, "reduce"),
    boolean("use_init_val", true,
            "whether arr's value counts where updates land; else the reduction's identity does",
            "include_self")};

constexpr std::array axis_only{axis_of_index};
constexpr std::array index_add_attributes{axis_of_index, alpha("value is multiplied by it first")};

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
constexpr auto nd_lines_of_zeros = with(
    lines::base_of_shape, RuleLine{Check::indices_rank, "index has rank q >= 1"},
    RuleLine{Check::index_depth,
             "the index depth k = index.shape[-1] is at most the length of shape"},
    RuleLine{Check::index_range,
             "coordinate j of each index entry is in [-s, s), where s = shape[j]; a negative one "
             "counts from the end"},
    two_dtypes, RuleLine{Check::updates_shape, "updates has shape index.shape[:-1] + shape[k:]"},
    RuleLine{Check::reduction_dtype, "updates is of any dtype but opaque ones"});
constexpr std::array along_lines{
    RuleLine{Check::data_rank, "arr has rank r >= 1"},
    RuleLine{Check::indices_rank, "indices has the rank of arr"},
    RuleLine{Check::axis_range, "axis is in [-r, r), where r is the rank of arr"},
    lines::int32_or_int64,
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

constexpr Operation segments(Reduction reduction, const InitialValue& initial,
                             std::span<const Decision> decisions) {
  Operation row = beginning_with(sorted_segments(reduction, decisions), initial);
  row.policies.mean.divisor = MeanDivisor::in_dtype;
  return row;
}

constexpr std::array<Operation, 12> rows{{
    named<"paddle.geometric.segment_max", lines::of_sorted_extremes>(
        "the greatest of the rows of each segment",
        segments(Reduction::max, InitialValue::infinite, ascending_extremes)),
    named<"paddle.geometric.segment_mean", lines::of_sorted_extremes>(
        "the mean of the rows of each segment",
        segments(Reduction::mean, InitialValue::identity, ascending_means)),
    named<"paddle.geometric.segment_min", lines::of_sorted_extremes>(
        "the least of the rows of each segment",
        segments(Reduction::min, InitialValue::infinite, ascending_extremes)),
    named<"paddle.geometric.segment_sum", lines::of_sorted_sums>(
        "the sum of the rows of each segment",
        segments(Reduction::sum, InitialValue::identity, ascending_sums)),
    named<"paddle.index_add", index_add_lines>(
        "add rows, multiplied by alpha, at positions along one axis",
        {.form = Form::rows,
         .fixed = Reduction::sum,
         .policies = from_the_end,
         .index_rank = IndexRank::vector,
         .index_dtypes = dtypes<DType::int32, DType::int64>,
         .operands = index_add_operands,
         .attributes = index_add_attributes,
         .decisions = summing,
         .examples = words<"-d x.npy --axis 0 -i ids.npy -u rows.npy -o out.npy",
                           "-d 3xf32=0 --axis 0 -i '[-1, -1]' -u '[1, 3]' --alpha 2">,
         .order = words<"x", "index", "axis", "value", "alpha">}),
    named<"paddle.index_fill", fill_lines>(
        "write one value at positions along one axis",
        {.form = Form::rows,
         .policies = from_the_end,
         .updates_shape = UpdatesShape::fill,
         .index_rank = IndexRank::vector,
         .index_dtypes = dtypes<DType::int32, DType::int64>,
         .operands = fill_operands,
         .attributes = axis_only,
         .examples = words<"-d x.npy --axis 0 -i ids.npy --value 0 --in-place",
                           "-d 3xf32=0 --axis 0 -i '[-1, 0]' --value 7">,
         .order = words<"x", "index", "axis", "value">}),
    named<"paddle.index_put", index_put_lines>(
        "write or add values at an index of positions, masks and slices",
        {.form = Form::index,
         .policies = from_the_end,
         .updates_shape = UpdatesShape::broadcast,
         .takes_new_axes = false,
         .index_dtypes = dtypes<DType::int32, DType::int64>,
         .operands = index_put_operands,
         .attributes = accumulate_only,
         .decisions = summing,
         .examples = words<"-d x.npy -i rows.npy -i columns.npy -u values.npy -o out.npy",
                           "-d 3x2xf32=0 -i '[[2, 0]]' -u '[[1], [2]]' --accumulate">,
         .order = words<"x", "indices", "value", "accumulate">}),
    named<"paddle.masked_fill", masked_fill_lines>(
        "write one value where a mask is true",
        {.form = Form::mask,
         .updates_shape = UpdatesShape::fill,
         .operands = masked_fill_operands,
         .examples = words<"-d x.npy --mask mask.npy --value 0 --in-place",
                           "-d 2x2xf32=0 --mask '[[true], [false]]' --value 7">}),
    named<"paddle.put_along_axis", along_lines>(
        "combine values with elements at positions along one axis",
        {.form = Form::elements,
         .policies = reduced,
         .updates_shape = UpdatesShape::broadcast,
         .broadcasts_indices = true,
         .excluded = InitialValue::infinite,
         .index_dtypes = dtypes<DType::int32, DType::int64>,
         .operands = along_operands,
         .attributes = along_attributes,
         .decisions = reducing,
         .examples =
             words<"-d a.npy -i top.npy -u best.npy --axis 1 -o out.npy",
                   "-d 2x3xf32=1 -i '[[1, 1]]' -u 5 --axis 1 --reduce add --include-self false">,
         .order = words<"arr", "indices", "values", "axis", "reduce", "include_self">}),
    named<"paddle.scatter", scatter_lines>(
        "replace rows, or add rows into those that first become 0",
        {.form = Form::rows,
         .policies = sum_of_updates,
         .index_rank = IndexRank::vector,
         .index_dtypes = dtypes<DType::int32, DType::int64>,
         .operands = scatter_operands,
         .attributes = scatter_attributes,
         .decisions = summing,
         .examples = words<"-d x.npy -i ids.npy -u rows.npy -o out.npy",
                           "-d 3xf32=9 -i '[1, 1]' -u '[1, 2]' --overwrite false">,
         .order = words<"x", "index", "updates", "overwrite">}),
    named<"paddle.scatter_nd", nd_lines_of_zeros>(
        "add elements or slices up in a tensor of zeros",
        {.form = Form::nd,
         .base = BaseFrom::shape,
         .fixed = Reduction::sum,
         .policies = from_the_end,
         .index_dtypes = dtypes<DType::int32, DType::int64>,
         .operands = nd_operands_of_zeros,
         .decisions = summing,
         .examples = words<"-i index.npy -u updates.npy --shape 100,50 -o out.npy",
                           "-i '[[1], [-1], [1]]' -u 3xf32=1,2,4 --shape 4">}),
    named<"paddle.scatter_nd_add", nd_lines>(
        "add to the elements or slices that index entries name",
        {.form = Form::nd,
         .fixed = Reduction::sum,
         .policies = from_the_end,
         .index_dtypes = dtypes<DType::int32, DType::int64>,
         .operands = nd_operands_of_x,
         .decisions = summing,
         .examples = words<"-d x.npy -i index.npy -u updates.npy -o out.npy",
                           "-d 3xf32=9 -i '[[-1], [0], [0]]' -u '[1, 2, 3]'">}),
}};
static_assert(std::ranges::all_of(rows, forms::is_complete));

}  // namespace

const Namespace paddle{.name = "paddle",
                       .aliases = {"paddlepaddle"},
                       .packages = {"tensor"},
                       .versions = Versions::exact,
                       .operations = rows};

}  // namespace tscatter::names
