// How an index that is out of range is refused. Not part of the installed interface.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "tscatter/core/tensor.hpp"
#include "tscatter/ops/checks.hpp"

namespace tscatter {

// Which indices of an axis are legal: [low, high).
struct IndexRange {
  std::size_t axis = 0;  // of data
  std::int64_t low = 0;
  std::int64_t high = 0;
};

// Throws Error (rule), which names the place of element `at` of indices, in row-major order, and
// its value. `hint` follows the axis.
[[noreturn]] void refuse_index(RuleOf rule, const Tensor& indices, std::int64_t at,
                               const IndexRange& range, std::string_view hint = {});

// The same for the axis of data, which has that size; where a negative index counts from the end,
// the range begins at -size, and elsewhere the message names an operation that takes it.
[[noreturn]] void refuse_outside(RuleOf rule, const Tensor& indices, std::int64_t at,
                                 std::size_t axis, std::int64_t size, NegativeIndex negative);

}  // namespace tscatter
