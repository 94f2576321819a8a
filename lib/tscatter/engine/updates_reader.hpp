// Updates as the kernels need them: packed, in the requested byte order, a run at a time.
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

}  // namespace tscatter
