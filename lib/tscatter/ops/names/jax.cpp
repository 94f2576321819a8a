// jax: the scatters of lax, the updates of an array's `at`, and the sums of segments. Spec:
// docs/ops.md.
#include <algorithm>
#include <array>

#include "tscatter/ops/forms/forms.hpp"
#include "tscatter/ops/names/form_lines.hpp"
#include "tscatter/ops/names/lines.hpp"
#include "tscatter/ops/names/namespaces.hpp"

namespace tscatter::names {
namespace {

// ---- Operands

constexpr OperandInfo jax_operand = data_operand("operand");
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
    data_operand("", "the array that is updated, of rank 1 or more"),
    index_operand(
        "an item of the index, as often as JAX's has items: positions, a mask, an integer, "
        "a slice, ... or None"),
    updates_operand("broadcasts to the shape of data[index]", "", "values")};

constexpr std::array block_operands{jax_operand, block_update, block_starts};

constexpr std::array segment_operands{segment_data("a row for each of segment_ids"),
                                      segment_ids("the segment of each row of data, of rank 1")};

// ---- Attributes

constexpr std::array<IndexAnswer, 5> answers_of_mode(OutsideIndex clipped) {
  std::array<IndexAnswer, 5> answers{};
  answers[2].outside = clipped;
  return answers;
}
constexpr auto windows_of_modes = answers_of_mode(OutsideIndex::clip_start);
constexpr auto indices_of_modes = answers_of_mode(OutsideIndex::clip_index);

constexpr AttributeInfo mode_of(std::span<const IndexAnswer> answers, std::string_view help) {
  return word("mode", choices<"drop", "fill", "clip", "promise_in_bounds", "one_hot">, help,
              answers);
}

constexpr std::array<IndexAnswer, 2> answers_of_wrap{
    IndexAnswer{.negative = NegativeIndex::outside}, {}};
constexpr AttributeInfo wrap_negative_indices = boolean(
    "wrap_negative_indices", true,
    "whether a negative index counts from the end; else it is outside", "", answers_of_wrap);

constexpr std::array block_attributes{
    boolean("allow_negative_indices", true,
            "whether a negative start counts from the end; else the block is moved to 0", "",
            answers_of_wrap)};

constexpr std::array lax_attributes{
    mode_of(windows_of_modes, "a window that is not inside data is dropped, or moved by clip"),
    indices_are_sorted, unique_indices};
constexpr std::array at_attributes{
    mode_of(indices_of_modes, "an index that is outside is dropped; clip takes the nearest"),
    indices_are_sorted, unique_indices, wrap_negative_indices};

constexpr std::array segment_attributes{
    integer("num_segments", open_end,
            "how many rows the output has (default: the greatest of segment_ids and one)"),
    indices_are_sorted, unique_indices,
    mode_of(indices_of_modes, "an id that is outside is dropped; clip takes the nearest")};

// ---- Rules

constexpr auto lax_lines =
    with(lines::of_windows, lines::data_rank, lines::updates_dtype,
         RuleLine{Check::index_range,
                  "an index may be any: a window that is outside is dropped, or moved"});
constexpr auto lax_sum_lines = with(lax_lines, lines::sum_dtype, lines::not_bool);
constexpr auto lax_extreme_lines = with(lax_lines, lines::extreme_dtype);

constexpr auto at_lines =
    with(lines::index_items,
         RuleLine{Check::index_range, "an index may be any: what is outside is dropped, or moved"},
         RuleLine{Check::updates_shape, "updates broadcast to the shape of data[index]"},
         lines::updates_dtype);
constexpr auto at_sum_lines = with(at_lines, lines::sum_dtype, lines::not_bool);
constexpr auto at_extreme_lines = with(at_lines, lines::extreme_dtype);

constexpr std::array segment_lines{
    RuleLine{Check::base_shape,
             "num_segments is 0 or more, and output, of shape [num_segments] + data.shape[1:], has "
             "less than 2^63 elements and bytes"},
    RuleLine{Check::indices_rank, "segment_ids has rank 1"},
    RuleLine{Check::indices_dtype, "segment_ids are of an integer dtype"},
    RuleLine{Check::updates_shape, "data has as many rows as there are segment_ids"},
    RuleLine{Check::index_range, "an id may be any: one that is outside is dropped, or moved"}};
constexpr auto segment_sum_lines = with(segment_lines, lines::sum_dtype, lines::not_bool);
constexpr auto segment_extreme_lines = with(segment_lines, lines::extreme_dtype);

// ---- Decisions

constexpr std::string_view as_jax = "as JAX on a CPU";
constexpr std::array jax_moves{no_order};
constexpr std::array jax_sums{no_order, Decision{Knob::accumulation, as_jax}};
constexpr std::array jax_extremes{no_order, Decision{Knob::extremes, as_jax}};

constexpr Policies lax_policies{.outside = OutsideIndex::drop_window, .extremes = Extremes::ieee};
constexpr Policies at_policies{.negative = NegativeIndex::from_the_end,
                               .outside = OutsideIndex::drop_window,
                               .extremes = Extremes::ieee};

// ---- Rows

constexpr Operation lax_row{
    .form = Form::window,
    .policies = lax_policies,
    .operands = lax_operands,
    .attributes = lax_attributes,
    .decisions = jax_moves,
    .examples = words<
        "-d data.npy -i starts.npy -u windows.npy --update-window-dims 1 "
        "--scatter-dims-to-operand-dims 0 -o out.npy",
        "-d 5xf32=0 -i '[4]' -u '[1, 2]' --update-window-dims 0 --scatter-dims-to-operand-dims 0 "
        "--mode clip">,
    .blocks = Blocks::mixed};
constexpr Operation at_row{.form = Form::index,
                           .policies = at_policies,
                           .updates_shape = UpdatesShape::broadcast,
                           .operands = at_operands,
                           .attributes = at_attributes,
                           .decisions = jax_moves,
                           .examples = words<"-d a.npy -i ids.npy -u x.npy -o out.npy",
                                             "-d 3xf32=0 -i '[-1, 2, 7]' -u '[1, 2, 4]'">};

constexpr Operation segment_row{
    .form = Form::segment,
    .base = BaseFrom::segments,
    .base_value = InitialValue::infinite,
    .policies = lax_policies,
    .operands = segment_operands,
    .attributes = segment_attributes,
    .decisions = jax_moves,
    .examples = words<"-u x.npy -i ids.npy --num-segments 10 -o out.npy",
                      "-u 4xf32=1,2,4,8 -i '[1, -1, 1, 9]' --num-segments 3">,
    .order = words<"data", "segment_ids", "num_segments", "indices_are_sorted", "unique_indices",
                   "mode">};

constexpr Operation summing(Operation row, Reduction reduction) {
  row.fixed = reduction;
  row.data_dtypes = all_but<DType::boolean>;
  row.decisions = jax_sums;
  return row;
}

constexpr Operation comparing(Operation row, Reduction reduction) {
  row.fixed = reduction;
  row.decisions = jax_extremes;
  return row;
}

constexpr Operation block_row{
    .form = Form::block,
    .policies = {.negative = NegativeIndex::from_the_end, .outside = OutsideIndex::clip_start},
    .operands = block_operands,
    .attributes = block_attributes,
    .examples =
        words<"-d a.npy -u block.npy --start 3,0 -o out.npy", "-d 5xf32=0 -u '[1, 2]' --start -1">};

constexpr std::array<Operation, 17> rows{
    named<"jax.at.add", at_sum_lines>("add values at an index: x.at[index].add(values)",
                                      summing(at_row, Reduction::sum)),
    named<"jax.at.max", at_extreme_lines>(
        "keep the greater of data and values at an index: x.at[index].max(values)",
        comparing(at_row, Reduction::max)),
    named<"jax.at.min", at_extreme_lines>(
        "keep the lesser of data and values at an index: x.at[index].min(values)",
        comparing(at_row, Reduction::min)),
    named<"jax.at.multiply", at_sum_lines>(
        "multiply by values at an index: x.at[index].multiply(values)",
        summing(at_row, Reduction::prod)),
    named<"jax.at.set", at_lines>("write values at an index: x.at[index].set(values)", at_row),
    named<"jax.at.subtract", at_sum_lines>(
        "subtract values at an index: x.at[index].subtract(values)",
        summing(at_row, Reduction::sub)),
    named<"jax.lax.dynamic_update_slice", lines::of_block>(
        "write a block where a number for each axis says, moved inside operand", block_row),
    named<"jax.lax.scatter", lax_lines>("replace windows of data that indices name", lax_row),
    named<"jax.lax.scatter_add", lax_sum_lines>("add to windows of data that indices name",
                                                summing(lax_row, Reduction::sum)),
    named<"jax.lax.scatter_max", lax_extreme_lines>(
        "keep the greater in windows of data that indices name",
        comparing(lax_row, Reduction::max)),
    named<"jax.lax.scatter_min", lax_extreme_lines>(
        "keep the lesser in windows of data that indices name", comparing(lax_row, Reduction::min)),
    named<"jax.lax.scatter_mul", lax_sum_lines>("multiply windows of data that indices name",
                                                summing(lax_row, Reduction::prod)),
    named<"jax.lax.scatter_sub", lax_sum_lines>("subtract from windows of data that indices name",
                                                summing(lax_row, Reduction::sub)),
    named<"jax.ops.segment_max", segment_extreme_lines>("the greatest of the rows of each segment",
                                                        comparing(segment_row, Reduction::max)),
    named<"jax.ops.segment_min", segment_extreme_lines>("the least of the rows of each segment",
                                                        comparing(segment_row, Reduction::min)),
    named<"jax.ops.segment_prod", segment_sum_lines>("the product of the rows of each segment",
                                                     summing(segment_row, Reduction::prod)),
    named<"jax.ops.segment_sum", segment_sum_lines>("the sum of the rows of each segment",
                                                    summing(segment_row, Reduction::sum)),
};
static_assert(std::ranges::all_of(rows, forms::is_complete));

}  // namespace

const Namespace jax{
    .name = "jax", .packages = {"ops"}, .versions = Versions::exact, .operations = rows};

}  // namespace tscatter::names
