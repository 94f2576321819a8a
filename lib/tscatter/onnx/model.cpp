#include "tscatter/onnx/model.hpp"

#include <bit>
#include <utility>

#include "tscatter/io/formats/onnx/protobuf.hpp"

namespace tscatter::onnx {
namespace {

constexpr std::size_t most_kept = 64;

class ModelReader {
 public:
  ModelReader(const Source& file, const std::string& name) : file_{file}, name_{name} {}

  Model read() {
    model_.nodes = 0;
    for_each({.begin = 0, .end = file_.size()}, [&](const ProtobufField& field) {
      if (field.number == model_field::ir_version) model_.ir_version = integer(field, "ir_version");
      if (field.number == model_field::opset_import) read_opset(message(field, "opset_import"));
      if (field.number == model_field::graph) read_graph(message(field, "graph"));
    });
    return std::move(model_);
  }

 private:
  template <class Visit>
  void for_each(ByteRange range, const Visit& visit) const {
    ProtobufReader fields(file_, range, name_);
    while (const auto field = fields.next()) visit(*field);
  }

  ByteRange message(const ProtobufField& field, std::string_view what) const {
    require_wire_type(field, WireType::bytes, what, name_);
    return field.content;
  }
  std::int64_t integer(const ProtobufField& field, std::string_view what) const {
    require_wire_type(field, WireType::varint, what, name_);
    return static_cast<std::int64_t>(field.value);
  }
  std::string text(const ProtobufField& field, std::string_view what) const {
    return text_of_field(file_, field, what, name_);
  }

  void read_opset(ByteRange range) {
    std::string domain;
    std::int64_t version = 0;
    for_each(range, [&](const ProtobufField& field) {
      if (field.number == opset_field::domain) domain = text(field, "a domain");
      if (field.number == opset_field::version) version = integer(field, "a version");
    });
    if (domain.empty() || domain == "ai.onnx") model_.opset = version;
  }

  void read_graph(ByteRange range) {
    for_each(range, [&](const ProtobufField& field) {
      if (field.number == graph_field::node) note_node(message(field, "a node"));
      if (field.number == graph_field::input) note_value(model_.inputs, message(field, "an input"));
      if (field.number == graph_field::output)
        note_value(model_.outputs, message(field, "an output"));
    });
  }

  void note_node(ByteRange range) {
    if (++model_.nodes > 1) return;
    Node& node = model_.node;
    for_each(range, [&](const ProtobufField& field) {
      if (field.number == node_field::op_type) node.op_type = text(field, "op_type");
      if (field.number == node_field::domain) node.domain = text(field, "a domain");
      if (field.number == node_field::input) keep(node.inputs, text(field, "an input"));
      if (field.number == node_field::output) keep(node.outputs, text(field, "an output"));
      if (field.number == node_field::attribute)
        keep(node.attributes, attribute(message(field, "an attribute")));
    });
  }

  NodeAttribute attribute(ByteRange range) const {
    NodeAttribute read;
    std::int64_t type = 0;
    std::int64_t number = 0;
    float real = 0;
    std::string words;
    bool is_short = true;
    for_each(range, [&](const ProtobufField& field) {
      if (field.number == attribute_field::name) read.name = text(field, "an attribute's name");
      if (field.number == attribute_field::type) type = integer(field, "an attribute's type");
      if (field.number == attribute_field::integer) number = integer(field, "i");
      if (field.number == attribute_field::number) real = number_of(field);
      if (field.number != attribute_field::text) return;
      is_short = field.content.size() <= longest_text;
      if (is_short) words = text(field, "s");
    });
    if (type == attribute_type::integer) read.value = number;
    if (type == attribute_type::number) read.value = static_cast<double>(real);
    if (type == attribute_type::text && is_short) read.value = words;
    return read;
  }

  float number_of(const ProtobufField& field) const {
    require_wire_type(field, WireType::fixed32, "f", name_);
    ProtobufReader bytes(file_, field.content, name_);
    return std::bit_cast<float>(static_cast<std::uint32_t>(bytes.little_endian(sizeof(float))));
  }

  void note_value(std::vector<GraphValue>& values, ByteRange range) const {
    GraphValue value;
    for_each(range, [&](const ProtobufField& field) {
      if (field.number == value_field::name) value.name = text(field, "a value's name");
    });
    keep(values, std::move(value));
  }

  template <class T>
  static void keep(std::vector<T>& values, T value) {
    if (values.size() < most_kept) values.push_back(std::move(value));
  }

  const Source& file_;
  const std::string& name_;
  Model model_;
};

}  // namespace

Model read_model(const Source& file, const std::string& name) {
  require_protobuf_size(file.size(), name);
  return ModelReader(file, name).read();
}

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
