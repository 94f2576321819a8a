// tscatter run JOB.json: the same as an operation's command, described in JSON.
#pragma once

#include <string>

#include "commands/apply.hpp"

namespace tscatter::app {

struct RunOverrides {
  int threads = 0;  // 0: the job's
};

// `path` is the job's file, or - for stdin. Throws Error and Cancelled.
void run_job_file(const std::string& path, const RunOverrides& overrides, const ApplyFlags& flags);

void print_job_schema();

}  // namespace tscatter::app
