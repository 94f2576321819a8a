#include "tscatter/io/formats/pb_output.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "tscatter/core/byte_order.hpp"
#include "tscatter/core/checked.hpp"
#include "tscatter/core/fail.hpp"
#include "tscatter/io/formats/memory_order.hpp"
#include "tscatter/io/formats/onnx_types.hpp"
#include "tscatter/io/formats/protobuf_reader.hpp"
#include "tscatter/io/formats/protobuf_writer.hpp"

namespace tscatter {
namespace {

constexpr std::int64_t piece = std::int64_t{512} * 1024;  // bytes

const OnnxType& require_type(const ElementType& type, const std::string& name) {
  const OnnxType* found = onnx_type_of(type.dtype);
  // pb.f10
  if (found == nullptr) {
    fail(ErrorKind::usage, "pb.f10", name,
         "a tensor that is written as ONNX must be of a numeric dtype (write .npy), got {}",
         to_string(type));
  }
  return *found;
}

// All of the file but the elements.
std::vector<std::byte> front_of(const TensorHeader& header, const OnnxType& type,
                                const std::string& tensor_name) {
  const auto number = [](TensorField field) { return static_cast<std::uint64_t>(field); };
  ProtobufWriter message;
  for (const std::int64_t dim : header.shape) message.integer(number(TensorField::dims), dim);
  message.integer(number(TensorField::data_type), type.number);
  if (!tensor_name.empty()) message.text(number(TensorField::name), tensor_name);
  message.begin_bytes(number(TensorField::raw_data),
                      static_cast<std::uint64_t>(header.byte_size()));
  const auto bytes = std::as_bytes(std::span(message.bytes()));
  return {bytes.begin(), bytes.end()};
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

bool is_as_in_file(const TensorHeader& header) {
  const bool is_little = header.type.word() == 1 || header.type.byte_order == std::endian::little;
  return is_little && (header.order == MemoryOrder::c || is_contiguous_both_ways(header.shape));
}

}  // namespace

Sink& PbOutput::begin(const TensorHeader& header, const Source&) {
  const OnnxType& type = require_type(header.type, place_.name);
  std::vector<std::byte> front = front_of(header, type, place_.tensor_name);
  front_size_ = static_cast<std::int64_t>(front.size());
  require_size(front_size_, header.byte_size(), place_.name);
  header_ = header;
  file_ = open_();
  file_->reserve(front_size_ + header.byte_size());
  Sink& sink = sink_.emplace(*file_, std::move(front));
  if (is_as_in_file(header)) return sink;
  spool_ = std::make_shared<Spool>(place_.spool_directory, place_.name);
  return spool_sink_.emplace(*spool_);
}

void PbOutput::commit() {
  if (spool_ != nullptr) write_spooled();
  file_->commit();
}

// Row-major and little-endian.
void PbOutput::write_spooled() {
  const Tensor result = in_memory_order(
      Tensor(header_, spool_, place_.name), MemoryOrder::c,
      {.box_bytes = piece, .directory = place_.spool_directory, .stop = place_.stop});
  const auto size = static_cast<std::int64_t>(header_.type.size);
  const std::int64_t most = std::max<std::int64_t>(piece / size, 1);
  std::vector<std::byte> elements;
  for (std::int64_t first = 0; first < result.count(); first += most) {
    if (place_.stop != nullptr && *place_.stop) throw Cancelled();
    elements.resize(static_cast<std::size_t>(std::min(most, result.count() - first) * size));
    read_elements(result, first, elements, std::endian::little);
    sink_->write(first * size, elements);
  }
}

}  // namespace tscatter
