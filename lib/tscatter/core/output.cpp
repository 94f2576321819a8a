#include "tscatter/core/output.hpp"

#include "tscatter/core/fail.hpp"

namespace tscatter {

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
