// A tensor's elements in another memory order, by way of a spool.
#pragma once

#include <cstdint>
#include <filesystem>

#include "tscatter/core/progress.hpp"
#include "tscatter/core/tensor.hpp"

namespace tscatter {

struct Reordering {
  std::int64_t box_bytes = 0;            // that are held at once
  std::filesystem::path directory = {};  // of the spool
  StopFlag stop = nullptr;               // reading throws Cancelled when it becomes true
};

// The same tensor where its elements already lie so; else a copy, in the tensor's byte order.
// Throws Error (file).
Tensor in_memory_order(const Tensor& tensor, MemoryOrder order, const Reordering& reordering);

}  // namespace tscatter
