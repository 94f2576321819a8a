#include "tscatter/io/formats/onnx/pb_output.hpp"

#include <utility>
#include <vector>

#include "tscatter/core/checked.hpp"
#include "tscatter/core/fail.hpp"
#include "tscatter/io/formats/onnx/onnx_types.hpp"
#include "tscatter/io/formats/onnx/protobuf_reader.hpp"
#include "tscatter/io/formats/onnx/protobuf_writer.hpp"

namespace tscatter {
namespace {

const OnnxType& require_type(const ElementType& type, const std::string& name) {
  const OnnxType* found = onnx_type_of(type);
  // pb.f10
  if (found == nullptr) {
    fail(ErrorKind::usage, "pb.f10", name,
         "a tensor that is written as ONNX must be of one of its dtypes (write .npy), got {}",
         to_string(type));
  }
  return *found;
}

void require_size(std::int64_t front, std::int64_t bytes, const std::string& name) {
  const auto size = checked_add(front, bytes);
  // pb.f9
  if (!size || *size > longest_protobuf) {
    fail(ErrorKind::file, "pb.f9", name,
         "an ONNX file must have at most {} bytes (write .npy), got {} bytes of elements",
         longest_protobuf, bytes);
  }
}

}  // namespace

std::vector<std::byte> PbOutput::front_of(const TensorHeader& header) const {
  const auto number = [](TensorField field) { return static_cast<std::uint64_t>(field); };
  const OnnxType& type = require_type(header.type, name_);
  ProtobufWriter message;
  for (const std::int64_t dim : header.shape) message.integer(number(TensorField::dims), dim);
  message.integer(number(TensorField::data_type), type.number);
  if (!tensor_name_.empty()) message.text(number(TensorField::name), tensor_name_);
  message.begin_bytes(number(TensorField::raw_data),
                      static_cast<std::uint64_t>(header.byte_size()));
  const auto bytes = std::as_bytes(std::span(message.bytes()));
  require_size(std::ssize(bytes), header.byte_size(), name_);
  return {bytes.begin(), bytes.end()};
}

}  // namespace tscatter
