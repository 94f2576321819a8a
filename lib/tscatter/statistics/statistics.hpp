// Statistics of a tensor's elements, read in pieces by several workers. The figures are the same at
// every number of workers. Not part of the installed interface.
#pragma once

#include <atomic>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "tscatter/core/tensor.hpp"

namespace tscatter {

using ElementBytes = std::vector<std::byte>;  // one element of the tensor's dtype, in native order

// Integers: the values from `first` to `last`. Reals: those from `first` on below `last`; in the
// last bin `last` is one of them.
struct HistogramBin {
  ElementBytes first;
  ElementBytes last;
  std::int64_t count = 0;
};

struct Statistics {
  // Of all values that are no NaN, infinities among them; of a complex dtype of each part by
  // itself. nullopt where there is none.
  std::optional<ElementBytes> min;
  std::optional<ElementBytes> max;
  // Of the finite values. Integers are summed exactly, reals in float64 by pieces of 65,536.
  std::optional<std::complex<double>> mean;
  std::int64_t nan = 0;       // elements; of a complex dtype those with a NaN part
  std::int64_t infinite = 0;  // elements; of a complex dtype those with an infinite part
  std::int64_t zeros = 0;
  // Of the finite values, at most 10 of one width (the last one of integers may be narrower). None
  // of a bool or complex dtype.
  std::vector<HistogramBin> histogram;
};

struct StatisticsOptions {
  int threads = 0;                          // 0: all cores
  const std::atomic<bool>* stop = nullptr;  // ends with Cancelled when it becomes true
};

// Of a tensor of 8 or 16 bits an element, or of a complex dtype, all is read once; of a wider one
// twice, the second time for the histogram. REQUIRES: the dtype is not opaque.
Statistics statistics(const Tensor& tensor, const StatisticsOptions& options = {});

}  // namespace tscatter
