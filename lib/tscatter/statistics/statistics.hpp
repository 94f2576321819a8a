// Statistics of a tensor's elements, read in pieces by several workers. The figures do not depend
// on the number of workers.
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "tscatter/core/progress.hpp"
#include "tscatter/core/tensor.hpp"

namespace tscatter {

using ElementBytes = std::vector<std::byte>;  // one element of the tensor's dtype, in native order

// Integers: the values from `first` to `last`. Reals: the values in [first, last), and [first,
// last] in the last bin.
struct HistogramBin {
  ElementBytes first;
  ElementBytes last;
  std::int64_t count = 0;
};

struct Statistics {
  // Of all values except NaN, infinities included; for a complex dtype, of each part separately.
  // nullopt if there are none.
  std::optional<ElementBytes> min;
  std::optional<ElementBytes> max;
  // Of the finite values. Integers are summed exactly, reals in long double.
  std::optional<std::complex<double>> mean;
  std::int64_t nan = 0;       // elements; for a complex dtype those with a NaN part
  std::int64_t infinite = 0;  // elements; for a complex dtype those with an infinite part
  std::int64_t zeros = 0;
  // Of the finite values: at most 10 bins of equal width (for integers the last may be narrower).
  // None for a bool or complex dtype.
  std::vector<HistogramBin> histogram;
};

struct StatisticsOptions {
  int threads = 0;               // 0: all cores
  StopFlag stop = nullptr;       // throws Cancelled when it becomes true
  Progress* progress = nullptr;  // of each reading
};

// Reads a tensor of a complex or bool dtype once, others twice, the second time for the histogram.
// REQUIRES: the dtype is not opaque.
Statistics statistics(const Tensor& tensor, const StatisticsOptions& options = {});

}  // namespace tscatter
