// Tensors of ONNX, as a TensorProto in a .pb file. Rules: docs/formats.md, pb.*
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>

#include "tscatter/core/bytes.hpp"
#include "tscatter/core/error.hpp"
#include "tscatter/core/tensor.hpp"
#include "tscatter/io/formats/format.hpp"

namespace tscatter {

// The tensor in a source that holds a whole file. Its elements are a part of the file, or of
// another one beside it, where they lie together in it; otherwise they are spooled. Throws Error
// (format, pb.f1 to pb.f9, pb.f11; file, file.* and undo.*).
Tensor pb_tensor(const std::shared_ptr<const Source>& file, const FormatReading& reading);

// The same for a TensorProto in a range of the file.
Tensor tensor_of_message(const std::shared_ptr<const Source>& file, ByteRange range,
                         const FormatReading& reading);

// The file beside this one that has the elements, and where, as raw bytes; nullopt: this one has
// them. Throws as pb_tensor().
std::optional<MemberName> external_place(const Source& file, ByteRange range,
                                         const FormatReading& reading);

std::span<const Rule> pb_rules();

// What a .pb file holds that is no TensorProto: another message of ONNX, a graph of TensorFlow.
// Throws Error (format, pb.f3) if the file looks like a message of another kind that is known.
// REQUIRES: it is no TensorProto, or one with a mistake.
void refuse_other_message(const Source& file, const std::string& name);

}  // namespace tscatter
