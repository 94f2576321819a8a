// Tensors of ONNX as a TensorProto in a .pb file, read and written. Rules: docs/formats.md, pb.*
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tscatter/core/bytes.hpp"
#include "tscatter/core/error.hpp"
#include "tscatter/core/tensor.hpp"
#include "tscatter/io/files/sources.hpp"
#include "tscatter/io/formats/format.hpp"
#include "tscatter/io/formats/onnx/pb_message.hpp"
#include "tscatter/io/formats/row_major_elements.hpp"

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

// ---- Writes a tensor as ONNX's TensorProto, byte for byte as onnx.numpy_helper.from_array does.

class PbOutput final : public RowMajorOutput {
 public:
  // `tensor_name`: "": none is written. begin() throws Error (usage, pb.f10; file, pb.f9 and
  // file.*).
  PbOutput(OpenFile open, const RowMajorElements::Place& place, std::string tensor_name = {})
      : RowMajorOutput(std::move(open), place),
        name_{place.name},
        tensor_name_{std::move(tensor_name)} {}

 private:
  std::vector<std::byte> front_of(const TensorHeader& header) const override;

  std::string name_;  // of the file, for messages
  std::string tensor_name_;
};

// ---- External data of a TensorProto: the range of another file that has its values. Rule:
// docs/formats.md, pb.f11.

struct ExternalRange {
  std::string location;        // relative to the folder of the file that names it
  std::filesystem::path path;  // that leads there
  std::shared_ptr<const FileSource> file;
  ByteRange range;
};

// Opens the file and finds `bytes` bytes in it. `reading`: how the file that names it is read.
// Throws Error (format, pb.f11; file, file.f1).
ExternalRange external_range(const ExternalData& data, std::int64_t bytes,
                             const FormatReading& reading);

}  // namespace tscatter
