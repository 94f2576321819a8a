// A tensor whose elements are converted as they are read, and refused where they do not fit.
#pragma once

#include "tscatter/core/progress.hpp"
#include "tscatter/core/tensor.hpp"
#include "tscatter/views/element_conversion.hpp"

namespace tscatter {

struct ConversionRun {
  ConversionFit worst = ConversionFit::exact;  // what is not refused
  // For messages: what would not be, if values were rounded to nearest, and whether they are.
  ConversionFit worst_rounded = ConversionFit::rounded;
  bool rounds = false;
  StopFlag stop = nullptr;
  Progress* progress = nullptr;
};

// The tensor with elements of type `to`, in its memory order. Reads all elements once, with all
// cores, to see that each fits, unless all do whatever they are. Throws Error (rule, convert.v1 or
// convert.v3) for the first in row-major order that does not, and Cancelled when *stop becomes
// true. REQUIRES: the converter is from the tensor's type to `to`.
Tensor converted_by(const Tensor& tensor, const ElementType& to, const ElementConverter& converter,
                    const ConversionRun& run);

}  // namespace tscatter
