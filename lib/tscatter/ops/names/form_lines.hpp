// What rows of operations of one form are made of: segments, and dimension numbers of windows.
#pragma once

#include <array>
#include <span>
#include <string_view>

#include "tscatter/ops/names/lines.hpp"
#include "tscatter/ops/operation.hpp"

namespace tscatter::names {

// ---- Segments: the operands and rules that operations of the form segment share.

constexpr OperandInfo segment_data(std::string_view help) { return updates_operand(help, "data"); }
constexpr OperandInfo segment_ids(std::string_view help) {
  return indices_operand(help, "segment_ids");
}
inline constexpr std::array sorted_segment_operands{
    segment_data("a row for each of segment_ids"),
    segment_ids("the segment of each row of data, of rank 1, in ascending order")};

// TensorFlow's and Paddle's: as many rows as the last id asks for.
constexpr Operation sorted_segments(Reduction reduction, std::span<const Decision> decisions) {
  return {.form = Form::segment,
          .base = BaseFrom::segments,
          .fixed = reduction,
          .index_dtypes = dtypes<DType::int32, DType::int64>,
          .data_dtypes = all_but<DType::boolean>,
          .operands = sorted_segment_operands,
          .decisions = decisions,
          .examples = words<"-u x.npy -i ids.npy -o out.npy", "-u 3xf32=2,3,5 -i '[0, 0, 2]'">};
}

// The first row of a segment begins with that, and segments without rows are 0.
constexpr Operation beginning_with(Operation row, const InitialValue& initial) {
  row.base_value = {.kind = InitialValue::Kind::number, .number = std::int64_t{0}};
  row.policies.initial = initial;
  row.policies.extremes = Extremes::update;
  row.policies.mean.quotient = MeanQuotient::truncate;
  return row;
}

namespace lines {

inline constexpr std::array of_sorted_segments{
    RuleLine{Check::base_shape,
             "output, of a row for each id up to the last, has less than 2^63 elements and bytes"},
    RuleLine{Check::indices_rank, "segment_ids has rank 1"},
    RuleLine{Check::indices_dtype, "segment_ids are int32 or int64"},
    RuleLine{Check::index_order, "segment_ids ascend: each is at least the one before"},
    RuleLine{Check::updates_shape, "data has as many rows as there are segment_ids"},
    RuleLine{Check::index_range, "no id is negative"},
    not_bool};
inline constexpr auto of_sorted_sums = with(of_sorted_segments, sum_dtype);
inline constexpr auto of_sorted_extremes = with(of_sorted_segments, extreme_dtype);

}  // namespace lines

// ---- Dimension numbers: the operands and rules that operations of the form window share.

// A list of dimension numbers.
constexpr OperandInfo of_windows(std::string_view name, std::string_view help) {
  return optional(list_operand(name, help));
}

inline constexpr OperandInfo update_window_dims =
    of_windows("update_window_dims", "the axes of updates within a window, in ascending order");
inline constexpr OperandInfo inserted_window_dims =
    of_windows("inserted_window_dims", "axes of data along which a window is 1 long");
inline constexpr OperandInfo input_batching_dims =
    of_windows("input_batching_dims", "axes of data that go along with axes of indices");
inline constexpr OperandInfo scatter_indices_batching_dims =
    of_windows("scatter_indices_batching_dims", "these axes of indices");
inline constexpr OperandInfo scatter_dims_to_operand_dims =
    of_windows("scatter_dims_to_operand_dims", "the axis of data of each number of an index entry");
inline constexpr OperandInfo index_vector_dim = optional(
    operand("index_vector_dim", 0, OperandRole::integers,
            "of the form window: the axis of indices that holds an entry's numbers; the rank of "
            "indices if an entry is a single number"));

inline constexpr OperandInfo dims_indices =
    indices_operand("where windows of data begin, by the dimension numbers", "scatter_indices");
inline constexpr OperandInfo dims_updates =
    updates_operand("a window for each index entry, by the dimension numbers");

// Of a block that is written at a place; where it begins may be written 3,0.
inline constexpr OperandInfo block_update =
    updates_operand("the block, along no axis longer than operand", "update");
inline constexpr OperandInfo block_starts = operand(
    "indices", 'i', OperandRole::list,
    "where the block begins, a number for each axis of operand: 3,0", "start_indices", "start");

// Whose value does not matter here.
inline constexpr AttributeInfo indices_are_sorted =
    boolean("indices_are_sorted", false, "a promise to a compiler; the result is the same");

inline constexpr std::array<IndexAnswer, 2> answers_of_unique{
    IndexAnswer{}, {.duplicates = DuplicatePolicy::forbidden}};
inline constexpr AttributeInfo unique_indices = boolean(
    "unique_indices", false, "a promise that no place is written twice: one that is, is refused",
    "", answers_of_unique);

inline constexpr Decision no_order{Knob::duplicates,
                                   "our decision: the text has no order; with unique_indices the "
                                   "second entry for a place is refused"};

namespace lines {

inline constexpr std::array of_windows{
    RuleLine{Check::list_rank,
             "lists of dimension numbers have rank 1, and index_vector_dim is one number"},
    RuleLine{Check::list_dtype, "dimension numbers are of an integer dtype"},
    integer_indices,
    RuleLine{Check::dims_range,
             "each dimension number is an axis of its tensor: of updates, data or indices; "
             "index_vector_dim may be the rank of indices"},
    RuleLine{Check::dims_distinct,
             "update_window_dims ascend, and no axis comes twice: of data in inserted_window_dims "
             "and batching dims, and in scatter_dims_to_operand_dims and batching dims, of indices "
             "in scatter_indices_batching_dims and index_vector_dim"},
    RuleLine{Check::dims_count,
             "update_window_dims, inserted_window_dims and batching dims are together as many as "
             "data has axes, scatter_dims_to_operand_dims as many as an entry has numbers, "
             "scatter_indices_batching_dims as many as batching dims of data"},
    RuleLine{Check::batching_sizes, "along batching axes indices is as long as data"},
    RuleLine{Check::updates_shape,
             "updates has the axes of index entries, as long as in indices, and those of windows, "
             "at most as long as in data"},
};

inline constexpr std::array of_block{
    RuleLine{Check::data_rank, "operand has rank 1 or more"},
    RuleLine{Check::indices_dtype, "start_indices are of an integer dtype"},
    RuleLine{Check::indices_shape, "start_indices has shape [r], r the rank of operand"},
    RuleLine{Check::updates_shape,
             "update has the rank of operand, and is at most as long along each axis"},
    RuleLine{Check::updates_dtype, "update has the dtype of operand"},
    RuleLine{Check::index_range, "a start may be any: the block is moved inside operand"},
};

}  // namespace lines

}  // namespace tscatter::names
