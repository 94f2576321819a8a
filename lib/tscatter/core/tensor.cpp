#include "tscatter/core/tensor.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "tscatter/core/fail.hpp"

namespace tscatter {
namespace {

constexpr std::array tensor_rule_rows{
    Rule{"tensor.t1",
         "a tensor has at most 64 axes of size >= 0, and at most 2^63 - 1 elements and bytes"},
    Rule{"tensor.t2", "the source of a tensor has as many bytes as its shape and dtype need"},
    Rule{"tensor.t3", "the memory of an output has as many bytes as the result"},
};

}  // namespace

const std::span<const Rule> tensor_rules = tensor_rule_rows;

Tensor::Tensor(TensorHeader header, std::shared_ptr<const Source> source, std::string name)
    : header_{std::move(header)}, source_{std::move(source)}, name_{std::move(name)} {
  const bool negative =
      std::ranges::any_of(header_.shape, [](std::int64_t dim) { return dim < 0; });
  // tensor.t1
  if (header_.rank() > max_rank || negative || !is_addressable(header_.shape, header_.type.size)) {
    fail(ErrorKind::usage, "tensor.t1", name_, "a tensor must be addressable, got shape {} of {}",
         to_string(header_.shape), to_string(header_.type));
  }
  // tensor.t2
  if (source_->size() != header_.byte_size()) {
    fail(ErrorKind::usage, "tensor.t2", name_, "shape {} of {} needs {} bytes, got {}",
         to_string(header_.shape), to_string(header_.type), header_.byte_size(), source_->size());
  }
  if (is_contiguous_both_ways(header_.shape)) header_.order = MemoryOrder::c;
}

Tensor::Tensor(TensorHeader header, std::span<const std::byte> bytes, std::string name)
    : Tensor(std::move(header), std::make_shared<SpanSource>(bytes), std::move(name)) {}

Tensor view(std::span<const std::byte> bytes, DType dtype, Shape shape, std::endian byte_order) {
  return {{.type = ElementType::of(dtype, byte_order), .shape = std::move(shape)}, bytes};
}

Sink& MemoryOutput::begin(const TensorHeader& header, const Source& data) {
  // tensor.t3
  if (static_cast<std::int64_t>(bytes_.size()) != header.byte_size()) {
    fail(ErrorKind::usage, "tensor.t3", "output", "the output's memory must have {} bytes, got {}",
         header.byte_size(), bytes_.size());
  }
  const auto view = data.view();
  const bool is_data = view && !bytes_.empty() && view->data() == bytes_.data();
  return sink_.emplace(bytes_, is_data ? SpanSink::Content::data : SpanSink::Content::anything);
}

}  // namespace tscatter
