// What is read for a tile: updates, packed and in the requested byte order, and boxes of a tensor.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "tscatter/core/tensor.hpp"
#include "tscatter/engine/writers.hpp"

namespace tscatter {

// ---- Updates as the kernels need them: packed, in the requested byte order, a run at a time.

// Each worker has its own.
class UpdatesReader {
 public:
  UpdatesReader(const Tensor& updates, std::endian byte_order);

  // All of updates, if it is in memory as the kernels need it; else nullptr.
  const std::byte* in_memory() const { return view_ && !reverses_ ? view_->data() : nullptr; }

  // The elements of the run, packed. Valid until the next call.
  const std::byte* fetch(const StridedRun& run);
  // Returns one update per entry, row by row, packed. Valid until the next call. REQUIRES: updates
  // has a view, if there are several rows.
  const std::byte* fetch(const EntryRows& entries);

 private:
  void read_strided(const StridedRun& run, std::span<std::byte> into) const;

  const Tensor& updates_;
  std::optional<std::span<const std::byte>> view_;
  bool repeats_;  // one element: what was fetched once serves again
  bool reverses_;
  std::vector<std::byte> packed_;
};

// ---- BoxReader: reads boxes of a tensor in row-major order, whatever the tensor's memory order.

class BoxReader {
 public:
  explicit BoxReader(const Tensor& tensor) : tensor_{tensor} {}

  // Fills `into` with the elements of the box, in the tensor's byte order.
  // REQUIRES: `into` has the size of the box; the box is not empty.
  void read(const Position& origin, const Shape& sizes, std::span<std::byte> into);

 private:
  // One axis of the box; strides in elements.
  struct Axis {
    std::int64_t count;
    std::int64_t from;
    std::int64_t into;
  };

  std::vector<Axis> axes_of(const Shape& sizes) const;  // the fastest in the tensor first
  std::span<const std::byte> fetch(std::int64_t element, std::int64_t count);
  void unpack(std::span<const Axis> axes, const std::byte* from, std::byte* into) const;

  const Tensor& tensor_;
  std::vector<std::byte> run_;
};

}  // namespace tscatter
