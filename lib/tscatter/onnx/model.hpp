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

// ---- The numbers of the fields of ONNX's messages that a model of one node has. Source:
// onnx.proto.

namespace model_field {
enum : std::uint64_t { ir_version = 1, producer_name = 2, graph = 7, opset_import = 8 };
}

namespace opset_field {
enum : std::uint64_t { domain = 1, version = 2 };
}

namespace graph_field {
enum : std::uint64_t { node = 1, name = 2, input = 11, output = 12 };
}

namespace node_field {
enum : std::uint64_t { input = 1, output = 2, op_type = 4, attribute = 5, domain = 7 };
}

namespace attribute_field {
enum : std::uint64_t { name = 1, number = 2, integer = 3, text = 4, type = 20 };
}

// AttributeProto.AttributeType, in the order of NodeAttribute's values.
namespace attribute_type {
enum : std::int64_t { number = 1, integer = 2, text = 3 };
}

// Of ValueInfoProto, and of the messages in it down to the size of an axis.
namespace value_field {
enum : std::uint64_t {
  name = 1,
  type = 2,
  tensor_type = 1,
  element_type = 1,
  shape = 2,
  dim = 1,
  dim_value = 1
};
}

}  // namespace tscatter::onnx
