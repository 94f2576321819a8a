// jax: the scatters of lax, the updates of an array's `at`, and the sums of segments. Spec:
// docs/ops.md.
#include <algorithm>
#include <array>

#include "tscatter/ops/forms/forms.hpp"
#include "tscatter/ops/names/labelled.hpp"
#include "tscatter/ops/names/lines.hpp"
#include "tscatter/ops/names/namespaces.hpp"
#include "tscatter/ops/names/segment_lines.hpp"
#include "tscatter/ops/names/window_lines.hpp"

namespace tscatter::names {
namespace {

// ---- Operands

constexpr OperandInfo jax_operand{.name = "data",
                                  .flag = 'd',
                                  .role = OperandRole::data,
                                  .presence = Presence::required,
                                  .help = "the tensor that is updated, of rank 1 or more",
                                  .own = "operand"};
constexpr OperandInfo operand_batching_dims = [] {
  OperandInfo made = input_batching_dims;
  made.own = "operand_batching_dims";
  return made;
}();

constexpr std::array lax_operands{jax_operand,
                                  dims_indices,
                                  dims_updates,
                                  update_window_dims,
                                  inserted_window_dims,
                                  operand_batching_dims,
                                  scatter_indices_batching_dims,
                                  scatter_dims_to_operand_dims};

constexpr std::array at_operands{
    OperandInfo{"data", 'd', OperandRole::data, Presence::required,
                "the array that is updated, of rank 1 or more"},
    OperandInfo{"index", 'i', OperandRole::index, Presence::required,
                "an item of the index, as often as JAX's has items: positions, a mask, an integer, "
                "a slice, ... or None"},
    OperandInfo{"updates",
                'u',
                OperandRole::updates,
                Presence::required,
                "broadcasts to the shape of data[index]",
                {"values"}}};

constexpr std::array block_operands{jax_operand, block_update, block_starts};

constexpr std::array segment_operands{segment_data("a row for each of segment_ids"),
                                      segment_ids("the segment of each row of data, of rank 1")};

// ---- Attributes

constexpr std::array<AttributeValue, 5> mode_words{Word{"drop"}, Word{"fill"}, Word{"clip"},
                                                   Word{"promise_in_bounds"}, Word{"one_hot"}};

constexpr std::array<IndexAnswer, 5> answers_of_mode(OutsideIndex clipped) {
  std::array<IndexAnswer, 5> answers{};
  answers[2].outside = clipped;
  return answers;
}
constexpr auto windows_of_modes = answers_of_mode(OutsideIndex::clip_start);
constexpr auto indices_of_modes = answers_of_mode(OutsideIndex::clip_index);

constexpr AttributeInfo mode_of(std::span<const IndexAnswer> answers, std::string_view help) {
  return {.name = "mode",
          .flag = 0,
          .default_value = Word{"drop"},
          .choices = mode_words,
          .help = help,
          .answers = answers};
}

constexpr std::array<IndexAnswer, 2> answers_of_wrap{
    IndexAnswer{.negative = NegativeIndex::outside}, {}};
constexpr AttributeInfo wrap_negative_indices{
    .name = "wrap_negative_indices",
    .flag = 0,
    .default_value = true,
    .choices = {},
    .help = "whether a negative index counts from the end; else it is outside",
    .answers = answers_of_wrap};

constexpr std::array block_attributes{AttributeInfo{
    .name = "allow_negative_indices",
    .flag = 0,
    .default_value = true,
    .choices = {},
    .help = "whether a negative start counts from the end; else the block is moved to 0",
    .answers = answers_of_wrap}};

constexpr std::array lax_attributes{
    mode_of(windows_of_modes, "a window that is not inside data is dropped, or moved by clip"),
    indices_are_sorted, unique_indices};
constexpr std::array at_attributes{
    mode_of(indices_of_modes, "an index that is outside is dropped; clip takes the nearest"),
    indices_are_sorted, unique_indices, wrap_negative_indices};

constexpr std::array segment_attributes{
    AttributeInfo{.name = "num_segments",
                  .flag = 0,
                  .default_value = open_end,
                  .choices = {},
                  .help = "how many rows the output has (default: the greatest of segment_ids and "
                          "one)"},
    indices_are_sorted, unique_indices,
    mode_of(indices_of_modes, "an id that is outside is dropped; clip takes the nearest")};
constexpr std::array<std::string_view, 6> segment_order{
    "data", "segment_ids", "num_segments", "indices_are_sorted", "unique_indices", "mode"};

// ---- Rules

constexpr RuleLine sum_dtype{Check::reduction_dtype, "data is of any dtype but opaque ones"};
constexpr RuleLine extreme_dtype{Check::reduction_dtype,
                                 "data is of any dtype but opaque and complex ones"};
constexpr RuleLine not_bool{Check::data_dtype, "data is not of bool"};

constexpr auto lax_lines = with(
    with(with(lines::of_windows, lines::data_rank), lines::updates_dtype),
    {Check::index_range, "an index may be any: a window that is outside is dropped, or moved"});
constexpr auto lax_sum_lines = with(with(lax_lines, sum_dtype), not_bool);
constexpr auto lax_extreme_lines = with(lax_lines, extreme_dtype);

constexpr auto at_lines = with(
    with(with(lines::index_items,
              {Check::index_range, "an index may be any: what is outside is dropped, or moved"}),
         {Check::updates_shape, "updates broadcast to the shape of data[index]"}),
    lines::updates_dtype);
constexpr auto at_sum_lines = with(with(at_lines, sum_dtype), not_bool);
constexpr auto at_extreme_lines = with(at_lines, extreme_dtype);

constexpr std::array segment_lines{
    RuleLine{Check::base_shape,
             "num_segments is 0 or more, and output, of shape [num_segments] + data.shape[1:], has "
             "less than 2^63 elements and bytes"},
    RuleLine{Check::indices_rank, "segment_ids has rank 1"},
    RuleLine{Check::indices_dtype, "segment_ids are of an integer dtype"},
    RuleLine{Check::updates_shape, "data has as many rows as there are segment_ids"},
    RuleLine{Check::index_range, "an id may be any: one that is outside is dropped, or moved"}};
constexpr auto segment_sum_lines = with(with(segment_lines, sum_dtype), not_bool);
constexpr auto segment_extreme_lines = with(segment_lines, extreme_dtype);

// ---- Decisions

constexpr std::string_view as_jax = "as JAX on a CPU";
constexpr std::array jax_moves{no_order};
constexpr std::array jax_sums{no_order, Decision{Knob::accumulation, as_jax}};
constexpr std::array jax_extremes{no_order, Decision{Knob::extremes, as_jax}};

constexpr Policies lax_policies{.outside = OutsideIndex::drop_window, .extremes = Extremes::ieee};
constexpr Policies at_policies{.negative = NegativeIndex::from_the_end,
                               .outside = OutsideIndex::drop_window,
                               .extremes = Extremes::ieee};

// ---- Examples

constexpr std::array<std::string_view, 2> lax_examples{
    "-d data.npy -i starts.npy -u windows.npy --update-window-dims 1 "
    "--scatter-dims-to-operand-dims 0 -o out.npy",
    "-d 5xf32=0 -i '[4]' -u '[1, 2]' --update-window-dims 0 --scatter-dims-to-operand-dims 0 "
    "--mode clip"};
constexpr std::array<std::string_view, 2> at_examples{"-d a.npy -i ids.npy -u x.npy -o out.npy",
                                                      "-d 3xf32=0 -i '[-1, 2, 7]' -u '[1, 2, 4]'"};

constexpr Operation lax_row{.name = {},
                            .id = {},
                            .summary = {},
                            .form = Form::window,
                            .policies = lax_policies,
                            .operands = lax_operands,
                            .attributes = lax_attributes,
                            .rules = {},
                            .decisions = jax_moves,
                            .examples = lax_examples,
                            .blocks = Blocks::mixed};
constexpr Operation at_row{.name = {},
                           .id = {},
                           .summary = {},
                           .form = Form::index,
                           .policies = at_policies,
                           .updates_shape = UpdatesShape::broadcast,
                           .operands = at_operands,
                           .attributes = at_attributes,
                           .rules = {},
                           .decisions = jax_moves,
                           .examples = at_examples};

constexpr std::array<std::string_view, 2> segment_examples{
    "-u x.npy -i ids.npy --num-segments 10 -o out.npy",
    "-u 4xf32=1,2,4,8 -i '[1, -1, 1, 9]' --num-segments 3"};
constexpr Operation segment_row{.name = {},
                                .id = {},
                                .summary = {},
                                .form = Form::segment,
                                .base = BaseFrom::segments,
                                .base_value = InitialValue::infinite,
                                .policies = lax_policies,
                                .operands = segment_operands,
                                .attributes = segment_attributes,
                                .rules = {},
                                .decisions = jax_moves,
                                .examples = segment_examples,
                                .order = segment_order};

constexpr Operation named(Operation row, std::string_view name, std::string_view summary,
                          std::span<const OperationRule> rules) {
  row.name = row.id = name;
  row.summary = summary;
  row.rules = rules;
  return row;
}

constexpr Operation summing(Operation row, Reduction reduction) {
  row.fixed = reduction;
  row.data_dtypes = all_but_bool;
  row.decisions = jax_sums;
  return row;
}

constexpr Operation comparing(Operation row, Reduction reduction) {
  row.fixed = reduction;
  row.decisions = jax_extremes;
  return row;
}

constexpr std::array<std::string_view, 2> block_examples{
    "-d a.npy -u block.npy --start 3,0 -o out.npy", "-d 5xf32=0 -u '[1, 2]' --start -1"};
constexpr Operation block_row{
    .name = {},
    .id = {},
    .summary = {},
    .form = Form::block,
    .policies = {.negative = NegativeIndex::from_the_end, .outside = OutsideIndex::clip_start},
    .operands = block_operands,
    .attributes = block_attributes,
    .rules = {},
    .examples = block_examples};

constexpr std::array<Operation, 17> rows{
    named(summing(at_row, Reduction::sum), "jax.at.add",
          "add values at an index: x.at[index].add(values)", labelled<"jax.at.add", at_sum_lines>),
    named(comparing(at_row, Reduction::max), "jax.at.max",
          "keep the greater of data and values at an index: x.at[index].max(values)",
          labelled<"jax.at.max", at_extreme_lines>),
    named(comparing(at_row, Reduction::min), "jax.at.min",
          "keep the lesser of data and values at an index: x.at[index].min(values)",
          labelled<"jax.at.min", at_extreme_lines>),
    named(summing(at_row, Reduction::prod), "jax.at.multiply",
          "multiply by values at an index: x.at[index].multiply(values)",
          labelled<"jax.at.multiply", at_sum_lines>),
    named(at_row, "jax.at.set", "write values at an index: x.at[index].set(values)",
          labelled<"jax.at.set", at_lines>),
    named(summing(at_row, Reduction::sub), "jax.at.subtract",
          "subtract values at an index: x.at[index].subtract(values)",
          labelled<"jax.at.subtract", at_sum_lines>),
    named(block_row, "jax.lax.dynamic_update_slice",
          "write a block where a number for each axis says, moved inside operand",
          labelled<"jax.lax.dynamic_update_slice", lines::of_block>),
    named(lax_row, "jax.lax.scatter", "replace windows of data that indices name",
          labelled<"jax.lax.scatter", lax_lines>),
    named(summing(lax_row, Reduction::sum), "jax.lax.scatter_add",
          "add to windows of data that indices name",
          labelled<"jax.lax.scatter_add", lax_sum_lines>),
    named(comparing(lax_row, Reduction::max), "jax.lax.scatter_max",
          "keep the greater in windows of data that indices name",
          labelled<"jax.lax.scatter_max", lax_extreme_lines>),
    named(comparing(lax_row, Reduction::min), "jax.lax.scatter_min",
          "keep the lesser in windows of data that indices name",
          labelled<"jax.lax.scatter_min", lax_extreme_lines>),
    named(summing(lax_row, Reduction::prod), "jax.lax.scatter_mul",
          "multiply windows of data that indices name",
          labelled<"jax.lax.scatter_mul", lax_sum_lines>),
    named(summing(lax_row, Reduction::sub), "jax.lax.scatter_sub",
          "subtract from windows of data that indices name",
          labelled<"jax.lax.scatter_sub", lax_sum_lines>),
    named(comparing(segment_row, Reduction::max), "jax.ops.segment_max",
          "the greatest of the rows of each segment",
          labelled<"jax.ops.segment_max", segment_extreme_lines>),
    named(comparing(segment_row, Reduction::min), "jax.ops.segment_min",
          "the least of the rows of each segment",
          labelled<"jax.ops.segment_min", segment_extreme_lines>),
    named(summing(segment_row, Reduction::prod), "jax.ops.segment_prod",
          "the product of the rows of each segment",
          labelled<"jax.ops.segment_prod", segment_sum_lines>),
    named(summing(segment_row, Reduction::sum), "jax.ops.segment_sum",
          "the sum of the rows of each segment",
          labelled<"jax.ops.segment_sum", segment_sum_lines>),
};
static_assert(std::ranges::all_of(rows, forms::has_all_rules));
static_assert(std::ranges::all_of(rows, forms::takes_integers));

}  // namespace

const Namespace jax{
    .name = "jax", .packages = {"ops"}, .versions = Versions::exact, .operations = rows};

}  // namespace tscatter::names
