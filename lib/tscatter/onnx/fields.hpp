// The numbers of the fields of ONNX's messages that a model of one node has. Source: onnx.proto.
#pragma once

#include <cstdint>

namespace tscatter::onnx {

namespace model_field {
inline constexpr std::uint64_t ir_version = 1;
inline constexpr std::uint64_t producer_name = 2;
inline constexpr std::uint64_t graph = 7;
inline constexpr std::uint64_t opset_import = 8;
}  // namespace model_field

namespace opset_field {
inline constexpr std::uint64_t domain = 1;
inline constexpr std::uint64_t version = 2;
}  // namespace opset_field

namespace graph_field {
inline constexpr std::uint64_t node = 1;
inline constexpr std::uint64_t name = 2;
inline constexpr std::uint64_t input = 11;
inline constexpr std::uint64_t output = 12;
}  // namespace graph_field

namespace node_field {
inline constexpr std::uint64_t input = 1;
inline constexpr std::uint64_t output = 2;
inline constexpr std::uint64_t op_type = 4;
inline constexpr std::uint64_t attribute = 5;
inline constexpr std::uint64_t domain = 7;
}  // namespace node_field

namespace attribute_field {
inline constexpr std::uint64_t name = 1;
inline constexpr std::uint64_t number = 2;
inline constexpr std::uint64_t integer = 3;
inline constexpr std::uint64_t text = 4;
inline constexpr std::uint64_t type = 20;
}  // namespace attribute_field

// AttributeProto.AttributeType, in the order of NodeAttribute's values.
namespace attribute_type {
inline constexpr std::int64_t number = 1;
inline constexpr std::int64_t integer = 2;
inline constexpr std::int64_t text = 3;
}  // namespace attribute_type

// Of ValueInfoProto, and of the messages in it down to the size of an axis.
namespace value_field {
inline constexpr std::uint64_t name = 1;
inline constexpr std::uint64_t type = 2;
inline constexpr std::uint64_t tensor_type = 1;
inline constexpr std::uint64_t element_type = 1;
inline constexpr std::uint64_t shape = 2;
inline constexpr std::uint64_t dim = 1;
inline constexpr std::uint64_t dim_value = 1;
}  // namespace value_field

}  // namespace tscatter::onnx
