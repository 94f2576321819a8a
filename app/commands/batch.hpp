// tscatter batch CASES.jsonl: many jobs, with golden comparison.
#pragma once

#include <functional>

#include "batch/run/batch_run.hpp"
#include "batch/run/case_runner.hpp"
#include "cli/command.hpp"
#include "commands/batch_flags.hpp"

namespace tscatter::app {

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
