// Floats of 8 bits as the numbers that they are. Not part of the installed interface.
#pragma once

#include "tscatter/core/tensor.hpp"

namespace tscatter {

// A float8 tensor as float32, exactly; it is decoded as it is read. Other tensors unchanged.
Tensor as_numbers(const Tensor& tensor);

}  // namespace tscatter
