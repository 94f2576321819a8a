// A tensor whose elements all have one value. Not part of the installed interface.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "tscatter/core/tensor.hpp"

namespace tscatter {

// `element`: the bytes of one, in the header's byte order. It is held once, however large the
// tensor. REQUIRES: is_addressable(header.shape, header.type.size).
Tensor filled(TensorHeader header, std::vector<std::byte> element, std::string name);

}  // namespace tscatter
