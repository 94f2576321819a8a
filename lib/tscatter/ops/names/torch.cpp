// The operations of PyTorch, as its CPU kernels compute them. Spec: docs/ops.md.
#include <algorithm>
#include <array>

#include "tscatter/ops/forms/forms.hpp"
#include "tscatter/ops/names/labelled.hpp"
#include "tscatter/ops/names/lines.hpp"
#include "tscatter/ops/names/namespaces.hpp"

namespace tscatter::names {
namespace {

// ---- Operands

constexpr OperandInfo input{.name = "data",
                            .flag = 'd',
                            .role = OperandRole::data,
                            .presence = Presence::required,
                            .help = "the tensor that is updated, of rank 1 or more",
                            .own = "input"};

constexpr OperandInfo index_operand(std::string_view help) {
  return {.name = "indices",
          .flag = 'i',
          .role = OperandRole::integers,
          .presence = Presence::required,
          .help = help,
          .own = "index"};
}

constexpr OperandInfo updates_operand(std::string_view own, std::string_view help,
                                      std::string_view alias = {}) {
  return {.name = "updates",
          .flag = 'u',
          .role = OperandRole::updates,
          .presence = Presence::required,
          .help = help,
          .aliases = {alias},
          .own = own};
}

constexpr OperandInfo element_index =
    index_operand("a position along dim for each element that is read of src, of input's rank");
constexpr OperandInfo src =
    updates_operand("src", "as long as index along each axis, or longer: the first are read");
constexpr OperandInfo src_or_value = updates_operand(
    "src", "as long as index along each axis, or longer: the first are read; or one value for all",
    "value");
constexpr OperandInfo vector_index = index_operand("positions along dim: a vector, or one integer");
constexpr OperandInfo source =
    updates_operand("source", "input's shape, but as long as index along dim");
constexpr OperandInfo value = updates_operand("value", "one value for all");
constexpr OperandInfo mask{.name = "mask",
                           .flag = 0,
                           .role = OperandRole::mask,
                           .presence = Presence::required,
                           .help = "bools that broadcast to input"};
constexpr OperandInfo items{.name = "index",
                            .flag = 'i',
                            .role = OperandRole::index,
                            .presence = Presence::required,
                            .help =
                                "once for each item of the index: positions, a mask, an integer, a "
                                "slice or ...",
                            .own = "indices"};

constexpr std::array elements_operands{input, element_index, src};
constexpr std::array scatter_operands{input, element_index, src_or_value};
constexpr std::array rows_operands{input, vector_index, source};
constexpr std::array fill_operands{input, vector_index, value};
constexpr std::array put_operands{
    input, index_operand("positions among all elements of input, in row-major order, of any shape"),
    updates_operand("source", "of as many elements as index")};
constexpr std::array index_put_operands{
    input, items, updates_operand("values", "broadcasts to the shape of input[index]")};
constexpr std::array masked_fill_operands{input, mask, value};
constexpr std::array masked_scatter_operands{
    input, mask,
    updates_operand("source", "of as many elements as mask has places that are true, or more")};
constexpr std::array slice_operands{input, updates_operand("src", "the shape of the slice")};
constexpr std::array select_operands{input, index_operand("the position along dim, of rank 0"),
                                     updates_operand("src", "input's shape without dim")};
constexpr std::array diagonal_operands{
    input, updates_operand("src", "the other axes of input, then one along the diagonal")};

constexpr std::array int32_or_int64{DType::int32, DType::int64};
constexpr std::array int64_only{DType::int64};

// ---- Attributes

constexpr AttributeInfo integer(std::string_view name, std::int64_t otherwise,
                                std::string_view help) {
  return {.name = name, .flag = 0, .default_value = otherwise, .choices = {}, .help = help};
}

constexpr AttributeInfo dim{.name = "axis",
                            .flag = 'a',
                            .default_value = std::int64_t{0},
                            .choices = {},
                            .help = "the axis along which index counts, in [-r, r)",
                            .is_required = true,
                            .own = "dim"};

constexpr AttributeInfo optional_dim = [] {
  AttributeInfo made = dim;
  made.help = "the axis of the slice, in [-r, r)";
  made.is_required = false;
  return made;
}();

constexpr std::array torch_words{ReductionWord{Reduction::max, "amax"},
                                 ReductionWord{Reduction::min, "amin"}};
constexpr std::array scatter_words{ReductionWord{Reduction::sum, "add"},
                                   ReductionWord{Reduction::prod, "multiply"}};

constexpr AttributeInfo reduce(std::span<const AttributeValue> choices,
                               std::span<const ReductionWord> words, bool is_required) {
  return {.name = "reduction",
          .flag = 'r',
          .default_value = Reduction::none,
          .choices = choices,
          .help = "how an update combines with the element that is there",
          .words = words,
          .is_required = is_required,
          .takes_own_words_only = true,
          .own = "reduce"};
}

constexpr std::array<AttributeValue, 3> scatter_choices{Reduction::none, Reduction::sum,
                                                        Reduction::prod};
constexpr std::array<AttributeValue, 5> reduce_choices{
    Reduction::sum, Reduction::prod, Reduction::mean, Reduction::max, Reduction::min};

constexpr AttributeInfo include_self{
    .name = "use_init_val",
    .flag = 0,
    .default_value = true,
    .choices = {},
    .help = "whether input's value counts where updates land; else the reduction's identity does",
    .own = "include_self"};
constexpr AttributeInfo alpha{.name = "alpha",
                              .flag = 0,
                              .default_value = Number(std::int64_t{1}),
                              .choices = {},
                              .help = "source is multiplied by it first"};
constexpr AttributeInfo accumulate{
    .name = "accumulate",
    .flag = 0,
    .default_value = false,
    .choices = {},
    .help = "whether updates are added, instead of replacing what is there"};

constexpr std::array dim_only{dim};
constexpr std::array scatter_attributes{dim, reduce(scatter_choices, scatter_words, false)};
constexpr std::array scatter_reduce_attributes{dim, reduce(reduce_choices, torch_words, true),
                                               include_self};
constexpr std::array index_add_attributes{dim, alpha};
constexpr std::array index_reduce_attributes{
    dim, reduce(std::span(reduce_choices).last(4), torch_words, true), include_self};
constexpr std::array accumulate_only{accumulate};

constexpr AttributeInfo end{.name = "stop",
                            .flag = 0,
                            .default_value = open_end,
                            .choices = {},
                            .help = "the slice ends before this position, by default at the end",
                            .own = "end"};
constexpr std::array slice_attributes{
    optional_dim, integer("start", 0, "where the slice begins; a negative one counts from the end"),
    end, integer("step", 1, "how far apart its positions are, 1 or more")};
constexpr std::array diagonal_attributes{
    integer("offset", 0, "above the main diagonal, or below it if it is negative"),
    integer("dim1", 0, "the axis of rows"), integer("dim2", 1, "the axis of columns")};

// ---- The order of a call in Python

constexpr std::array<std::string_view, 5> src_order{"input", "dim", "index", "src", "reduce"};
constexpr std::array<std::string_view, 5> source_order{"input", "dim", "index", "source", "reduce"};
constexpr std::array<std::string_view, 4> fill_order{"input", "dim", "index", "value"};
constexpr std::array<std::string_view, 4> index_put_order{"input", "indices", "values",
                                                          "accumulate"};
constexpr std::array<std::string_view, 4> put_order{"input", "index", "source", "accumulate"};
constexpr std::array<std::string_view, 6> slice_order{"input", "src", "dim",
                                                      "start", "end", "step"};
constexpr std::array<std::string_view, 4> select_order{"input", "src", "dim", "index"};
constexpr std::array<std::string_view, 5> diagonal_order{"input", "src", "offset", "dim1", "dim2"};

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
constexpr auto masked_scatter_lines =
    with(mask_lines, {Check::updates_shape,
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

// ---- Examples

using Examples = std::array<std::string_view, 2>;
constexpr Examples diagonal_examples{"-d data.npy --offset 1 -u diagonal.npy -o out.npy",
                                     "-d 2x4xf32=0 --offset 2 -u '[1, 2]'"};
constexpr Examples index_add_examples{"-d data.npy --dim 0 -i ids.npy -u rows.npy -o out.npy",
                                      "-d 3xf32=0 --dim 0 -i '[2, 2]' -u '[1, 3]' --alpha 2"};
constexpr Examples index_copy_examples{"-d data.npy --dim 0 -i ids.npy -u rows.npy --in-place",
                                       "-d 3xf32=0 --dim 0 -i '[2, 0]' -u '[1, 3]'"};
constexpr Examples index_fill_examples{"-d data.npy --dim 0 -i ids.npy --value 0 --in-place",
                                       "-d 3xf32=0 --dim 0 -i '[-1, 0]' --value 7"};
constexpr Examples index_put_examples{
    "-d data.npy -i rows.npy -i columns.npy -u values.npy -o out.npy",
    "-d 3x2xf32=0 -i '[[2, 0]]' -u '[[1], [2]]' --accumulate"};
constexpr Examples index_reduce_examples{
    "-d data.npy --dim 0 -i ids.npy -u rows.npy --reduce amax -o out.npy",
    "-d 3xf32=4 --dim 0 -i '[2, 2]' -u '[1, 3]' --reduce mean --include-self false"};
constexpr Examples masked_fill_examples{"-d data.npy --mask mask.npy --value 0 --in-place",
                                        "-d 2x2xf32=0 --mask '[[true], [false]]' --value 7"};
constexpr Examples masked_scatter_examples{
    "-d data.npy --mask mask.npy -u values.npy -o out.npy",
    "-d 2x2xf32=0 --mask '[[true], [false]]' -u '[1, 2, 3]'"};
constexpr Examples put_examples{"-d data.npy -i places.npy -u values.npy -o out.npy",
                                "-d 2x2xf32=0 -i '[[3], [-1]]' -u '[1, 2]'"};
constexpr Examples scatter_examples{
    "-d data.npy --dim 1 -i index.npy -u src.npy -o out.npy",
    "-d 2x4xf32=0 --dim 1 -i '[[3, 0]]' -u '[[1, 2, 3], [4, 5, 6]]'"};
constexpr Examples scatter_add_examples{"-d data.npy --dim 1 -i index.npy -u src.npy -o out.npy",
                                        "-d 3xf32=0 --dim 0 -i '[2, 2]' -u '[1, 3, 9]'"};
constexpr Examples scatter_reduce_examples{
    "-d data.npy --dim 1 -i index.npy -u src.npy --reduce amax -o out.npy",
    "-d '[1, 10, 5]' --dim 0 -i '[0, 0, 1]' -u '[-3, -2, 4]' --reduce mean --include-self false"};
constexpr Examples select_examples{"-d data.npy --dim 1 -i 3 -u column.npy -o out.npy",
                                   "-d 2x3xf32=0 --dim 1 -i -1 -u '[1, 2]'"};
constexpr Examples slice_examples{"-d data.npy --dim 0 --start 10 --end 20 -u rows.npy --in-place",
                                  "-d 5xf32=0 --start -4 --step 2 -u '[1, 2]'"};

constexpr std::array<Operation, 14> rows{{
    {.name = "torch.diagonal_scatter",
     .id = "torch.diagonal_scatter",
     .summary = "replace a diagonal of two axes",
     .form = Form::diagonal,
     .operands = diagonal_operands,
     .attributes = diagonal_attributes,
     .rules = labelled<"torch.diagonal_scatter", diagonal_lines>,
     .examples = diagonal_examples,
     .order = diagonal_order},
    {.name = "torch.index_add",
     .id = "torch.index_add",
     .summary = "add rows, multiplied by alpha, at positions along one axis",
     .form = Form::rows,
     .fixed = Reduction::sum,
     .index_rank = IndexRank::vector,
     .index_dtypes = int32_or_int64,
     .operands = rows_operands,
     .attributes = index_add_attributes,
     .rules = labelled<"torch.index_add", reduce_lines>,
     .decisions = adding,
     .examples = index_add_examples,
     .variants = index_add_variants,
     .order = std::span(source_order).first(4)},
    {.name = "torch.index_copy",
     .id = "torch.index_copy",
     .summary = "replace rows at positions along one axis",
     .form = Form::rows,
     .index_rank = IndexRank::vector,
     .index_dtypes = int64_only,
     .operands = rows_operands,
     .attributes = dim_only,
     .rules = labelled<"torch.index_copy", copy_lines>,
     .decisions = moving,
     .examples = index_copy_examples,
     .order = std::span(source_order).first(4)},
    {.name = "torch.index_fill",
     .id = "torch.index_fill",
     .summary = "write one value at positions along one axis",
     .form = Form::rows,
     .policies = from_the_end,
     .updates_shape = UpdatesShape::fill,
     .index_rank = IndexRank::vector,
     .index_dtypes = int64_only,
     .operands = fill_operands,
     .attributes = dim_only,
     .rules = labelled<"torch.index_fill", fill_lines>,
     .examples = index_fill_examples,
     .order = fill_order},
    {.name = "torch.index_put",
     .id = "torch.index_put",
     .summary = "write or add values at an index of positions, masks and slices",
     .form = Form::index,
     .policies = from_the_end,
     .updates_shape = UpdatesShape::broadcast,
     .takes_new_axes = false,
     .index_dtypes = int32_or_int64,
     .operands = index_put_operands,
     .attributes = accumulate_only,
     .rules = labelled<"torch.index_put", index_put_lines>,
     .decisions = summing,
     .examples = index_put_examples,
     .order = index_put_order},
    {.name = "torch.index_reduce",
     .id = "torch.index_reduce",
     .summary = "combine rows at positions along one axis, by a product, mean, maximum or minimum",
     .form = Form::rows,
     .policies = reduced_by_step,
     .index_rank = IndexRank::vector,
     .excluded = InitialValue::infinite,
     .index_dtypes = int32_or_int64,
     .operands = rows_operands,
     .attributes = index_reduce_attributes,
     .rules = labelled<"torch.index_reduce", reduce_lines>,
     .decisions = reducing,
     .examples = index_reduce_examples,
     .variants = index_reduce_variants,
     .order = source_order},
    {.name = "torch.masked_fill",
     .id = "torch.masked_fill",
     .summary = "write one value where a mask is true",
     .form = Form::mask,
     .updates_shape = UpdatesShape::fill,
     .operands = masked_fill_operands,
     .rules = labelled<"torch.masked_fill", masked_fill_lines>,
     .examples = masked_fill_examples},
    {.name = "torch.masked_scatter",
     .id = "torch.masked_scatter",
     .summary = "write values, one after the other, where a mask is true",
     .form = Form::mask,
     .updates_shape = UpdatesShape::at_least,
     .operands = masked_scatter_operands,
     .rules = labelled<"torch.masked_scatter", masked_scatter_lines>,
     .examples = masked_scatter_examples},
    {.name = "torch.put",
     .id = "torch.put",
     .summary = "write or add values at positions among all elements",
     .form = Form::flat,
     .policies = from_the_end,
     .updates_shape = UpdatesShape::as_many,
     .index_dtypes = int64_only,
     .operands = put_operands,
     .attributes = accumulate_only,
     .rules = labelled<"torch.put", put_lines>,
     .decisions = summing,
     .examples = put_examples,
     .order = put_order},
    {.name = "torch.scatter",
     .id = "torch.scatter",
     .summary = "write, add or multiply elements at the positions along one axis that index names",
     .form = Form::elements,
     .policies = once,
     .updates_shape = UpdatesShape::box_or_fill,
     .takes_any_index = true,
     .index_dtypes = int32_or_int64,
     .operands = scatter_operands,
     .attributes = scatter_attributes,
     .rules = labelled<"torch.scatter", scatter_lines>,
     .decisions = summing,
     .examples = scatter_examples,
     .variants = scatter_variants,
     .order = std::span(src_order).first(4)},
    {.name = "torch.scatter_add",
     .id = "torch.scatter_add",
     .summary = "add elements at the positions along one axis that index names",
     .form = Form::elements,
     .fixed = Reduction::sum,
     .policies = once,
     .updates_shape = UpdatesShape::box,
     .takes_any_index = true,
     .index_dtypes = int32_or_int64,
     .operands = elements_operands,
     .attributes = dim_only,
     .rules = labelled<"torch.scatter_add", scatter_lines>,
     .decisions = summing,
     .examples = scatter_add_examples,
     .variants = scatter_variants,
     .order = std::span(src_order).first(4)},
    {.name = "torch.scatter_reduce",
     .id = "torch.scatter_reduce",
     .summary = "combine elements at the positions along one axis that index names",
     .form = Form::elements,
     .policies = reduced_once,
     .updates_shape = UpdatesShape::box,
     .takes_any_index = true,
     .excluded = InitialValue::infinite,
     .index_dtypes = int32_or_int64,
     .operands = elements_operands,
     .attributes = scatter_reduce_attributes,
     .rules = labelled<"torch.scatter_reduce", scatter_lines>,
     .decisions = reducing,
     .examples = scatter_reduce_examples,
     .variants = scatter_variants,
     .order = src_order},
    {.name = "torch.select_scatter",
     .id = "torch.select_scatter",
     .summary = "replace what is at one position along one axis",
     .form = Form::section,
     .policies = from_the_end,
     .operands = select_operands,
     .attributes = dim_only,
     .rules = labelled<"torch.select_scatter", select_lines>,
     .examples = select_examples,
     .order = select_order},
    {.name = "torch.slice_scatter",
     .id = "torch.slice_scatter",
     .summary = "replace a slice along one axis",
     .form = Form::section,
     .operands = slice_operands,
     .attributes = slice_attributes,
     .rules = labelled<"torch.slice_scatter", slice_lines>,
     .examples = slice_examples,
     .order = slice_order},
}};
static_assert(std::ranges::all_of(rows, forms::has_all_rules));
static_assert(std::ranges::all_of(rows, forms::takes_integers));

}  // namespace

const Namespace torch{.name = "torch",
                      .aliases = {"aten"},
                      .packages = {"tensor", "ops.aten"},
                      .versions = Versions::exact,
                      .operations = rows};

}  // namespace tscatter::names
