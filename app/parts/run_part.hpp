// One part of a job: tscatter <Operation> … --part K/P.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "jobs/job.hpp"
#include "parts/file_parts.hpp"
#include "parts/parts_folder.hpp"
#include "tscatter/core/tensor.hpp"
#include "tscatter/engine/run_options.hpp"

namespace tscatter::app {

// What parts cannot do: throws Error (usage, part.p6). `where`: the flag or key.
[[noreturn]] void refuse_parts(const std::string& where, const std::string& got);

struct PartWanted {
  PartNumber number;
  std::int64_t unit = default_unit;
};

// A job that is computed by parts, with its operands opened.
struct PartsCall {
  Arguments arguments;
  TensorHeader output;
  std::string file;              // the output's
  std::vector<std::byte> front;  // its bytes before the first element
  PartsJob wanted;               // what all parts agree on
};

// Checks everything but the index entries. `flag`: the flag that asks for parts. Throws Error
// (usage, part.p6; and as a run does).
PartsCall open_parts(const Job& job, const std::string& flag, std::int64_t parts,
                     std::int64_t unit);

// A part as the output of a run, and the elements that the run computes.
struct OpenedPart {
  std::unique_ptr<Output> output;
  OutputRange elements;
};
OpenedPart open_part(const PartsCall& call, const PartsFolder& folder, std::int64_t part);

// Throws Error (file, part.p2) when the job whose parts are there is over.
void require_unfinished(const PartsFolder& folder);

// What computes one part: apply(), or what stands in its place.
using ComputePart = std::function<tscatter::Report(Output&, const RunOptions&)>;

// Computes a part that is not done. Throws Error (file, part.p2 and part.p7; and as a run does)
// and Cancelled. REQUIRES: an InterruptScope.
void compute_part(const Job& job, const PartsCall& call, const PartsFolder& folder,
                  std::int64_t part, const ComputePart& compute);

// Computes the part, unless it is done. Checks every rule, and all index entries, before anything
// is created. Throws Error (usage, part.p6; file, part.p2 and part.p7; and as a run does) and
// Cancelled.
void run_part(const Job& job, const PartWanted& wanted);

// ---- PartOutput: a part of a .npy file as the output of a run. The run computes the elements of
// the part; where two parts share an element, each writes its own bytes of it.

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
