#include <bit>

#include "tscatter/io/formats/onnx/protobuf_writer.hpp"
#include "tscatter/onnx/fields.hpp"
#include "tscatter/onnx/model.hpp"

namespace tscatter::onnx {
namespace {

ProtobufWriter shape_message(const Shape& shape) {
  ProtobufWriter message;
  for (const std::int64_t size : shape) {
    ProtobufWriter dim;
    dim.integer(value_field::dim_value, size);
    message.message(value_field::dim, dim);
  }
  return message;
}

ProtobufWriter value_message(const GraphValue& value) {
  ProtobufWriter tensor;
  tensor.integer(value_field::element_type, value.data_type);
  tensor.message(value_field::shape, shape_message(value.shape));
  ProtobufWriter type;
  type.message(value_field::tensor_type, tensor);
  ProtobufWriter message;
  message.text(value_field::name, value.name);
  message.message(value_field::type, type);
  return message;
}

ProtobufWriter attribute_message(const NodeAttribute& attribute) {
  ProtobufWriter message;
  message.text(attribute_field::name, attribute.name);
  if (const auto* real = std::get_if<double>(&attribute.value)) {
    message.fixed32(attribute_field::number,
                    std::bit_cast<std::uint32_t>(static_cast<float>(*real)));
    message.integer(attribute_field::type, attribute_type::number);
  } else if (const auto* integer = std::get_if<std::int64_t>(&attribute.value)) {
    message.integer(attribute_field::integer, *integer);
    message.integer(attribute_field::type, attribute_type::integer);
  } else if (const auto* words = std::get_if<std::string>(&attribute.value)) {
    message.text(attribute_field::text, *words);
    message.integer(attribute_field::type, attribute_type::text);
  }
  return message;
}

ProtobufWriter node_message(const Node& node) {
  ProtobufWriter message;
  for (const std::string& input : node.inputs) message.text(node_field::input, input);
  for (const std::string& output : node.outputs) message.text(node_field::output, output);
  message.text(node_field::op_type, node.op_type);
  for (const NodeAttribute& each : node.attributes)
    message.message(node_field::attribute, attribute_message(each));
  return message;
}

ProtobufWriter graph_message(const Model& model) {
  ProtobufWriter message;
  message.message(graph_field::node, node_message(model.node));
  message.text(graph_field::name, model.graph_name);
  for (const GraphValue& input : model.inputs)
    message.message(graph_field::input, value_message(input));
  for (const GraphValue& output : model.outputs)
    message.message(graph_field::output, value_message(output));
  return message;
}

}  // namespace

std::string model_bytes(const Model& model) {
  ProtobufWriter opset;
  opset.text(opset_field::domain, "");
  opset.integer(opset_field::version, model.opset);
  ProtobufWriter message;
  message.integer(model_field::ir_version, model.ir_version);
  message.text(model_field::producer_name, "tscatter");
  message.message(model_field::graph, graph_message(model));
  message.message(model_field::opset_import, opset);
  return message.bytes();
}

}  // namespace tscatter::onnx
