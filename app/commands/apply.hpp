// tscatter <Operation>: applies one operation. Also used by `run`, for a job from a file.
#pragma once

#include <vector>

#include "cli/command.hpp"
#include "jobs/job.hpp"
#include "jobs/result.hpp"

namespace tscatter::app {

struct ApplyFlags {
  const Format* format = nullptr;  // of stdout; nullptr: JSON for a terminal, .npy elsewhere
  bool is_dry_run = false;
  bool wants_report = false;  // --json
};

// Rows that `run` also has.
Flag format_flag(const Format*& format, const std::string& help);
std::vector<Flag> run_flags(int& threads, ApplyFlags& flags);  // -j, -n and --json

// Runs the job and prints its report, if wanted. Throws Error and Cancelled.
void apply_job(const Job& job, const ApplyFlags& flags);

// `operation` as a command of its own.
Command apply_command(const Operation& operation);

}  // namespace tscatter::app
