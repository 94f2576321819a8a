// Tensors of ONNX, as a TensorProto in a .pb file. Rules: docs/formats.md, pb.*
#pragma once

#include <memory>
#include <span>

#include "tscatter/core/error.hpp"
#include "tscatter/core/tensor.hpp"
#include "tscatter/io/formats/format.hpp"

namespace tscatter {

// The tensor in a source that holds a whole file. Its elements are a part of the file where they
// lie together in it; otherwise they are spooled. Throws Error (format, pb.f1 to pb.f9).
Tensor pb_tensor(const std::shared_ptr<const Source>& file, const FormatReading& reading);

std::span<const Rule> pb_rules();

}  // namespace tscatter
