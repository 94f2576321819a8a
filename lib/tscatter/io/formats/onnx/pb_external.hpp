// External data of a TensorProto: the range of another file that has its values. Rule:
// docs/formats.md, pb.f11.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "tscatter/core/bytes.hpp"
#include "tscatter/io/files/file_source.hpp"
#include "tscatter/io/formats/format.hpp"
#include "tscatter/io/formats/onnx/pb_message.hpp"

namespace tscatter {

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
