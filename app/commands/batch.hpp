// tscatter batch CASES.jsonl: its flags, and its run.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "batch/cases/case_files.hpp"
#include "batch/plan/run_state.hpp"
#include "batch/plan/selection.hpp"
#include "batch/run/batch_run.hpp"
#include "batch/run/case_runner.hpp"
#include "cli/command.hpp"

namespace tscatter::app {

// ---- The flags of batch.

enum class Unreferenced : std::uint8_t { ignore, warn, fail };  // goldens that no case refers to

struct BatchFlags {
  std::vector<std::string> cases;                 // files and folders; - is stdin
  std::shared_ptr<const PairedCases> pairs = {};  // of compare: the cases are those, of two folders
  int threads = 0;                                // 0: one per core
  bool fails_fast = false;
  Selection selection = {};  // but the environment's shard
  bool lists = false;
  std::optional<std::string> state;  // where earlier runs are remembered
  bool updates_golden = false;
  bool is_forced = false;  // updates, although CI is set; replaces files of another kind
  bool is_dry = false;
  std::string failed_dir;
  std::int64_t details = 0;  // how many failures are shown with details
  std::optional<std::string> junit;
  std::optional<std::string> html;
  bool wants_json = false;
  bool by_word = false;  // what failures have in common is printed
  Unreferenced unreferenced = Unreferenced::warn;
  std::vector<std::string> of_a_run;  // flags given that mean nothing where nothing is run

  bool looks_at_earlier_runs() const { return selection.only_last_failed || selection.resumes; }
};

// They write into `flags`.
std::vector<Flag> batch_flags(BatchFlags& flags);
// Of these, those that a comparison of folders has, too.
Flag details_flag(BatchFlags& flags);
Flag junit_flag(BatchFlags& flags);
Flag html_flag(BatchFlags& flags);

// Throws Error (usage; cli.c14, cli.c18, cli.c42, cli.c44 and cli.c45).
void require_sense(const BatchFlags& flags);

// With the shard of the environment, where the flags name none.
Selection selection_of(const BatchFlags& flags);
RunState::Use use_of_state(const BatchFlags& flags, const Selection& selection);
StatePlace state_place(const BatchFlags& flags, const Selection& selection);

// ---- tscatter batch CASES.jsonl: many jobs, with golden comparison.

// Who runs the cases.
struct CaseWorkers {
  int count = 0;          // cases at once; 0: as the flags say
  RunCase run_case = {};  // empty: this process
};

// What of a failed case the reports want.
FailureWanted failure_wanted(const BatchFlags& flags);
CaseRunnerOptions runner_options(const BatchFlags& flags, const FailureWanted& wanted);

// Returns the exit code. Throws Error and Cancelled.
int run_batch(const BatchFlags& flags, const Messages& messages, const CaseWorkers& workers = {});

using RunBatch = std::function<int(const BatchFlags&, const Messages&)>;

Command batch_command(const RunBatch& run);
Command batch_command();

// tscatter batch merge CASES… SHARD.jsonl… makes one report of many shards.
//
// Whether the words after `batch` ask for a merge: the first is "merge".
bool is_merge(const BatchFlags& flags);

// Writes the reports, whatever is missing. Returns the exit code. Throws Error.
int merge_batch(const BatchFlags& flags, const Messages& messages);

}  // namespace tscatter::app
