// The row of ONNX models in the table of formats: their initializers, as members of an archive. Not
// part of the installed interface.
#pragma once

#include <cstddef>
#include <span>

#include "tscatter/io/formats/format.hpp"

namespace tscatter {

extern const Format onnx_format;

// A ModelProto: ir_version (field 1, a small number), then a producer, domain, graph or opset.
bool begins_as_onnx(std::span<const std::byte> first_bytes);

}  // namespace tscatter
