// Output: where a result goes. Nothing of it is to be seen before commit(), where that can be had
// (files).
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "tscatter/core/bytes.hpp"
#include "tscatter/core/tensor.hpp"

namespace tscatter {

class Output {
 public:
  virtual ~Output() = default;

  // Called once, when every rule was checked. `data` holds what the result begins as. The sink
  // takes the result's bytes, from 0 to header.byte_size(). Throws Error (file or usage).
  virtual Sink& begin(const TensorHeader& header, const Source& data) = 0;

  // Called once, when every byte was written. Throws Error (file).
  virtual void commit() = 0;

  // What the file is called that becomes the output, for a log: empty where it has no name yet, or
  // there is none.
  virtual std::string temporary_name() const { return {}; }

  // What an output that was not committed leaves.
  enum class Remains : std::uint8_t {
    nothing,  // all is as before
    journal,  // a file that is changed in part, and a journal from which it can be rolled back
    change,   // a file that is changed in part
  };

  // Takes back what was written since begin(). Nothing is written afterwards.
  virtual Remains take_back() noexcept { return Remains::nothing; }
};

// The caller's memory, which may be data's own: then only what is touched is written.
// REQUIRES: it is data's memory from its first byte on, or does not overlap any operand.
class MemoryOutput final : public Output {
 public:
  explicit MemoryOutput(std::span<std::byte> bytes) : bytes_{bytes} {}
  template <class T>
  explicit MemoryOutput(std::span<T> elements) : MemoryOutput(std::as_writable_bytes(elements)) {}
  template <class Range>
  requires ElementRange<Range&>
  explicit MemoryOutput(Range& elements) : MemoryOutput(std::span(elements)) {}

  // Throws Error (usage, tensor.t3) when the memory has another size than the result.
  Sink& begin(const TensorHeader& header, const Source& data) override;
  void commit() override {}

 private:
  std::span<std::byte> bytes_;
  std::optional<SpanSink> sink_;
};

}  // namespace tscatter
