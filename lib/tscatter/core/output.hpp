// Output: where a result goes. A file shows nothing of it before commit().
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "tscatter/core/bytes.hpp"
#include "tscatter/core/tensor.hpp"

namespace tscatter {

// What a result survives.
enum class Durability : bool {
  kill,       // the death of the process
  power_cut,  // the death of the machine, too
};

// Whether a change in place keeps the old bytes until it is complete.
enum class Journaling : bool { left_out, done };

class Output {
 public:
  virtual ~Output() = default;

  // Called once, after every rule was checked. `data` holds the bytes that the result starts from.
  // The sink takes the result's bytes, from 0 to header.byte_size(). Throws Error (file or usage).
  virtual Sink& begin(const TensorHeader& header, const Source& data) = 0;

  // Called once, after every byte was written. Throws Error (file).
  virtual void commit() = 0;

  // The present name of the file that becomes the output, for a log; empty if it has none.
  virtual std::string temporary_name() const { return {}; }

  // What an uncommitted output leaves behind.
  enum class Remains : std::uint8_t {
    nothing,  // everything is as before
    journal,  // a partly changed file, and a journal from which it can be rolled back
    change,   // a partly changed file
  };

  // Undoes what was written since begin(). REQUIRES: nothing is written afterwards.
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

  // Throws Error (usage, tensor.t3) when the memory's size is not the result's.
  Sink& begin(const TensorHeader& header, const Source& data) override;
  void commit() override {}

 private:
  std::span<std::byte> bytes_;
  std::optional<SpanSink> sink_;
};

}  // namespace tscatter
