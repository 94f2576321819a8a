// Rules and operands that operations of several namespaces share. Not part of the installed
// interface.
#pragma once

#include <algorithm>
#include <array>

#include "tscatter/ops/names/labelled.hpp"
#include "tscatter/ops/operation.hpp"

namespace tscatter::names {

inline constexpr std::array nd_operands{
    OperandInfo{"data", 'd', OperandRole::data, Presence::required,
                "the tensor that is updated, of rank 1 or more"},
    OperandInfo{"indices", 'i', OperandRole::integers, Presence::required,
                "index entries along the last axis, of rank 1 or more"},
    OperandInfo{"updates", 'u', OperandRole::updates, Presence::required,
                "indices.shape[:-1] + data.shape[indices.shape[-1]:]"},
};

// The last one is an attribute in some namespaces.
inline constexpr std::array elements_operands{
    OperandInfo{"data", 'd', OperandRole::data, Presence::required,
                "the tensor that is updated, of rank 1 or more"},
    OperandInfo{"indices", 'i', OperandRole::integers, Presence::required,
                "a position along the axis for each element of updates, of data's rank"},
    OperandInfo{"updates", 'u', OperandRole::updates, Presence::required, "indices.shape"},
    OperandInfo{"axis", 'a', OperandRole::integers, Presence::required,
                "an integer, or a tensor of rank 0 or shape [1], in [-r, r)"},
};

inline constexpr auto all_but_bool = [] {
  std::array<DType, all_dtypes.size() - 1> dtypes{};
  std::ranges::copy_if(all_dtypes, dtypes.begin(),
                       [](DType each) { return each != DType::boolean; });
  return dtypes;
}();

inline constexpr Decision row_major{Knob::duplicates, "our decision: the text has no order"};

namespace lines {

inline constexpr RuleLine data_rank{Check::data_rank, "data has rank r >= 1"};
inline constexpr RuleLine indices_rank{Check::indices_rank, "indices has rank q >= 1"};
inline constexpr RuleLine index_depth{
    Check::index_depth, "the index depth k = indices.shape[-1] is at most the rank of data"};
inline constexpr RuleLine coordinates_from_0{
    Check::index_range, "coordinate j of each index entry is in [0, s), where s = data.shape[j]"};
inline constexpr RuleLine coordinates_from_the_end{
    Check::index_range,
    "coordinate j of each index entry is in [-s, s), where s = data.shape[j]; a negative one "
    "counts from the end"};
inline constexpr RuleLine elements_rank{Check::indices_rank, "indices has the rank of data"};
inline constexpr RuleLine axis_range{Check::axis_range,
                                     "axis is in [-r, r), where r is the rank of data"};
inline constexpr RuleLine index_from_the_end{
    Check::index_range,
    "each index is in [-s, s), where s is the size of data along axis; a negative one counts from "
    "the end"};
inline constexpr RuleLine elements_shape{
    Check::indices_shape, "along every axis but axis, indices is at most as long as data"};
inline constexpr RuleLine elements_updates{Check::updates_shape,
                                           "updates has the shape of indices"};
inline constexpr RuleLine updates_dtype{Check::updates_dtype, "updates has the dtype of data"};
inline constexpr RuleLine every_reduction{
    Check::reduction_dtype,
    "the reduction is defined for the dtype: opaque dtypes have none only, complex ones no min and "
    "max"};

inline constexpr RuleLine step_not_zero{Check::step_not_zero, "the step of a slice is not 0"};
inline constexpr RuleLine positions_from_the_end{
    Check::index_range,
    "each index is in [-s, s), where s is the size of its axis; a negative one counts from the "
    "end"};

// Of an index by items, before its positions are looked at.
inline constexpr std::array index_items{
    data_rank,
    RuleLine{Check::indices_rank,
             "the items of the index are for at most r axes, and at most one of them is an "
             "ellipsis (...)"},
    RuleLine{Check::indices_dtype, "positions are of an integer dtype, a mask is of bool"},
    RuleLine{Check::indices_shape,
             "positions broadcast to one shape; a mask is as long as data along its axes"},
    step_not_zero,
};

}  // namespace lines
}  // namespace tscatter::names
