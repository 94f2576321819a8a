// Writes a tensor as ONNX's TensorProto, byte for byte as onnx.numpy_helper.from_array does.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "tscatter/core/output.hpp"
#include "tscatter/io/files/output_file.hpp"
#include "tscatter/io/files/spool.hpp"

namespace tscatter {

class PbOutput final : public Output {
 public:
  struct Place {
    std::string name;                                // of the file, for messages
    std::string tensor_name = {};                    // "": none is written
    std::filesystem::path spool_directory = "/tmp";  // for a result of another memory order
    const std::atomic<bool>* stop = nullptr;         // commit() throws Cancelled
  };
  using OpenFile = std::function<std::unique_ptr<OutputFile>()>;

  // `open` is called once every rule of the operation has been checked.
  PbOutput(OpenFile open, Place place) : open_{std::move(open)}, place_{std::move(place)} {}

  // Throws Error (usage, pb.f10; file, pb.f9 and file.*).
  Sink& begin(const TensorHeader& header, const Source& data) override;
  void commit() override;
  std::string temporary_name() const override { return file_->temporary_name(); }

 private:
  void write_spooled();

  OpenFile open_;
  Place place_;
  TensorHeader header_;
  std::unique_ptr<OutputFile> file_;
  std::optional<OutputFileSink> sink_;
  std::int64_t front_size_ = 0;
  std::shared_ptr<Spool> spool_;  // takes the elements if the file has them in another order
  std::optional<SpoolSink> spool_sink_;
};

}  // namespace tscatter
