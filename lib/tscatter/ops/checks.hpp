// The checks that several operations share. Each throws Error (rule) under the label that the
// operation gives it. Not part of the installed interface.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "tscatter/core/error.hpp"
#include "tscatter/core/tensor.hpp"
#include "tscatter/ops/operation.hpp"
#include "tscatter/plan/slot_list.hpp"

namespace tscatter {

// Whose rule is checked.
struct RuleOf {
  std::string_view operation;  // id
  std::string_view label;
};

void require_rank_at_least_1(RuleOf rule, std::string_view operand, const Tensor& tensor);
void require_integers(RuleOf rule, std::string_view operand, const Tensor& tensor);
void require_shape(RuleOf rule, std::string_view operand, const Tensor& tensor, const Shape& shape,
                   std::string_view formula);
void require_dtype_of_data(RuleOf rule, const Tensor& updates, const Tensor& data);

// All elements of a short integer tensor in row-major order; what lies beyond int64 becomes the
// largest int64. REQUIRES: require_integers passed.
std::vector<std::int64_t> read_integers(const Tensor& tensor);

// The exact value of one element of an integer tensor, for messages. `index` counts in row-major
// order.
std::string integer_text(const Tensor& tensor, std::int64_t index);

// "indices[3, 0]"; "axis" where the tensor has rank 0.
std::string place_text(std::string_view operand, const Tensor& tensor, std::int64_t index);

enum class NegativeIndices : bool { refused, from_the_end };

struct IndexedAxes {
  std::size_t first = 0;     // the axis of data that coordinate 0 of an entry counts along
  std::size_t depth = 1;     // coordinates of an entry
  std::int64_t entries = 0;  // indices holds entries * depth elements
  NegativeIndices negative = NegativeIndices::refused;
};

// The slot of each index entry (plan/scatter_plan.hpp), after each coordinate was checked against
// its own axis. The first coordinate in row-major order that is out of range is the one that is
// named. REQUIRES: require_integers passed; the axes exist.
SlotList read_slots(RuleOf rule, const Tensor& data, const Tensor& indices, const IndexedAxes& axes,
                    const Parallelism& parallelism);

}  // namespace tscatter
