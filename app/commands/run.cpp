#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "batch/cases/case_reader.hpp"
#include "cli/targets.hpp"
#include "commands/apply.hpp"
#include "commands/operation_flags.hpp"
#include "jobs/job.hpp"
#include "jobs/job_json.hpp"
#include "jobs/result.hpp"
#include "process/errors.hpp"
#include "tscatter/core/error.hpp"
#include "tscatter/core/fail.hpp"
#include "tscatter/io/files/file.hpp"
#include "tscatter/io/journal/rollback.hpp"

namespace tscatter::app {
namespace {

File open_job(const std::string& path) {
  if (path == "-") return stdin_file();
  std::error_code ignored;
  // file.f1
  if (resembles_json(path) && !std::filesystem::exists(path, ignored)) {
    fail(ErrorKind::file, "file.f1", "JOB",
         "must be a file (or -, with the job's text on stdin), got the text itself");
  }
  return open_settled(path, path);
}

struct RunFlags {
  std::optional<std::string> path;     // of the job; - is stdin
  int threads = 0;                     // 0: the job's
  std::optional<std::int64_t> memory;  // nullopt: the job's
  bool wants_schema = false;
  const Format* format = nullptr;  // nullptr: the job's
  ApplyFlags apply;
};

void run_job_file(const std::string& path, const RunFlags& flags, const RunJob& run,
                  const Messages& messages) {
  const File file = open_job(path);
  auto [job, is_asserted] = parse_job_of_batch(text_of_job(file), file.name());
  if (is_asserted && !messages.is_quiet) {
    print_error(warning_line(
        fmt::format("{}: run applies the operation; what the case expects is for tscatter batch",
                    escape_control(file.name()))));
  }
  job.is_from_stdin = path == "-";
  if (path != "-") job.base = std::filesystem::path(path).parent_path();
  if (flags.threads > 0) job.threads = flags.threads;
  if (flags.memory) job.memory_limit = flags.memory;
  if (flags.format != nullptr) job.format = flags.format;
  run(job, flags.apply, messages);
}

int run_or_describe(const RunFlags& flags, const RunJob& run, const Messages& messages) {
  if (flags.wants_schema) {
    // cli.c120
    if (flags.path) {
      fail(ErrorKind::usage, "cli.c120", "--schema", "takes no job, got {}", *flags.path);
    }
    print(job_schema());
    return 0;
  }
  // cli.c3
  if (!flags.path) fail(ErrorKind::usage, "cli.c3", "run", "JOB is missing: tscatter run JOB");
  run_job_file(*flags.path, flags, run, messages);
  return 0;
}

Invocation bind_run(const RunJob& run) {
  const auto flags = std::make_shared<RunFlags>();
  return {.arguments = {{.name = "JOB",
                         .help = "a JSON file, or - for stdin",
                         .into = text(flags->path),
                         .presence = Presence::optional}},
          .flags = joined(
              {in_group("Output", switch_flag("schema", "print the JSON Schema of a job",
                                              turn_on(flags->wants_schema)))},
              without("schema", joined({format_flag(flags->format), wait_flag()},
                                       run_flags(flags->threads, flags->memory, flags->apply)))),
          .run = [flags, run](const Messages& messages) {
            return run_or_describe(*flags, run, messages);
          }};
}

}  // namespace

Command run_command(const RunJob& run) {
  return {.name = "run",
          .summary = "apply an operation that a JSON file describes",
          .examples = {"tscatter run job.json", "tscatter run --schema > job.schema.json"},
          .bind = [run](const Operation*) { return bind_run(run); }};
}

}  // namespace tscatter::app
