#include "tscatter/onnx/node_call.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <utility>

#include "tscatter/core/fail.hpp"
#include "tscatter/io/formats/onnx/pb_message.hpp"

namespace tscatter::onnx {
namespace {

constexpr std::string_view name_space = "onnx";

// Which IR versions came with which opsets. Source: onnx.helper.VERSION_TABLE.
struct IrVersion {
  std::int64_t from_opset;
  std::int64_t version;
};
constexpr std::array<IrVersion, 8> ir_versions{
    {{9, 4}, {11, 6}, {12, 7}, {15, 8}, {19, 9}, {21, 10}, {23, 11}, {24, 12}}};

std::int64_t ir_version_of(std::int64_t opset) {
  const auto* const after =
      std::ranges::upper_bound(ir_versions, opset, {}, &IrVersion::from_opset);
  return after == ir_versions.begin() ? ir_versions.front().version : std::prev(after)->version;
}

// "ScatterND" of "onnx.ScatterND-18".
std::string_view op_type_of(std::string_view name) {
  name.remove_prefix(name_space.size() + 1);
  return name.substr(0, name.rfind('-'));
}

GraphValue graph_value(std::string_view name, const TensorHeader& header) {
  return {.name = std::string(name),
          .data_type = onnx_type_of(header.type)->number,
          .shape = header.shape};
}

double as_double(const Number& number) {
  return std::visit([](auto value) { return static_cast<double>(value); }, number);
}

NodeAttribute node_attribute(const AttributeInfo& attribute, const AttributeValue& value) {
  NodeAttribute made{.name = std::string(attribute.name)};
  switch (attribute.type()) {
    case AttributeType::reduction:
    case AttributeType::word: made.value = text_of(attribute, value); break;
    case AttributeType::boolean: made.value = std::int64_t{std::get<bool>(value) ? 1 : 0}; break;
    case AttributeType::integer: made.value = std::get<std::int64_t>(value); break;
    case AttributeType::number: made.value = as_double(std::get<Number>(value)); break;
  }
  return made;
}

// nullopt if the attribute has no such value.
std::optional<AttributeValue> value_of(const AttributeInfo& attribute, const NodeAttribute& given) {
  using Value = std::optional<AttributeValue>;
  const auto* integer = std::get_if<std::int64_t>(&given.value);
  switch (attribute.type()) {
    case AttributeType::reduction:
    case AttributeType::word: {
      const auto* words = std::get_if<std::string>(&given.value);
      return words == nullptr ? std::nullopt : parse_attribute(attribute, *words);
    }
    case AttributeType::boolean: return integer == nullptr ? std::nullopt : Value(*integer != 0);
    case AttributeType::integer: return integer == nullptr ? std::nullopt : Value(*integer);
    case AttributeType::number: {
      const auto* real = std::get_if<double>(&given.value);
      return real == nullptr ? std::nullopt : Value(Number(*real));
    }
  }
  unreachable();
}

// "the attribute axis": one that the operation does not take; "" if it takes all. More than are
// kept of a model have a name twice.
std::string take_attributes(const Node& node, NodeCall& call) {
  for (const NodeAttribute& given : node.attributes) {
    const AttributeInfo* attribute = call.operation->find_attribute(given.name);
    const auto value = attribute == nullptr ? std::nullopt : value_of(*attribute, given);
    if (!value) return "the attribute " + given.name;
    if (!call.attributes.emplace(given.name, *value).second)
      return "a second attribute " + given.name;
  }
  return "";
}

// The same for inputs.
std::string take_inputs(const Model& model, NodeCall& call) {
  const std::vector<std::string>& names = model.node.inputs;
  const auto operands = call.operation->operands;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i].empty()) continue;
    const auto input = std::ranges::find(model.inputs, names[i], &GraphValue::name);
    if (i >= operands.size() || input == model.inputs.end()) return "the input " + names[i];
    const auto number = static_cast<std::size_t>(input - model.inputs.begin());
    call.inputs.push_back({.operand = std::string(operands[i].name), .number = number});
  }
  return "";
}

const Operation* operation_of(const Model& model) {
  const Node& node = model.node;
  if (!node.domain.empty() && node.domain != "ai.onnx") return nullptr;
  const std::string front = fmt::format("{}.{}-", name_space, node.op_type);
  const Operation* found = nullptr;
  for (const Operation* each : operations()) {
    if (each->name.starts_with(front) && version_of(each->name) <= model.opset) found = each;
  }
  return found;
}

}  // namespace

Model model_of(const Operation& operation, const Arguments& arguments, const TensorHeader& output) {
  const std::int64_t opset = version_of(operation.name);
  Model model{.ir_version = ir_version_of(opset),
              .opset = opset,
              .graph_name = std::string(operation.id),
              .node = {.op_type = std::string(op_type_of(operation.name)),
                       .outputs = {std::string(output_name)}},
              .outputs = {graph_value(output_name, output)}};
  for (const OperandInfo& operand : operation.operands) {
    const Tensor* tensor = arguments.find(operand.name);
    model.node.inputs.emplace_back(tensor == nullptr ? "" : operand.name);
    if (tensor != nullptr) model.inputs.push_back(graph_value(operand.name, tensor->header()));
  }
  while (model.node.inputs.back().empty()) model.node.inputs.pop_back();
  for (const auto& [name, value] : arguments.attributes)
    model.node.attributes.push_back(node_attribute(*operation.find_attribute(name), value));
  return model;
}

std::variant<NodeCall, std::string> call_of(const Model& model) {
  if (model.nodes != 1) return fmt::format("{} nodes", model.nodes);
  NodeCall call{.operation = operation_of(model), .inputs = {}, .attributes = {}};
  if (call.operation == nullptr)
    return fmt::format("the operation {} of opset {}", model.node.op_type, model.opset);
  std::string unknown = take_attributes(model.node, call);
  if (unknown.empty()) unknown = take_inputs(model, call);
  if (!unknown.empty()) return fmt::format("{} of {}", unknown, model.node.op_type);
  if (model.outputs.size() != 1) return fmt::format("{} outputs", model.outputs.size());
  return call;
}

}  // namespace tscatter::onnx
