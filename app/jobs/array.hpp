// A tensor in the memory of a caller of the library for C: an operand, or the place of a result.
#pragma once

#include <cstddef>
#include <functional>
#include <span>

#include "jobs/operand.hpp"
#include "tscatter/core/tensor.hpp"

namespace tscatter::app {

// Returns memory for a result of this dtype, shape and order. Throws std::bad_alloc.
using MakeMemory = std::function<std::span<std::byte>(const TensorHeader& header)>;

// Where a result goes.
struct ArrayPlace {
  TensorHeader header;
  std::span<std::byte> bytes;
  bool is_data = false;  // then only what is touched is written
  MakeMemory make = {};  // if set, it gives the bytes when the header is known
};

struct Array {
  Tensor tensor;
  std::span<std::byte> bytes;
  bool is_writable = false;
  bool is_data = false;  // of an output: it is data's own memory
  MakeMemory make = {};  // of an output that has no memory yet

  OperandWord word() const;
  // Throws Error (usage, array.a5) if it is not writable.
  ArrayPlace place() const;
};

// The caller's memory, which takes a result of its dtype, shape and order, or is made for the
// result.
class ArrayOutput final : public Output {
 public:
  explicit ArrayOutput(ArrayPlace place) : place_{std::move(place)}, memory_{place_.bytes} {}

  // Throws Error (usage, array.a3).
  Sink& begin(const TensorHeader& header, const Source& data) override;
  void commit() override {}

 private:
  ArrayPlace place_;
  MemoryOutput memory_;
};

}  // namespace tscatter::app
