// How several processes share a job: its parts, and the index entries of one list.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "parts/run_part.hpp"
#include "tscatter/engine/entry_records.hpp"
#include "tscatter/io/files/spool.hpp"

namespace tscatter::app {

// ---- How several processes share the work of one list of index entries: each reads some of them,
// and sends them to those who own the parts of the output where they go. What a part receives comes
// in the order of the list (docs/decisions/0029). Knows nothing of how bytes get from one to
// another.

// Which rank reads which entries: in round t, rank r reads segment t * ranks + r. What arrives in
// a round, in the order of the ranks, then stands in the order of the list, and so do the rounds.
struct Deal {
  std::int64_t entries = 0;
  std::int64_t segment = 1;
  int ranks = 1;

  // Segments of `most` entries at most; so short that a rank receives no more than 64 MiB in a
  // round if all send everything to it, and that each rank has some.
  static Deal of(const EntryRecords& records, int ranks, std::int64_t most);

  std::int64_t rounds() const {
    const std::int64_t of_round = segment * ranks;
    return (entries + of_round - 1) / of_round;
  }
  std::int64_t number(std::int64_t round, int rank) const { return round * ranks + rank; }
  Range of(std::int64_t round, int rank) const {
    const std::int64_t begin = std::min(number(round, rank) * segment, entries);
    return {.begin = begin, .end = std::min(begin + segment, entries)};
  }
};

// The error of the first entry that is refused among the entries that a rank reads.
struct RefusedEntry {
  std::exception_ptr error;  // nullptr: none is refused
  std::int64_t segment = 0;  // where it is: the lowest of all ranks is reported
};
RefusedEntry check_dealt(const EntryRecords& records, const Deal& deal, int rank, int threads);

// A part that is computed in this wave: its elements, and whose it is.
struct RoutedPart {
  std::int64_t part = 1;
  Range elements;
  int rank = 0;
};

// What goes to a part, in the order of the list.
struct ReceivedEntries {
  std::shared_ptr<Spool> destinations;
  std::shared_ptr<Spool> payloads;
};

// What one rank sends in a round. An entry that goes to several parts of a rank is sent to it once.
class Parcels {
 public:
  // REQUIRES: the parts ascend; what is referred to outlives the parcels.
  Parcels(const EntryRecords& records, std::span<const RoutedPart> parts, int ranks);

  // Throws Error, as EntryRecords::read().
  void fill(Range entries);
  // For each rank.
  std::span<const std::vector<std::byte>> all() const { return parcels_; }

 private:
  void append(std::size_t entry, std::vector<std::byte>& parcel) const;

  const EntryRecords& records_;
  std::span<const RoutedPart> parts_;
  std::vector<std::vector<std::byte>> parcels_;
  std::vector<std::int64_t> last_;  // the entry that a rank's parcel ends with
  EntryBatch batch_;
};

// What goes to the parts of one rank.
class Arrivals {
 public:
  // REQUIRES: as Parcels.
  Arrivals(const EntryRecords& records, std::span<const RoutedPart> parts, int rank);

  // The parcels of a round, in the order of the ranks. Throws Error (file) when there is no space.
  void take(std::span<const std::byte> arrived);
  // The entries of each of the rank's parts, in the parts' order.
  std::vector<ReceivedEntries> all() && { return std::move(received_); }

 private:
  const EntryRecords& records_;
  std::vector<RoutedPart> own_;
  std::vector<ReceivedEntries> received_;
  std::vector<std::vector<std::byte>> destinations_;  // of each part, in this round
  std::vector<std::vector<std::byte>> payloads_;
};

// ---- The index entries of a job on their way from the ranks that read them to those that own the
// parts of the output where they go, round by round.

// Called by all ranks at once: sends parcels[r] to rank r, and fills `arrived` with what came from
// all, in their order. False on all ranks if one of them says that it ends.
using Exchange = std::function<bool(std::span<const std::vector<std::byte>> parcels, bool ends,
                                    std::vector<std::byte>& arrived)>;

struct RoutedEntries {
  std::vector<ReceivedEntries> of_own_parts;  // in their order
  std::exception_ptr error;  // of this rank; where another failed, its parts lack entries
};

// Called by all ranks, each in an InterruptScope: reads its share of all entries, and gets what
// goes to its own parts. REQUIRES: the parts ascend, and all ranks have the same.
RoutedEntries route_entries(const EntryRecords& records, const Deal& deal, int rank,
                            std::span<const RoutedPart> parts, const Exchange& exchange);

// ---- DealtJob: a job whose parts several processes share, its ranks. Knows nothing of how they
// talk.

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
