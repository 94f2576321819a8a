// Runs one case: its job, and the comparison with what is expected.
#pragma once

#include <atomic>
#include <string>

#include "batch/cases/batch_case.hpp"
#include "batch/cases/case_result.hpp"
#include "batch/run/golden_update.hpp"
#include "jobs/written_file.hpp"
#include "tscatter/core/tensor.hpp"
#include "tscatter/io/journal/rollback.hpp"

namespace tscatter::app {

struct ArchivePair;
struct CaseOutcome;

// What the reports need of a failure.
struct FailureWanted {
  bool details = false;
  bool tables = false;  // of its census or verification, as text
  bool json = false;
  bool heatmap = false;  // and the values of small cases
  bool words = false;    // for --by-word
};

struct CaseRunnerOptions {
  bool updates_golden = false;
  bool is_dry = false;  // nothing is written: what would be is told
  Replacing replacing = Replacing::same_kind;
  std::string failed_dir;  // for the outputs of failed cases; empty: they are not kept
  FailureWanted wanted;
};

class CaseRunner {
 public:
  explicit CaseRunner(CaseRunnerOptions options)
      : options_{std::move(options)},
        update_{options_.is_dry ? GoldenDeed::tell : GoldenDeed::write, options_.replacing} {}

  // Whether cases that share a golden take turns.
  bool takes_turns() const { return options_.updates_golden; }
  // The case's turn at its golden, when goldens are updated. Call in the order of the batch.
  GoldenTurn announce(const BatchCase& each);

  // Safe to call from several threads. Whatever is wrong with the case becomes its result, not an
  // exception. `threads`: for a job that does not set its own.
  CaseResult run(const BatchCase& each, int threads);

 private:
  CaseOutcome outcome(const BatchCase& each, int threads);
  CaseOutcome output(const BatchCase& each, int threads) const;
  CaseOutcome golden(const BatchCase& each, int threads);
  CaseOutcome comparison(const BatchCase& each, int threads);
  CaseOutcome compared(const BatchCase& each, int threads);
  CaseOutcome judged(const BatchCase& each, const ArchivePair& archives, int threads);
  CaseOutcome verified(const BatchCase& each, int threads);
  CaseOutcome judged(const BatchCase& each, const Tensor& actual, const Tensor& expected,
                     int threads);
  CaseOutcome written_anew(const BatchCase& each, const NewGolden& golden, std::string message);
  bool may_update(const BatchCase& each) const;
  bool may_draw();
  Recovery recovery() const;
  std::string keep_output(const BatchCase& each, const Tensor& actual) const;
  CaseOutcome with_nothing_kept(const BatchCase& each, CaseOutcome came) const;

  CaseRunnerOptions options_;
  GoldenUpdate update_;
  std::atomic<int> pictures_ = 0;
};

}  // namespace tscatter::app
