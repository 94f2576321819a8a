// DealtJob: a job whose parts several processes share, its ranks. Knows nothing of how they talk.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "parts/dealt_entries.hpp"
#include "parts/run_part.hpp"

namespace tscatter::app {

// The flags that tscatter-mpi has and tscatter has not.
struct Dealing {
  std::optional<std::int64_t> parts;  // nullopt: as in the job's folder, else 8 for each rank
  std::int64_t segment = std::int64_t{64} * 1024;  // entries that a rank reads at once, at most
};

class DealtJob {
 public:
  // Opens the operands. Throws Error, as open_parts().
  DealtJob(Job job, std::int64_t unit, int ranks);

  int threads() const { return job_.threads; }
  const PartsFolder& folder() const { return folder_; }

  // The parts that are not done; none if finish was stopped after that. Sets how many parts there
  // are: as many as are wanted, or as the job has that was begun, or 8 for each rank. Throws Error
  // (file, part.p2).
  std::vector<std::int64_t> find_missing(std::optional<std::int64_t> wanted);
  std::int64_t parts() const { return call_.wanted.parts; }
  void have_parts(std::int64_t parts) { call_.wanted.parts = parts; }  // as another rank has found

  // The index entries of the job; nullopt: only whole parts can be dealt, and each rank reads all
  // entries for its own. Throws Error (file) and Cancelled.
  std::optional<EntryRecords> records() const;

  // Makes the folder, or finds that it is this job's. Returns the number of the run that made it:
  // ranks that get different numbers do not see the same folder. Throws Error (file, part.p2 and
  // part.p7).
  std::int64_t join() const;

  // So many parts are computed at a time: what goes to them is kept until they are.
  std::size_t parts_of_wave() const;
  // The parts, one after another to the next rank.
  std::vector<RoutedPart> deal(std::span<const std::int64_t> parts) const;

  // compute_part(): the first reads all entries, the second uses the entries that the part
  // received.
  void compute(std::int64_t part) const;
  void compute(std::int64_t part, const ReceivedEntries& received,
               const EntryRecords& records) const;

 private:
  Job job_;
  int ranks_;
  PartsCall call_;
  Arguments prepared_;  // the call's
  PartsFolder folder_;
};

}  // namespace tscatter::app
