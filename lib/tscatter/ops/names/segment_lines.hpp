// Segments: the operands and rules that operations of the form segment share.
#pragma once

#include <array>
#include <span>
#include <string_view>

#include "tscatter/ops/names/lines.hpp"
#include "tscatter/ops/operation.hpp"

namespace tscatter::names {

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

}  // namespace tscatter::names
