// Checks that several forms share. Each throws Error (rule) with the label from the operation's
// row. Not part of the installed interface.
#pragma once

#include <string_view>

#include "tscatter/core/error.hpp"
#include "tscatter/core/progress.hpp"
#include "tscatter/core/tensor.hpp"
#include "tscatter/ops/operation.hpp"
#include "tscatter/plan/lowered_plan.hpp"

namespace tscatter {

// Whose rule is checked.
struct RuleOf {
  std::string_view operation;  // id
  std::string_view label;
  std::string_view indices = "indices";  // what the operation calls them
  std::string_view data = "data";        // and data
};

inline RuleOf rule_of(const Operation& operation, Check check) {
  return {.operation = operation.id,
          .label = operation.label(check),
          .indices = operation.called("indices"),
          .data = operation.called("data")};
}

void require_data_rank(const Operation& operation, const Arguments& arguments);
void require_rank_at_least_1(RuleOf rule, std::string_view operand, const Tensor& tensor);
void require_integers(RuleOf rule, std::string_view operand, const Tensor& tensor);
// Requires of indices a dtype that the operation's row lists.
void require_index_dtype(RuleOf rule, const Operation& operation, const Tensor& indices);
// The same of another operand, which messages call so.
void require_index_dtype(RuleOf rule, const Operation& operation, std::string_view operand,
                         const Tensor& tensor);
void require_shape(RuleOf rule, std::string_view operand, const Tensor& tensor, const Shape& shape,
                   std::string_view formula, std::string_view hint = {});
void require_dtype_of_data(const Operation& operation, const Arguments& arguments);

// Requires of data a dtype that the operation's row lists.
void require_data_dtype(RuleOf rule, const Operation& operation, const Tensor& data);

// Requires that the requested reduction is defined for data's dtype.
void require_reduction(RuleOf rule, const Operation& operation, const Arguments& arguments);

// Where the operation forbids duplicates: throws Error (the rule of Check::duplicates, or
// operation.o6) for the first index entry, in row-major order, that writes where an earlier one
// wrote. Takes at most 16 bytes an entry beside the plan's own. Throws Cancelled when *stop becomes
// true while entries that are not listed are read again.
void require_unique(const Operation& operation, const Arguments& arguments,
                    const LoweredPlan& lowered, StopFlag stop);

}  // namespace tscatter
