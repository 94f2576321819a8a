// Windows: an index entry says where a window of data begins, and the entry's part of updates goes
// there. A window may be smaller than data, may be cut by data's edge, and may share elements with
// other windows. Which axis of updates and indices is which axis of data is said by the dimension
// numbers of StableHLO's scatter.
//
// data [4,6], indices [[1,2]], updates [1,2,3]: update_window_dims {1, 2},
// scatter_dims_to_operand_dims {0, 1}, index_vector_dim 1: the window [1:3, 2:5]
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "tscatter/ops/checks.hpp"
#include "tscatter/ops/operation.hpp"
#include "tscatter/plan/lowered_plan.hpp"

namespace tscatter::forms {

struct WindowDims {
  std::vector<std::size_t> update_window_dims;    // axes of updates within a window, ascending
  std::vector<std::size_t> inserted_window_dims;  // axes of data that windows are 1 long along
  // Axes of data that go along with axes of indices.
  std::vector<std::size_t> input_batching_dims;
  std::vector<std::size_t> scatter_indices_batching_dims;
  // The axis of data of each number that an entry has.
  std::vector<std::size_t> scatter_dims_to_operand_dims;
  std::size_t index_vector_dim = 0;  // the axis of indices with these; their rank: there is one
};

// Of a call of the form window: the dimension numbers of a list, none if it was left out; and the
// axis of indices with an entry's numbers, by default 0, or the last one if the operation does not
// ask. REQUIRES: the rules on lists hold.
std::vector<std::int64_t> dims_listed(const Arguments& arguments, std::string_view name);
std::size_t index_vector_dim(const Operation& operation, const Arguments& arguments);

// The plan of a call with windows. Where windows are as long as data along the first or the last
// axes of data, and no index moves them there, a whole part of data is written at once, and an
// index entry of the plan is a position in the other axes of updates: so is what LoweredPlan calls
// an index entry. Each takes 4 bytes, or 8 if there are 2^32 destinations or more. Entries come in
// row-major order of updates.
//
// The start of each window is checked against the axis, of s elements, less the window's length w:
// it must be in [0, s - w], or wraps around once before. By the policy, one that is not is refused,
// drops its window or the elements outside, or is moved into that range; with modulo and clip_index
// each element is wrapped or moved by itself. Throws Error (the rule of Check::index_range)
// for the first index in row-major order that is refused. REQUIRES: the shapes and dimension
// numbers agree.
LoweredPlan lower_window(const Operation& operation, const Tensor& data, const Tensor& indices,
                         const Tensor& updates, const WindowDims& dims, const Lowering& lowering);

}  // namespace tscatter::forms
