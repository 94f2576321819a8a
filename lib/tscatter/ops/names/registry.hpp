// Operations that messages propose.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tscatter/ops/operation.hpp"

namespace tscatter {

// In the order of operations().
std::vector<std::string> operation_names();

// Whether operations have this name before their first dot: torch, without regard to case.
bool is_namespace(std::string_view name);

// What is proposed for a word that find_operation() does not know: " (nearest: onnx.ScatterND-18)"
// for ScatterND, which only another namespace has, " (use onnx.ScatterElements-18 -r add)" for
// onnx.scatter_add, which that namespace has under another name. Else as nearest_hint(), with
// `others` among the names that are known.
std::string unknown_operation_hint(std::string_view word, const std::vector<std::string>& others,
                                   std::string_view otherwise);

// The newest operations that have the reduction: another version of the operation itself; if it has
// none, other operations of its namespace; if there are none, of all namespaces.
std::vector<const Operation*> operations_with(Reduction reduction, const Operation& beside);

// What the operation of this name or id calls the reduction: add for sum.
std::string_view reduction_word(std::string_view operation, Reduction reduction);

}  // namespace tscatter
