// The elements of a tensor, each multiplied by a number. Not part of the installed interface.
#pragma once

#include "tscatter/core/reduction.hpp"
#include "tscatter/core/tensor.hpp"

namespace tscatter {

// A product is rounded to the tensor's dtype and computed when it is read. Integers wrap around,
// bools are combined by "and", and the factor of complex elements has the imaginary part 0.
// REQUIRES: the dtype is not opaque; the factor is one of the dtype (fitted()).
Tensor scaled(const Tensor& tensor, const Number& factor);

}  // namespace tscatter
