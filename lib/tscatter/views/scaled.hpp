// The elements of a tensor, each multiplied by a number. Not part of the installed interface.
#pragma once

#include "tscatter/core/reduction.hpp"
#include "tscatter/core/tensor.hpp"

namespace tscatter {

// The products are rounded to the tensor's dtype, those of integers wrap around, and of bools are
// "and"; complex elements are multiplied by a real number. They are computed when they are read.
// REQUIRES: the dtype is not opaque; the factor is one of the dtype (fitted()).
Tensor scaled(const Tensor& tensor, const Number& factor);

}  // namespace tscatter
