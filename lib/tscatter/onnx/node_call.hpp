// A call of an operation as a model of one node, and back.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "tscatter/onnx/model.hpp"
#include "tscatter/ops/operation.hpp"

namespace tscatter::onnx {

// What the graph calls its output.
inline constexpr std::string_view output_name = "output";

// The model of a call. The operands become inputs of the same names, in the operation's order;
// optional ones at the end may be missing. REQUIRES: the operation is ONNX's, every dtype numeric.
Model model_of(const Operation& operation, const Arguments& arguments, const TensorHeader& output);

struct InputOfCall {
  std::string operand;
  std::size_t number;  // of the graph's input
};

struct NodeCall {
  const Operation* operation;
  std::vector<InputOfCall> inputs;
  Attributes attributes;
};

// What the model calls, or why that cannot be run here: "2 nodes", "the operation Add".
std::variant<NodeCall, std::string> call_of(const Model& model);

}  // namespace tscatter::onnx
