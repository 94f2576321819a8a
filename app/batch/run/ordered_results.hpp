// Puts the results of concurrent cases back into the order of the file, and hands each to the
// reports and to the state of the batch.
#pragma once

#include <atomic>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "batch/cases/case_result.hpp"
#include "batch/plan/run_state.hpp"
#include "batch/reports/report.hpp"

namespace tscatter::app {

class OrderedResults {
 public:
  OrderedResults(std::vector<std::unique_ptr<BatchReport>>& reports, RunState& state)
      : reports_{reports}, state_{state} {}

  // Adds the result of the ticket with this number, from 0, and its `record` if there is one. From
  // any thread. Throws Error (file) when a report cannot be written.
  void add(std::int64_t number, CaseResult result, const std::optional<CaseRecord>& record);

  // Waits until few enough results are held back by a case that is still running.
  void wait_for_room();

  // Releases all who wait.
  void give_up();

  const BatchSummary& summary() const { return summary_; }  // the counts only
  std::int64_t failures() const { return failures_; }       // from any thread
  std::int64_t done() const { return done_; }               // from any thread

 private:
  struct Held {
    CaseResult result;
    std::optional<CaseRecord> record;
    std::size_t bytes = 0;
  };

  void hand_out(const Held& held);

  std::vector<std::unique_ptr<BatchReport>>& reports_;
  RunState& state_;
  std::mutex mutex_;
  std::condition_variable has_room_;
  std::map<std::int64_t, Held> held_;
  std::int64_t next_ = 0;
  std::size_t bytes_ = 0;  // of what is held
  bool has_given_up_ = false;
  BatchSummary summary_;
  std::atomic<std::int64_t> failures_ = 0;
  std::atomic<std::int64_t> done_ = 0;
};

}  // namespace tscatter::app
