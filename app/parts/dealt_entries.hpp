// How several processes share the work of one list of index entries: each reads some of them, and
// sends them to those who own the parts of the output where they go. What a part receives comes in
// the order of the list (docs/decisions/0029). Knows nothing of how bytes get from one to another.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <span>
#include <vector>

#include "tscatter/engine/entry_records.hpp"
#include "tscatter/io/files/spool.hpp"

namespace tscatter::app {

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

}  // namespace tscatter::app
