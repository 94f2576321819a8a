// Hands out the cases of a batch, in order, to several workers.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>

#include "batch/cases/case_reader.hpp"
#include "batch/cases/line_reader.hpp"
#include "batch/plan/file_plan.hpp"
#include "batch/plan/golden_files.hpp"
#include "batch/plan/selection.hpp"
#include "batch/run/run_state.hpp"
#include "batch/shards/shard_reports.hpp"
#include "jobs/hash.hpp"

namespace tscatter::app {

struct CaseTicket {
  std::int64_t number = 0;  // in the order of handing out, from 0
  BatchCase each;
  std::string text = {};  // of its line
  bool is_resumed = false;
  std::int64_t left = 0;  // cases after this one, counted no further than next()'s `enough`
};

class CaseQueue {
 public:
  // Opens the first file. When *stop becomes true, there are no more cases. Throws Error (file).
  CaseQueue(CaseFiles& files, const std::atomic<bool>* stop, Selection selection, FilePlan& plan,
            const RunState& state);

  // Reads the whole batch to find out what its cases read and write; called once, before next().
  // False if interrupted. Throws Error (file), Error (usage, cli.c14) as the plan does, and Error
  // (usage) if defaults are wrong.
  bool plan_files();

  // The next selected case; nullopt after the last one. `left` is not counted beyond `enough`. From
  // any thread. Throws Error (file).
  std::optional<CaseTicket> next(std::int64_t enough);

  // Reads a few cases before they are wanted, unless another worker reads: reading is a third of
  // what a small case costs, and who calls next() need not wait for it then. From any thread.
  // Throws as next() does.
  void read_ahead(std::int64_t enough);

  // Known once the files are planned.
  const BatchDigest& digest() const { return digest_; }

  // Known once next() has reached the end.
  std::int64_t cases() const { return cases_; }
  std::int64_t selected() const { return numbers_; }
  bool is_all_read() const { return lines_.has_ended(); }  // false if interrupted
  const Selection& selection() const { return selection_; }
  const CaseFiles& files() const { return files_; }

  const GoldenFiles& golden_files() const { return golden_files_; }

  // How much of the batch was read, in percent; nullopt if its size is unknown.
  std::optional<int> percent() const;

 private:
  bool has_room();  // for a case more in ready_
  std::optional<CaseTicket> take_ready();
  std::optional<CaseTicket> read_next(std::int64_t enough);  // REQUIRES: reading_ is held
  void require_unique(BatchCase& each);
  void require_separate(BatchCase& each) const;

  std::mutex reading_;  // held by who reads cases
  std::mutex mutex_;    // of ready_
  std::deque<CaseTicket> ready_;
  const CaseFiles& files_;
  LineReader lines_;
  CaseReader reader_;
  Selection selection_;
  FilePlan& plan_;
  const RunState& state_;
  HashSet names_;
  GoldenFiles golden_files_;
  BatchDigest digest_;
  std::int64_t cases_ = 0;
  std::int64_t numbers_ = 0;
};

}  // namespace tscatter::app
