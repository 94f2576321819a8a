// The reports of a batch. Each is told of every case, in the order of the file, and of the end.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "batch/run/case_result.hpp"

namespace tscatter::app {

struct BatchSummary {
  std::array<std::int64_t, case_state_names.size()> counts{};  // by CaseState
  std::int64_t cases = 0;                                      // of the file, as far as it was read
  std::int64_t selected = 0;                                   // of these
  double seconds = 0;
  bool is_interrupted = false;
  bool is_all_read = true;                // if not, there may be more cases
  std::vector<std::string> unreferenced;  // goldens that no case refers to
  bool fails_unreferenced = false;        // they make the batch fail
  bool ignores_unreferenced = false;      // they were not looked for
  bool is_all_done = false;               // --last-failed found nothing to run

  std::int64_t count(CaseState state) const { return counts[static_cast<std::size_t>(state)]; }
  bool has_failed() const {
    return failures() > 0 || (fails_unreferenced && !unreferenced.empty());
  }
  std::int64_t failures() const { return count(CaseState::failed) + count(CaseState::xpassed); }
};

class BatchReport {
 public:
  virtual ~BatchReport() = default;

  virtual void case_ended(const CaseResult& result) = 0;
  virtual void batch_ended(const BatchSummary& summary) = 0;  // Throws Error (file).
};

// "4 of 9 cases: 3 passed, 1 failed"
std::string summary_line(const BatchSummary& summary);

// "13 failed, 1 xpassed"
std::string failures_line(const BatchSummary& summary);

// "2 goldens that no case refers to: a.npy, b.npy"
std::string unreferenced_message(const BatchSummary& summary);

// Says on stderr which goldens no case of the batch refers to, if there are any.
void say_unreferenced(const BatchSummary& summary, const std::string& batch);

// The command line that runs this case of its file alone, or the whole batch if the case fails only
// together with another. Where elements differ or are not legal it shows the whole verdict.
std::string repeat_command(const CaseFiles& files, const CaseResult& result);

// "3 of 24 elements differ … [batch.b7]": a result's message, and its label if it has one.
std::string labelled_message(const CaseResult& result);

}  // namespace tscatter::app
