// tscatter <Operation>: applies one operation. What `run` does with a job from a file, too.
#pragma once

#include "job.hpp"
#include "result.hpp"

namespace tscatter::app {

struct ApplyFlags {
  const Format* format = nullptr;  // of stdout; nullptr: JSON for a terminal, .npy elsewhere
  bool is_dry_run = false;
  bool wants_report = false;  // --json
};

// Runs the job, and prints what is to be printed. Throws Error and Cancelled.
void apply_job(const Job& job, const ApplyFlags& flags);

}  // namespace tscatter::app
