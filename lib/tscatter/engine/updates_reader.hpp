// Updates as the kernels want them: packed, in the byte order that is asked for, a run at a time.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "tscatter/core/tensor.hpp"
#include "tscatter/engine/writers.hpp"

namespace tscatter {

// Each worker has its own.
class UpdatesReader {
 public:
  UpdatesReader(const Tensor& updates, std::endian byte_order);

  // Where all of updates lies in memory as the kernels want it; nullptr where it does not.
  const std::byte* in_memory() const { return view_ && !reverses_ ? view_->data() : nullptr; }

  // The elements of the run, packed. Valid until the next call.
  const std::byte* fetch(const StridedRun& run);

 private:
  void read_strided(const StridedRun& run, std::span<std::byte> into) const;

  const Tensor& updates_;
  std::optional<std::span<const std::byte>> view_;
  bool reverses_;
  std::vector<std::byte> packed_;
};

}  // namespace tscatter
