// A run's options, its counts, and an observer for its progress.
#pragma once

#include <cstdint>
#include <optional>

#include "tscatter/core/progress.hpp"

namespace tscatter {

enum class Counting : bool { left_out, done };

enum class RunPhase : std::uint8_t {
  check,    // the rules
  lower,    // from index tensors to a plan
  open,     // the output
  group,    // the writes, by tile
  count,    // duplicates
  keep,     // old bytes, for the undo journal
  process,  // the tiles
  commit,
};

// How writes are stored until their tile is processed.
enum class WriteForm : std::uint8_t {
  elements,  // with their values, by tile
  blocks,    // by tile
  straight,  // nothing is stored: each worker applies all that go to its part, in their order
  streamed,  // nothing is stored: indices are read again for each tile
  lattice,   // nothing is stored: its points are computed
  slabs,     // nothing is stored: indices are read again, box by box; boxes are parts of the file
  strips,    // the same, where boxes are columns
  masked,    // nothing is stored: the mask is read beside data
};

// How entries are applied where several ways are possible. For tests and measurements: the results
// are the same.
enum class EntryOrder : std::uint8_t {
  automatic,
  straight,   // in their order, by one worker
  by_range,   // the same by several, each for its part of the output
  in_copies,  // by several, each its share of the entries, in a copy of the output that is then
              // combined with it: where no order of integers differs from another; else straight
  grouped,    // by tile
};

// What applying the entries of a list was expected to take, in nanoseconds, and because of what.
struct EntryCosts {
  double straight = 0;  // by the best number of workers
  double grouped = 0;
  std::int64_t target_bytes = 0;
  std::int64_t second_cache = 0;  // bytes
  std::int64_t third_cache = 0;
};

// What the engine decided when it grouped the writes.
struct RunDecisions {
  WriteForm form = WriteForm::blocks;
  std::int64_t windows = 1;
  std::int64_t window_entries = 0;  // the most in one window, if there are several
  std::int64_t runs = 0;            // runs of elements that lie together in the output
  std::int64_t run_elements = 0;    // elements of each run
  std::int64_t tiles = 0;
  std::int64_t tile_bytes = 0;  // of a whole tile
  int threads = 1;
  int copies = 1;  // of the output, in which workers apply their shares of the entries
  std::optional<EntryCosts> costs = std::nullopt;  // of the ways to apply entries, if compared
  bool is_memory = false;                          // the output
  bool holds_data =
      false;  // the output: a file in place or a clone. Only what is touched is written
};

struct WorkerFigures {
  std::int64_t tiles = 0;
  std::int64_t bytes_read = 0;
  std::int64_t bytes_written = 0;
};

// Follows a run, for a log, without influencing it.
class RunObserver {
 public:
  virtual ~RunObserver() = default;

  // A phase begins when the previous one ends.
  virtual void begins(RunPhase phase) = 0;
  virtual void decided(const RunDecisions& decisions) = 0;
  virtual void kept(std::int64_t bytes) = 0;  // of the output, by the undo log
  // A worker has no more tiles. Called once per worker, from its own thread.
  virtual void ended(const WorkerFigures& worker) = 0;
};

// A half-open range of output elements, in the order of the file.
struct OutputRange {
  std::int64_t begin = 0;
  std::int64_t end = 0;
};

struct RunOptions {
  int threads = 0;                                     // 0: one per core
  std::int64_t tile_bytes = std::int64_t{512} * 1024;  // at most; at least one element is taken
  StopFlag stop = nullptr;             // the run throws Cancelled when it becomes true
  Counting counting = Counting::done;  // of duplicates and elements_written; 0 if left out
  RunObserver* observer = nullptr;
  // Is told when a phase begins, and how far it is, if it reads or writes.
  Progress* progress = nullptr;
  // The most memory that index entries may take, in bytes; 0: bytes_per_entry for each of them. If
  // they need more, the output is computed window by window, and indices are read again for each
  // window. One entry is always held.
  std::int64_t entry_memory = 0;
  // Only these elements of the output are computed and written; nullopt: all.
  std::optional<OutputRange> range = std::nullopt;

  EntryOrder entry_order = EntryOrder::automatic;

  static constexpr std::int64_t bytes_per_entry = 32;

  // How many index entries may be listed whole; nullopt: any number.
  std::optional<std::int64_t> most_listed() const {
    if (range) return 0;
    return entry_memory == 0 ? std::nullopt : std::optional(entry_memory / bytes_per_entry);
  }

  void begin(RunPhase phase) const {
    if (progress != nullptr) progress->begin(0);
    if (observer != nullptr) observer->begins(phase);
  }
};

struct RunCounts {
  std::int64_t duplicates = 0;        // index entries whose destination an earlier entry has too
  std::int64_t elements_written = 0;  // output elements that at least one update reaches
  std::int64_t bytes_read = 0;        // of data and updates
  std::int64_t bytes_written = 0;     // of the output
  int threads = 1;
  // Index entries that are out of range and write nothing; nullopt where none can be dropped.
  std::optional<std::int64_t> dropped = std::nullopt;

  friend bool operator==(const RunCounts&, const RunCounts&) = default;
};

enum class Placement : bool {
  copy,      // to a new output
  in_place,  // into data's own file or memory
};

}  // namespace tscatter
