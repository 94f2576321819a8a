// Writes a tensor as ONNX's TensorProto, byte for byte as onnx.numpy_helper.from_array does.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "tscatter/core/output.hpp"
#include "tscatter/core/progress.hpp"
#include "tscatter/io/files/output_file.hpp"
#include "tscatter/io/formats/npy/row_major_elements.hpp"

namespace tscatter {

class PbOutput final : public Output {
 public:
  struct Place {
    std::string name;                                // of the file, for messages
    std::string tensor_name = {};                    // "": none is written
    std::filesystem::path spool_directory = "/tmp";  // for a result of another memory order
    StopFlag stop = nullptr;                         // commit() throws Cancelled
  };
  using OpenFile = std::function<std::unique_ptr<OutputFile>()>;

  // `open` is called once every rule of the operation has been checked.
  PbOutput(OpenFile open, Place place)
      : open_{std::move(open)},
        place_{std::move(place)},
        elements_{
            {.name = place_.name, .spool_directory = place_.spool_directory, .stop = place_.stop}} {
  }

  // Throws Error (usage, pb.f10; file, pb.f9 and file.*).
  Sink& begin(const TensorHeader& header, const Source& data) override;
  void commit() override;
  std::string temporary_name() const override { return file_->temporary_name(); }

 private:
  OpenFile open_;
  Place place_;
  RowMajorElements elements_;
  std::unique_ptr<OutputFile> file_;
  std::optional<OutputFileSink> sink_;
};

}  // namespace tscatter
