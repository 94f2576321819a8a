#include <bit>
#include <utility>

#include "tscatter/io/formats/onnx/protobuf_reader.hpp"
#include "tscatter/onnx/fields.hpp"
#include "tscatter/onnx/model.hpp"

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

}  // namespace tscatter::onnx
