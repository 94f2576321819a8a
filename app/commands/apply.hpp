// tscatter <Operation>: applies one operation. Also used by `run`, for a job from a file.
#pragma once

#include <vector>

#include "cli/command.hpp"
#include "jobs/job.hpp"
#include "jobs/result.hpp"

namespace tscatter::app {

struct ApplyFlags {
  bool is_dry_run = false;
  bool wants_report = false;  // --json
};

// Rows that other commands also have.
Flag format_flag(const Format*& format);
Flag force_flag(Replacing& replacing);
Flag compress_flag(Compression& compression);
std::vector<Flag> run_flags(int& threads, ApplyFlags& flags);  // -j, -n and --json

// Runs the job and prints its report, if wanted. Throws Error and Cancelled.
void apply_job(const Job& job, const ApplyFlags& flags, const Messages& messages);

// `operation` as a command of its own.
Command apply_command(const Operation& operation);

}  // namespace tscatter::app
