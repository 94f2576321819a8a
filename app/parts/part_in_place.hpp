// PartInPlace: a part of a change in place, as the output of a run. What it changes is kept in a
// journal of its own until the whole change is made or taken back.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "parts/part_claim.hpp"
#include "parts/parts_folder.hpp"
#include "tscatter/core/output.hpp"
#include "tscatter/engine/run_options.hpp"
#include "tscatter/io/journal/in_place_file.hpp"

namespace tscatter::app {

class PartInPlace final : public Output {
 public:
  // Rolls back what a killed run of the part left, before anything of the file is read. Throws
  // Error as begin(). REQUIRES: the folder is that of the file.
  static void mend(const PartsFolder& folder, const File& data, PartNumber number,
                   TakeOver take_over);

  // What begin() throws when another process has computed the part meanwhile.
  struct IsDone {};

  // REQUIRES: folder and file outlive it; no element lies across two units of the file.
  PartInPlace(const PartsFolder& folder, PartsJob job, std::int64_t part, const InPlaceFile& file,
              TakeOver take_over);
  ~PartInPlace() override;  // without commit(): as take_back()

  // The elements that the run computes.
  OutputRange elements() const;

  // Claims the part, and rolls back what a killed run of it left. Throws Error (file): part.p2 when
  // the folder is another job's, or the job is over; part.p7, part.p8, undo.*.
  Sink& begin(const TensorHeader& header, const Source& data) override;
  // The marker is there only when the part's bytes are on the disk.
  void commit() override;
  Remains take_back() noexcept override;

 private:
  void join_job();
  void require_joined() const;

  const PartsFolder& folder_;
  PartsJob job_;
  std::int64_t part_;
  const InPlaceFile& data_;
  TakeOver take_over_;
  std::optional<PartClaim> claim_;
  std::unique_ptr<InPlaceSink> sink_;
};

}  // namespace tscatter::app
