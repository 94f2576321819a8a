// tscatter <Operation>: applies one operation. Also used by `run`, for a job from a file.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "jobs/job.hpp"
#include "jobs/result.hpp"
#include "jobs/written_file.hpp"
#include "parts/dealt_job.hpp"
#include "parts/file_parts.hpp"
#include "parts/parts_folder.hpp"
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

// ---- tscatter parts, finish and digest: what becomes of a job that is computed by parts.

struct Finishing {
  bool checks = false;     // reads all parts, and compares their checksums
  std::int64_t wait = 60;  // seconds, for parts that come late
  Replacing replacing = Replacing::same_kind;
};

// Gives the result of all parts its name, and removes the folder. Returns the digest. Throws Error
// (file, part.p3 and file.f6; format, part.p4; usage, cli.c17 and cli.c81) and Cancelled.
std::string finish(const PartsFolder& folder, const Finishing& finishing);

Flag unit_flag(std::int64_t& unit);
// --parts and --segment, which tscatter-mpi has
std::vector<Flag> dealing_flags(Dealing& dealing);

Command parts_command();
Command finish_command();
Command digest_command();

}  // namespace tscatter::app
