// What a .pb file holds that is no TensorProto: another message of ONNX, a graph of TensorFlow. Not
// part of the installed interface.
#pragma once

#include <string>

#include "tscatter/core/bytes.hpp"

namespace tscatter {

// Throws Error (format, pb.f3) if the file looks like a message of another kind that is known.
// REQUIRES: it is no TensorProto, or one with a mistake.
void refuse_other_message(const Source& file, const std::string& name);

}  // namespace tscatter
