// Segments: the operands and rules that operations of the form segment share. Not part of the
// installed interface.
#pragma once

#include <array>
#include <span>
#include <string_view>

#include "tscatter/ops/names/labelled.hpp"
#include "tscatter/ops/names/lines.hpp"
#include "tscatter/ops/operation.hpp"

namespace tscatter::names {

constexpr OperandInfo segment_data(std::string_view help) {
  return {.name = "updates",
          .flag = 'u',
          .role = OperandRole::updates,
          .presence = Presence::required,
          .help = help,
          .own = "data"};
}
constexpr OperandInfo segment_ids(std::string_view help) {
  return {.name = "indices",
          .flag = 'i',
          .role = OperandRole::integers,
          .presence = Presence::required,
          .help = help,
          .own = "segment_ids"};
}
inline constexpr std::array sorted_segment_operands{
    segment_data("a row for each of segment_ids"),
    segment_ids("the segment of each row of data, of rank 1, in ascending order")};

inline constexpr std::array<std::string_view, 2> sorted_segment_examples{
    "-u x.npy -i ids.npy -o out.npy", "-u 3xf32=2,3,5 -i '[0, 0, 2]'"};

inline constexpr std::array ids_of_segments{DType::int32, DType::int64};

// TensorFlow's and Paddle's: as many rows as the last id asks for.
constexpr Operation sorted_segments(std::string_view name, std::string_view summary,
                                    Reduction reduction, std::span<const OperationRule> rules,
                                    std::span<const Decision> decisions) {
  return {.name = name,
          .id = name,
          .summary = summary,
          .form = Form::segment,
          .base = BaseFrom::segments,
          .fixed = reduction,
          .index_dtypes = ids_of_segments,
          .data_dtypes = all_but_bool,
          .operands = sorted_segment_operands,
          .rules = rules,
          .decisions = decisions,
          .examples = sorted_segment_examples};
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
    RuleLine{Check::data_dtype, "data is not of bool"}};
inline constexpr auto of_sorted_sums =
    with(of_sorted_segments, {Check::reduction_dtype, "data is of any dtype but opaque ones"});
inline constexpr auto of_sorted_extremes =
    with(of_sorted_segments,
         {Check::reduction_dtype, "data is of any dtype but opaque and complex ones"});

}  // namespace lines

}  // namespace tscatter::names
