// Runs the cases of a queue with several workers.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "batch/cases/case_result.hpp"
#include "batch/plan/run_state.hpp"
#include "batch/reports/reports.hpp"
#include "batch/run/case_queue.hpp"
#include "batch/run/case_runner.hpp"

namespace tscatter::app {

// Puts the results of concurrent cases back into the order of the file, and hands each to the
// reports and to the state of the batch.
class OrderedResults {
 public:
  OrderedResults(std::vector<std::unique_ptr<BatchReport>>& reports, RunState& state)
      : reports_{reports}, state_{state} {}

  // Adds the result of the ticket with this number, from 0, and its `record` if there is one. From
  // any thread. Throws Error (file) when a report cannot be written.
  void add(std::int64_t number, CaseResult&& result, const std::optional<CaseRecord>& record);

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
    std::size_t bytes;
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

// The log of a batch: -vv tells when each case begins and ends, -v at the end how the workers spent
// their time.
class BatchLog {
 public:
  // What a worker spends its time on.
  enum class Part : std::uint8_t {
    reading,  // and selecting, and waiting for another worker that reads
    waiting,  // for an archive that another case writes, or for room for results
    running,  // cases
  };

  explicit BatchLog(int workers) : workers_{workers} {}

  // Safe to call from several threads.
  void ended(const CaseResult& result);

  // Adds its lifetime to a part.
  class Span {
   public:
    Span(BatchLog& log, Part part) : log_{log}, part_{part} {}
    Span(const Span&) = delete;
    Span& operator=(const Span&) = delete;
    ~Span();

   private:
    BatchLog& log_;
    Part part_;
    std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  };

  void end() const;

 private:
  struct Slow {
    double seconds;
    std::string name;
  };

  int workers_;
  std::mutex mutex_;
  std::array<double, 3> seconds_{};  // by part
  std::int64_t cases_ = 0;
  std::vector<Slow> slowest_;  // the slowest first
};

// Runs a case, by `here` or elsewhere. `threads`: for a job that does not set its own. Safe to call
// from several threads. What it throws ends the batch.
using RunCase = std::function<CaseResult(CaseRunner& here, const CaseTicket& ticket, int threads)>;

class BatchRun {
 public:
  struct Options {
    int workers = 1;
    RunCase run_case = {};    // empty: all are run here
    bool fails_fast = false;  // no case begins after the first failure
    bool remembers = false;   // the results are kept for later runs
    bool is_dry = false;      // no case changes anything
  };

  BatchRun(CaseQueue& queue, CaseRunner& runner, OrderedResults& results, RunState& state,
           const Options& options)
      : queue_{queue},
        runner_{runner},
        results_{results},
        state_{state},
        options_{options},
        log_{options.workers} {}

  // Returns when every case has ended. Throws Error (file) when the rest of the batch cannot be
  // read, or a report cannot be written.
  void run();

 private:
  struct Begun {
    CaseTicket ticket;
    GoldenTurn turn;
  };

  void work();
  std::optional<Begun> begin_next();
  void run_ticket(const CaseTicket& ticket, const GoldenTurn& turn);
  void refuse(const CaseTicket& ticket, const Error& error);
  void add(const CaseTicket& ticket, CaseResult result, std::optional<CaseRecord> record);
  CaseResult run_case(const CaseTicket& ticket);
  int threads_for(const CaseTicket& ticket, int running) const;

  CaseQueue& queue_;
  CaseRunner& runner_;
  OrderedResults& results_;
  RunState& state_;
  Options options_;
  BatchLog log_;
  std::mutex order_;  // held while a case is taken and announced, if cases take turns
  std::atomic<bool> is_over_ = false;  // an error ended it
  std::atomic<bool> has_failed_ = false;
  std::atomic<int> running_ = 0;
};

}  // namespace tscatter::app
