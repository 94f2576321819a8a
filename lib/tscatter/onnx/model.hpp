// A model of ONNX with one node, as its node tests have them: read in bounded memory, and written.
// Source: onnx.proto.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "tscatter/core/bytes.hpp"
#include "tscatter/core/shape.hpp"

namespace tscatter::onnx {

struct NodeAttribute {
  std::string name;
  // monostate: a tensor, a list, a long text or another that no scatter operation has.
  std::variant<std::monostate, std::int64_t, double, std::string> value = {};
};

struct Node {
  std::string op_type = {};
  std::string domain = {};
  std::vector<std::string> inputs = {};  // "": left out
  std::vector<std::string> outputs = {};
  std::vector<NodeAttribute> attributes = {};
};

// An input or output of the graph. Type and shape are written, not read.
struct GraphValue {
  std::string name;
  std::int64_t data_type = 0;
  Shape shape = {};
};

struct Model {
  std::int64_t ir_version = 0;
  std::int64_t opset = 0;       // of ONNX's own operations
  std::string graph_name = {};  // written, not read
  std::int64_t nodes = 1;       // in the graph
  Node node = {};               // the first
  std::vector<GraphValue> inputs = {};
  std::vector<GraphValue> outputs = {};
};

// Lists of more than 64 are cut to the first 64. `name` is used in messages. Throws Error (format,
// pb.f1, pb.f2 and pb.f9).
Model read_model(const Source& file, const std::string& name);

// Byte for byte as protocol buffers' own library writes the same fields.
std::string model_bytes(const Model& model);

}  // namespace tscatter::onnx
