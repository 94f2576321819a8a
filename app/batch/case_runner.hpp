// Runs one case: its job, and the comparison with what is expected of it.
#pragma once

#include <atomic>
#include <string>

#include "batch/batch_case.hpp"
#include "batch/case_result.hpp"
#include "batch/golden_update.hpp"
#include "tscatter/core/tensor.hpp"

namespace tscatter::app {

struct CaseOutcome;

// What the reports want of a census.
struct CensusWanted {
  bool text = false;
  bool json = false;
  bool heatmap = false;
};

struct CaseRunnerOptions {
  bool updates_golden = false;
  std::string failed_dir;  // takes the outputs of failed cases; empty: they are not kept
  CensusWanted census;
};

class CaseRunner {
 public:
  explicit CaseRunner(CaseRunnerOptions options) : options_{std::move(options)} {}

  // A case's turn at its golden, where goldens are written anew. Called in the order of the batch.
  GoldenTurn announce(const BatchCase& each);

  // May be called from several threads. Whatever is wrong with the case is its result, not an
  // exception. `threads` are those that the case may use where its job does not say.
  CaseResult run(const BatchCase& each, int threads);

 private:
  CaseOutcome outcome(const BatchCase& each, int threads);
  CaseOutcome golden(const BatchCase& each, int threads);
  CaseOutcome comparison(const BatchCase& each, int threads);
  CaseOutcome verified(const BatchCase& each, int threads);
  CaseOutcome judged(const BatchCase& each, const Tensor& actual, const Tensor& expected,
                     int threads);
  CaseOutcome written_anew(const BatchCase& each, const Tensor& actual, std::string message);
  bool may_update(const BatchCase& each) const;
  std::string keep_output(const BatchCase& each, const Tensor& actual) const;

  CaseRunnerOptions options_;
  GoldenUpdate update_;
  std::atomic<int> pictures_ = 0;
};

}  // namespace tscatter::app
