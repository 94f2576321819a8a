// Checks that several forms share. Each throws Error (rule) with the label from the operation's
// row.
#pragma once

#include <fmt/core.h>

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include "tscatter/core/error.hpp"
#include "tscatter/core/fail.hpp"
#include "tscatter/core/progress.hpp"
#include "tscatter/core/tensor.hpp"
#include "tscatter/ops/operation.hpp"
#include "tscatter/plan/scatter_plan.hpp"

namespace tscatter {

// Throws Error (rule) with the label of the check in the operation's row.
template <class... Args>
[[noreturn]] void refuse(const Operation& operation, Check check,
                         fmt::format_string<Args...> format, Args&&... args) {
  fail(ErrorKind::rule, operation.label(check), operation.id, format, std::forward<Args>(args)...);
}

// `operand`: what messages call it.
void require_rank(const Operation& operation, Check check, std::string_view operand,
                  const Tensor& tensor, std::size_t rank);
void require_rank_at_least_1(const Operation& operation, Check check, std::string_view operand,
                             const Tensor& tensor);
void require_integers(const Operation& operation, Check check, std::string_view operand,
                      const Tensor& tensor);
// Requires a dtype that the operation's row lists for indices.
void require_index_dtype(const Operation& operation, Check check, std::string_view operand,
                         const Tensor& tensor);
void require_shape(const Operation& operation, Check check, std::string_view operand,
                   const Tensor& tensor, const Shape& shape, std::string_view formula,
                   std::string_view hint = {});

// The same of data, indices and updates.
void require_data_rank(const Operation& operation, const Arguments& arguments);
void require_index_dtype(const Operation& operation, const Tensor& indices);
void require_dtype_of_data(const Operation& operation, const Arguments& arguments);
// Requires of data a dtype that the operation's row lists.
void require_data_dtype(const Operation& operation, const Tensor& data);
// Requires that the requested reduction is defined for data's dtype.
void require_reduction(const Operation& operation, const Arguments& arguments);

// Which indices of an axis are legal: [low, high).
struct LegalIndices {
  std::size_t axis = 0;  // of data
  std::int64_t low = 0;
  std::int64_t high = 0;
};

// Throws Error (the rule of Check::index_range), which names the place of element `at` of indices,
// in row-major order, and its value. `hint` follows the axis.
[[noreturn]] void refuse_index(const Operation& operation, const Tensor& indices, std::int64_t at,
                               const LegalIndices& legal, std::string_view hint = {});

// The same for the axis of data, which has that size; where a negative index counts from the end,
// the range begins at -size, and elsewhere the message names an operation that takes it.
[[noreturn]] void refuse_outside(const Operation& operation, const Tensor& indices, std::int64_t at,
                                 std::size_t axis, std::int64_t size);

// Where the operation forbids duplicates: throws Error (the rule of Check::duplicates, or
// operation.o6) for the first index entry, in row-major order, that writes where an earlier one
// wrote. Takes at most 16 bytes an entry beside the plan's own. Throws Cancelled when *stop becomes
// true while entries that are not listed are read again.
void require_unique(const Operation& operation, const Arguments& arguments,
                    const LoweredPlan& lowered, StopFlag stop);

}  // namespace tscatter
