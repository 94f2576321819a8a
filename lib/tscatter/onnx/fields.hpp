// The numbers of the fields of ONNX's messages that a model of one node has. Source: onnx.proto.
#pragma once

#include <cstdint>

namespace tscatter::onnx {

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
