// A tensor whose elements are converted as they are read. Not part of the installed interface.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <span>

#include "tscatter/core/progress.hpp"
#include "tscatter/core/tensor.hpp"

namespace tscatter {

// Is told the number of each element that does not fit.
using Misfit = std::function<void(std::size_t)>;

// Converts elements to another dtype; both are in native byte order.
using ConvertElements = std::function<void(std::span<const std::byte> elements,
                                           std::span<std::byte> into, const Misfit& misfit)>;

struct ConversionRun {
  bool rounds = false;  // else values fit exactly
  const std::atomic<bool>* stop = nullptr;
  Progress* progress = nullptr;
};

// The tensor with elements of type `to`, in its memory order. Reads all elements once, to see that
// each fits. Throws Error (rule, convert.v1 or convert.v3) for the first in row-major order that
// does not, and Cancelled when *stop becomes true.
Tensor converted_by(const Tensor& tensor, const ElementType& to, ConvertElements convert,
                    const ConversionRun& run);

}  // namespace tscatter
