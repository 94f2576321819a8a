// The operations of PyTorch, as its CPU kernels compute them. Spec: docs/ops.md.
#include <algorithm>
#include <array>

#include "tscatter/ops/forms/forms.hpp"
#include "tscatter/ops/names/lines.hpp"
#include "tscatter/ops/names/namespaces.hpp"

namespace tscatter::names {
namespace {

// ---- Operands

constexpr OperandInfo input = data_operand("input");
constexpr OperandInfo element_index = indices_operand(
    "a position along dim for each element that is read of src, of input's rank", "index");
constexpr OperandInfo vector_index =
    indices_operand("positions along dim: a vector, or one integer", "index");
constexpr OperandInfo value = updates_operand("one value for all", "value");
constexpr OperandInfo mask = mask_operand("bools that broadcast to input");

constexpr std::array elements_operands_of_torch{
    input, element_index,
    updates_operand("as long as index along each axis, or longer: the first are read", "src")};
constexpr std::array scatter_operands{
    input, element_index,
    updates_operand("as long as index along each axis, or longer: the first are read; or one value "
                    "for all",
                    "src", "value")};
constexpr std::array rows_operands{
    input, vector_index,
    updates_operand("input's shape, but as long as index along dim", "source")};
constexpr std::array fill_operands{input, vector_index, value};
constexpr std::array put_operands{
    input,
    indices_operand("positions among all elements of input, in row-major order, of any shape",
                    "index"),
    updates_operand("of as many elements as index", "source")};
constexpr std::array index_put_operands{
    input,
    index_operand("once for each item of the index: positions, a mask, an integer, a slice or ...",
                  "indices"),
    updates_operand("broadcasts to the shape of input[index]", "values")};
constexpr std::array masked_fill_operands{input, mask, value};
constexpr std::array masked_scatter_operands{
    input, mask,
    updates_operand("of as many elements as mask has places that are true, or more", "source")};
constexpr std::array slice_operands{input, updates_operand("the shape of the slice", "src")};
constexpr std::array select_operands{input,
                                     indices_operand("the position along dim, of rank 0", "index"),
                                     updates_operand("input's shape without dim", "src")};
constexpr std::array diagonal_operands{
    input, updates_operand("the other axes of input, then one along the diagonal", "src")};

// ---- Attributes

constexpr AttributeInfo dim_of(std::string_view help) {
  AttributeInfo dim = axis(help);
  dim.own = "dim";
  return dim;
}
constexpr AttributeInfo dim = required(dim_of("the axis along which index counts, in [-r, r)"));

constexpr std::array torch_words{ReductionWord{Reduction::max, "amax"},
                                 ReductionWord{Reduction::min, "amin"}};
constexpr std::array scatter_words{ReductionWord{Reduction::sum, "add"},
                                   ReductionWord{Reduction::prod, "multiply"}};

constexpr AttributeInfo reduce(std::span<const AttributeValue> choices,
                               std::span<const ReductionWord> words) {
  AttributeInfo made = reduction(choices, words, "reduce");
  made.takes_own_words_only = true;
  return made;
}

constexpr AttributeInfo include_self =
    boolean("use_init_val", true,
            "whether input's value counts where updates land; else the reduction's identity does",
            "include_self");

constexpr std::array dim_only{dim};
constexpr std::array scatter_attributes{
    dim, reduce(reductions<Reduction::none, Reduction::sum, Reduction::prod>, scatter_words)};
constexpr std::array scatter_reduce_attributes{
    dim,
    required(reduce(reductions<Reduction::sum, Reduction::prod, Reduction::mean, Reduction::max,
                               Reduction::min>,
                    torch_words)),
    include_self};
constexpr std::array index_add_attributes{dim, alpha("source is multiplied by it first")};
constexpr std::array index_reduce_attributes{
    dim,
    required(reduce(reductions<Reduction::prod, Reduction::mean, Reduction::max, Reduction::min>,
                    torch_words)),
    include_self};

constexpr AttributeInfo end{.name = "stop",
                            .default_value = open_end,
                            .help = "the slice ends before this position, by default at the end",
                            .own = "end"};
constexpr std::array slice_attributes{
    dim_of("the axis of the slice, in [-r, r)"),
    integer("start", 0, "where the slice begins; a negative one counts from the end"), end,
    integer("step", 1, "how far apart its positions are, 1 or more")};
constexpr std::array diagonal_attributes{
    integer("offset", 0, "above the main diagonal, or below it if it is negative"),
    integer("dim1", 0, "the axis of rows"), integer("dim2", 1, "the axis of columns")};

// ---- Rules

constexpr RuleLine input_rank{Check::data_rank, "input has rank r >= 1"};
constexpr RuleLine dim_range{Check::axis_range, "dim is in [-r, r), where r is the rank of input"};
constexpr RuleLine index_from_0{Check::index_range,
                                "each index is in [0, s), where s is the size of input along dim"};
constexpr RuleLine index_from_the_end{
    Check::index_range,
    "each index is in [-s, s), where s is the size of input along dim; a negative one counts from "
    "the end"};
constexpr RuleLine two_dtypes{Check::indices_dtype, "index is int32 or int64"};
constexpr RuleLine one_dtype{Check::indices_dtype, "index is int64"};
constexpr RuleLine values_dtype{Check::updates_dtype, "updates have the dtype of input"};
constexpr RuleLine value_shape{Check::updates_shape, "value has rank 0"};
constexpr RuleLine vector_rank{Check::indices_rank, "index has rank 1 or 0"};
constexpr RuleLine source_shape{
    Check::updates_shape, "source has the shape of input, but along dim as many as index has"};
constexpr RuleLine reduced_dtype{
    Check::reduction_dtype,
    "the reduction is defined for the dtype: opaque dtypes have none only, complex ones no amin, "
    "amax and mean, bool no mean"};

constexpr std::array scatter_lines{
    input_rank,
    RuleLine{Check::indices_rank, "index has the rank of input, unless it has no elements"},
    dim_range,
    index_from_0,
    two_dtypes,
    RuleLine{Check::indices_shape, "along every axis but dim, index is at most as long as input"},
    RuleLine{Check::updates_shape,
             "src is as long as index along each axis, or longer; in scatter it may have rank 0"},
    values_dtype,
    reduced_dtype};

constexpr std::array copy_lines{input_rank, vector_rank,  dim_range,   index_from_0,
                                one_dtype,  source_shape, values_dtype};
constexpr std::array fill_lines{input_rank, vector_rank, dim_range,   index_from_the_end,
                                one_dtype,  value_shape, values_dtype};
constexpr std::array reduce_lines{input_rank, vector_rank,  dim_range,    index_from_0,
                                  two_dtypes, source_shape, values_dtype, reduced_dtype};

constexpr std::array put_lines{
    input_rank,
    RuleLine{Check::index_range,
             "each index is in [-n, n), where n is the number of elements of input"},
    one_dtype,
    RuleLine{Check::updates_shape, "source has as many elements as index"},
    values_dtype,
    reduced_dtype};

constexpr std::array index_put_lines{
    input_rank,
    RuleLine{Check::indices_rank,
             "the items of the index are for at most r axes, at most one of them is ..., and none "
             "is None"},
    RuleLine{Check::indices_dtype, "positions are int32 or int64, a mask is of bool"},
    RuleLine{Check::indices_shape,
             "positions broadcast to one shape; a mask is as long as input along its axes"},
    lines::step_not_zero,
    lines::positions_from_the_end,
    RuleLine{Check::updates_shape, "values broadcast to the shape of input[index]"},
    values_dtype,
    reduced_dtype};

constexpr std::array mask_lines{
    input_rank, RuleLine{Check::indices_dtype, "mask is of dtype bool"},
    RuleLine{Check::indices_shape, "mask broadcasts to the shape of input"}, values_dtype};
constexpr auto masked_fill_lines = with(mask_lines, value_shape);
constexpr auto masked_scatter_lines = with(
    mask_lines, RuleLine{Check::updates_shape,
                         "source has at least as many elements as mask has places that are true"});

constexpr std::array slice_lines{
    input_rank, dim_range, RuleLine{Check::step_not_zero, "step is 1 or more"},
    RuleLine{Check::updates_shape, "src has the shape of the slice"}, values_dtype};
constexpr std::array select_lines{
    input_rank,
    dim_range,
    RuleLine{Check::indices_rank, "index has rank 0"},
    RuleLine{Check::indices_dtype, "index is of an integer dtype"},
    index_from_the_end,
    RuleLine{Check::updates_shape, "src has the shape of input without dim"},
    values_dtype};
constexpr std::array diagonal_lines{
    input_rank, RuleLine{Check::axis_range, "dim1 and dim2 are in [-r, r)"},
    RuleLine{Check::axes_distinct, "dim1 and dim2 are different axes"},
    RuleLine{Check::updates_shape,
             "src has the other axes of input, then one as long as the diagonal"},
    values_dtype};

// ---- Decisions

constexpr std::string_view on_cpu = "as PyTorch on a CPU";
constexpr Decision order{Knob::duplicates,
                         "as PyTorch on a CPU with one thread; its text has none"};
constexpr Decision rounding{Knob::accumulation, on_cpu};
constexpr Decision extremes{Knob::extremes, "as PyTorch on a CPU; of equals our decision"};
constexpr Decision integers{Knob::mean_of_integers, on_cpu};
constexpr Decision divisor{Knob::mean_divisor, on_cpu};
constexpr Decision identity{Knob::initial_value, on_cpu};

constexpr std::array moving{order};
constexpr std::array summing{order, rounding};
constexpr std::array reducing{order, rounding, extremes, integers, divisor, identity};
constexpr std::array adding{
    order, Decision{Knob::accumulation,
                    "our decision: PyTorch does so for rank 1, else it depends on dim and index"}};

// ---- Other ways in which PyTorch computes

constexpr Variant other_nans{.says = "NaNs that were changed on the way", .takes_any_nan = true};
constexpr std::array scatter_variants{other_nans};
constexpr std::array index_add_variants{
    Variant{.says = "half floats rounded once", .accumulation = Accumulation::float32},
    Variant{.says = "products with alpha that are not rounded", .is_fused = true}, other_nans};
constexpr std::array index_reduce_variants{
    Variant{.says = "a mean's count that does not stall", .divisor = MeanDivisor::in_dtype},
    Variant{.says = "the other one of two zeros", .takes_any_zero = true}, other_nans};

constexpr Policies once{.accumulation = Accumulation::float32};
constexpr Policies reduced_once{.extremes = Extremes::propagate,
                                .accumulation = Accumulation::float32,
                                .mean = {.divisor = MeanDivisor::in_dtype}};
constexpr Policies reduced_by_step{.extremes = Extremes::propagate,
                                   .mean = {.divisor = MeanDivisor::stalling}};
constexpr Policies from_the_end{.negative = NegativeIndex::from_the_end};

constexpr std::array<Operation, 14> rows{{
    named<"torch.diagonal_scatter", diagonal_lines>(
        "replace a diagonal of two axes",
        {.form = Form::diagonal,
         .operands = diagonal_operands,
         .attributes = diagonal_attributes,
         .examples = words<"-d data.npy --offset 1 -u diagonal.npy -o out.npy",
                           "-d 2x4xf32=0 --offset 2 -u '[1, 2]'">,
         .order = words<"input", "src", "offset", "dim1", "dim2">}),
    named<"torch.index_add", reduce_lines>(
        "add rows, multiplied by alpha, at positions along one axis",
        {.form = Form::rows,
         .fixed = Reduction::sum,
         .index_rank = IndexRank::vector,
         .index_dtypes = dtypes<DType::int32, DType::int64>,
         .operands = rows_operands,
         .attributes = index_add_attributes,
         .decisions = adding,
         .examples = words<"-d data.npy --dim 0 -i ids.npy -u rows.npy -o out.npy",
                           "-d 3xf32=0 --dim 0 -i '[2, 2]' -u '[1, 3]' --alpha 2">,
         .variants = index_add_variants,
         .order = words<"input", "dim", "index", "source">}),
    named<"torch.index_copy", copy_lines>(
        "replace rows at positions along one axis",
        {.form = Form::rows,
         .index_rank = IndexRank::vector,
         .index_dtypes = dtypes<DType::int64>,
         .operands = rows_operands,
         .attributes = dim_only,
         .decisions = moving,
         .examples = words<"-d data.npy --dim 0 -i ids.npy -u rows.npy --in-place",
                           "-d 3xf32=0 --dim 0 -i '[2, 0]' -u '[1, 3]'">,
         .order = words<"input", "dim", "index", "source">}),
    named<"torch.index_fill", fill_lines>(
        "write one value at positions along one axis",
        {.form = Form::rows,
         .policies = from_the_end,
         .updates_shape = UpdatesShape::fill,
         .index_rank = IndexRank::vector,
         .index_dtypes = dtypes<DType::int64>,
         .operands = fill_operands,
         .attributes = dim_only,
         .examples = words<"-d data.npy --dim 0 -i ids.npy --value 0 --in-place",
                           "-d 3xf32=0 --dim 0 -i '[-1, 0]' --value 7">,
         .order = words<"input", "dim", "index", "value">}),
    named<"torch.index_put", index_put_lines>(
        "write or add values at an index of positions, masks and slices",
        {.form = Form::index,
         .policies = from_the_end,
         .updates_shape = UpdatesShape::broadcast,
         .takes_new_axes = false,
         .index_dtypes = dtypes<DType::int32, DType::int64>,
         .operands = index_put_operands,
         .attributes = accumulate_only,
         .decisions = summing,
         .examples = words<"-d data.npy -i rows.npy -i columns.npy -u values.npy -o out.npy",
                           "-d 3x2xf32=0 -i '[[2, 0]]' -u '[[1], [2]]' --accumulate">,
         .order = words<"input", "indices", "values", "accumulate">}),
    named<"torch.index_reduce", reduce_lines>(
        "combine rows at positions along one axis, by a product, mean, maximum or minimum",
        {.form = Form::rows,
         .policies = reduced_by_step,
         .index_rank = IndexRank::vector,
         .excluded = InitialValue::infinite,
         .index_dtypes = dtypes<DType::int32, DType::int64>,
         .operands = rows_operands,
         .attributes = index_reduce_attributes,
         .decisions = reducing,
         .examples =
             words<"-d data.npy --dim 0 -i ids.npy -u rows.npy --reduce amax -o out.npy",
                   "-d 3xf32=4 --dim 0 -i '[2, 2]' -u '[1, 3]' --reduce mean --include-self false">,
         .variants = index_reduce_variants,
         .order = words<"input", "dim", "index", "source", "reduce">}),
    named<"torch.masked_fill", masked_fill_lines>(
        "write one value where a mask is true",
        {.form = Form::mask,
         .updates_shape = UpdatesShape::fill,
         .operands = masked_fill_operands,
         .examples = words<"-d data.npy --mask mask.npy --value 0 --in-place",
                           "-d 2x2xf32=0 --mask '[[true], [false]]' --value 7">}),
    named<"torch.masked_scatter", masked_scatter_lines>(
        "write values, one after the other, where a mask is true",
        {.form = Form::mask,
         .updates_shape = UpdatesShape::at_least,
         .operands = masked_scatter_operands,
         .examples = words<"-d data.npy --mask mask.npy -u values.npy -o out.npy",
                           "-d 2x2xf32=0 --mask '[[true], [false]]' -u '[1, 2, 3]'">}),
    named<"torch.put", put_lines>(
        "write or add values at positions among all elements",
        {.form = Form::flat,
         .policies = from_the_end,
         .updates_shape = UpdatesShape::as_many,
         .index_dtypes = dtypes<DType::int64>,
         .operands = put_operands,
         .attributes = accumulate_only,
         .decisions = summing,
         .examples = words<"-d data.npy -i places.npy -u values.npy -o out.npy",
                           "-d 2x2xf32=0 -i '[[3], [-1]]' -u '[1, 2]'">,
         .order = words<"input", "index", "source", "accumulate">}),
    named<"torch.scatter", scatter_lines>(
        "write, add or multiply elements at the positions along one axis that index names",
        {.form = Form::elements,
         .policies = once,
         .updates_shape = UpdatesShape::box_or_fill,
         .takes_any_index = true,
         .index_dtypes = dtypes<DType::int32, DType::int64>,
         .operands = scatter_operands,
         .attributes = scatter_attributes,
         .decisions = summing,
         .examples = words<"-d data.npy --dim 1 -i index.npy -u src.npy -o out.npy",
                           "-d 2x4xf32=0 --dim 1 -i '[[3, 0]]' -u '[[1, 2, 3], [4, 5, 6]]'">,
         .variants = scatter_variants,
         .order = words<"input", "dim", "index", "src">}),
    named<"torch.scatter_add", scatter_lines>(
        "add elements at the positions along one axis that index names",
        {.form = Form::elements,
         .fixed = Reduction::sum,
         .policies = once,
         .updates_shape = UpdatesShape::box,
         .takes_any_index = true,
         .index_dtypes = dtypes<DType::int32, DType::int64>,
         .operands = elements_operands_of_torch,
         .attributes = dim_only,
         .decisions = summing,
         .examples = words<"-d data.npy --dim 1 -i index.npy -u src.npy -o out.npy",
                           "-d 3xf32=0 --dim 0 -i '[2, 2]' -u '[1, 3, 9]'">,
         .variants = scatter_variants,
         .order = words<"input", "dim", "index", "src">}),
    named<"torch.scatter_reduce", scatter_lines>(
        "combine elements at the positions along one axis that index names",
        {.form = Form::elements,
         .policies = reduced_once,
         .updates_shape = UpdatesShape::box,
         .takes_any_index = true,
         .excluded = InitialValue::infinite,
         .index_dtypes = dtypes<DType::int32, DType::int64>,
         .operands = elements_operands_of_torch,
         .attributes = scatter_reduce_attributes,
         .decisions = reducing,
         .examples = words<"-d data.npy --dim 1 -i index.npy -u src.npy --reduce amax -o out.npy",
                           "-d '[1, 10, 5]' --dim 0 -i '[0, 0, 1]' -u '[-3, -2, 4]' --reduce mean "
                           "--include-self false">,
         .variants = scatter_variants,
         .order = words<"input", "dim", "index", "src", "reduce">}),
    named<"torch.select_scatter", select_lines>(
        "replace what is at one position along one axis",
        {.form = Form::section,
         .policies = from_the_end,
         .operands = select_operands,
         .attributes = dim_only,
         .examples = words<"-d data.npy --dim 1 -i 3 -u column.npy -o out.npy",
                           "-d 2x3xf32=0 --dim 1 -i -1 -u '[1, 2]'">,
         .order = words<"input", "src", "dim", "index">}),
    named<"torch.slice_scatter", slice_lines>(
        "replace a slice along one axis",
        {.form = Form::section,
         .operands = slice_operands,
         .attributes = slice_attributes,
         .examples = words<"-d data.npy --dim 0 --start 10 --end 20 -u rows.npy --in-place",
                           "-d 5xf32=0 --start -4 --step 2 -u '[1, 2]'">,
         .order = words<"input", "src", "dim", "start", "end", "step">}),
}};
static_assert(std::ranges::all_of(rows, forms::is_complete));

}  // namespace

const Namespace torch{.name = "torch",
                      .aliases = {"aten"},
                      .packages = {"tensor", "ops.aten"},
                      .versions = Versions::exact,
                      .operations = rows};

}  // namespace tscatter::names
