// Hands out the cases of a batch, one after another, to whoever asks.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>

#include "batch/case_reader.hpp"
#include "batch/file_plan.hpp"
#include "batch/golden_files.hpp"
#include "batch/hash.hpp"
#include "batch/line_reader.hpp"
#include "batch/run_state.hpp"
#include "batch/selection.hpp"

namespace tscatter::app {

struct CaseTicket {
  std::int64_t number = 0;  // of the cases that are handed out, from 0
  BatchCase each;
  bool is_resumed = false;
  std::int64_t left = 0;  // cases behind this one, as far as they count
};

class CaseQueue {
 public:
  // When *stop becomes true, there are no more cases.
  CaseQueue(File lines, const std::atomic<bool>* stop, BatchFile file, Selection selection,
            FilePlan& plan, const RunState& state);

  // Reads all of the batch to find out what its cases read and write; called once, before next().
  // False where it was interrupted. Throws Error (file), and Error (usage, cli.c14) as the plan.
  bool plan_files();

  // The next case that is selected; nullopt behind the last one. `enough` is the number of cases
  // from which on `left` is not counted further. From any thread. Throws Error (file).
  std::optional<CaseTicket> next(std::int64_t enough);

  // These are known when next() has come to the end.
  std::int64_t cases() const { return cases_; }
  std::int64_t selected() const { return numbers_; }
  bool is_all_read() const { return lines_.has_ended(); }  // not where it was interrupted
  const Selection& selection() const { return selection_; }
  const GoldenFiles& golden_files() const { return golden_files_; }

  // The share of the batch that was read, in percent; nullopt where its size is not known.
  std::optional<int> percent() const;

 private:
  void require_unique(BatchCase& each);
  void require_separate(BatchCase& each) const;

  std::mutex mutex_;
  LineReader lines_;
  BatchFile file_;
  Selection selection_;
  FilePlan& plan_;
  const RunState& state_;
  HashSet names_;
  GoldenFiles golden_files_;
  std::int64_t cases_ = 0;
  std::int64_t numbers_ = 0;
};

}  // namespace tscatter::app
