// tscatter <Operation>: applies one operation. Also used by `run`, for a job from a file.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "jobs/job.hpp"
#include "jobs/result.hpp"
#include "parts/file_parts.hpp"
#include "text/document.hpp"

namespace tscatter::app {

struct ApplyFlags {
  bool is_dry_run = false;
  ReportForm form = ReportForm::words;            // --json: a report
  std::optional<PartNumber> part = std::nullopt;  // the part to compute; nullopt: all
  std::int64_t unit = default_unit;               // of parts and of the digest, in bytes
  bool wants_digest = false;

  bool wants_report() const { return form == ReportForm::json; }
};

// The name of what is written: the data file's if it is changed in place; nullopt: it is printed.
std::optional<std::string> output_name(const Job& job);

// Rows that other commands also have.
Flag output_flag(Job& job);
Flag format_flag(const Format*& format);
Flag force_flag(Replacing& replacing);
Flag compress_flag(Compression& compression);
Flag dry_run_flag(bool& is_dry_run);
Flag run_report_flag(ReportForm& form);
// -j, --memory, --part, --unit, --digest, -n and --json
std::vector<Flag> run_flags(int& threads, std::optional<std::int64_t>& memory, ApplyFlags& flags);

// Runs the job and prints its report, if wanted. Throws Error and Cancelled.
void apply_job(const Job& job, const ApplyFlags& flags, const Messages& messages);

// Runs a job: apply_job(), or what tscatter-mpi has instead.
using RunJob = std::function<void(const Job&, const ApplyFlags&, const Messages&)>;

// `operation` as a command of its own.
Command apply_command(const Operation& operation, const RunJob& run = apply_job);

// `tscatter add 'a.npy[ids.npy]' rows.npy`: the operation behind the word.
Command verb_command(const IndexVerb& verb, const RunJob& run = apply_job);

// tscatter run JOB.json: the same as an operation's command, described in JSON.

Command run_command(const RunJob& run = apply_job);

}  // namespace tscatter::app
