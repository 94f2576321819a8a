#include "jobs/captured_output.hpp"

#include "process/environment.hpp"
#include "tscatter/io/files/owned_source.hpp"

namespace tscatter::app {

Sink& CapturedOutput::begin(const TensorHeader& header, const Source& /*data*/) {
  constexpr std::int64_t most_in_memory = std::int64_t{4} << 20U;
  header_ = header;
  if (header.byte_size() <= most_in_memory) {
    memory_ =
        std::make_shared<std::vector<std::byte>>(static_cast<std::size_t>(header.byte_size()));
    sink_ = std::make_unique<SpanSink>(*memory_, SpanSink::Content::anything);
  } else {
    spool_ = std::make_shared<Spool>(temporary_directory(), "output");
    sink_ = std::make_unique<SpoolSink>(*spool_);
  }
  return *sink_;
}

Tensor CapturedOutput::tensor(const std::string& name) const {
  if (spool_ != nullptr) return {header_, spool_, name};
  return {header_, std::span<const std::byte>(*memory_), name};
}

}  // namespace tscatter::app
