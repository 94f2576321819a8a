// The row of ONNX tensors: .pb
#pragma once

#include "tscatter/io/formats/format.hpp"

namespace tscatter {

extern const Format pb_format;

}  // namespace tscatter
