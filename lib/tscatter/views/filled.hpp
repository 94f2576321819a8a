// Tensors whose elements are made: all of one value, or another tensor multiplied.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "tscatter/core/reduction.hpp"
#include "tscatter/core/tensor.hpp"

namespace tscatter {

// `element`: the bytes of one, in the header's byte order. It is held once, however large the
// tensor. REQUIRES: is_addressable(header.shape, header.type.size).
Tensor filled(TensorHeader header, std::vector<std::byte> element, std::string name);

// A product is rounded to the tensor's dtype and computed when it is read. Integers wrap around,
// bools are combined by "and", and the factor of complex elements has the imaginary part 0.
// REQUIRES: the dtype is not opaque; the factor is one of the dtype (fitted()).
Tensor scaled(const Tensor& tensor, const Number& factor);

}  // namespace tscatter
