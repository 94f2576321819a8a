// PartOutput: a part of a .npy file as the output of a run. The run computes the elements of the
// part; where two parts share an element, each writes its own bytes of it.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "parts/parts_folder.hpp"
#include "tscatter/core/output.hpp"
#include "tscatter/engine/run_options.hpp"

namespace tscatter::app {

class PartOutput final : public Output {
 public:
  // `header`: the bytes before the first element.
  PartOutput(const PartsFolder& folder, PartsJob job, std::int64_t part,
             std::vector<std::byte> header);
  ~PartOutput() override;

  // The elements that the run computes, of so many bytes each.
  OutputRange elements(std::int64_t element_size) const;

  // Throws Error (file): part.p2 when the folder is another job's, part.p7.
  Sink& begin(const TensorHeader& header, const Source& data) override;
  // The marker is there only when the part's bytes are on the disk.
  void commit() override;

 private:
  class PartSink;

  const PartsFolder& folder_;
  PartsJob job_;
  std::int64_t part_;
  ByteRange bytes_;
  std::vector<std::byte> header_;
  std::optional<File> file_;
  std::unique_ptr<PartSink> sink_;
};

}  // namespace tscatter::app
