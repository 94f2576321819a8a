#include <fmt/format.h>

#include <cerrno>
#include <chrono>
#include <memory>
#include <thread>

#include "cli/targets.hpp"
#include "commands/apply.hpp"
#include "jobs/resources.hpp"
#include "jobs/result.hpp"
#include "parts/file_parts.hpp"
#include "parts/parts_folder.hpp"
#include "process/host.hpp"
#include "text/document.hpp"
#include "text/figure.hpp"
#include "tscatter/core/fail.hpp"
#include "tscatter/io/files/file_names.hpp"
#include "tscatter/io/files/locked_file.hpp"
#include "tscatter/io/files/temporary_file.hpp"
#include "tscatter/io/formats/file_kinds.hpp"
#include "tscatter/io/formats/format.hpp"
#include "tscatter/io/journal/rollback.hpp"

namespace tscatter::app {
namespace {

[[noreturn]] void refuse_missing(const std::string& output, const std::string& got) {
  // part.p3
  fail(ErrorKind::file, "part.p3", output, "not every part is done: {}", got);
}

std::string no_parts_in(const PartsFolder& folder) {
  return "no parts in " + folder.path().native();
}

PartsJob job_in(const PartsFolder& folder) {
  const std::optional<PartsJob> job = folder.job();
  if (!job) refuse_missing(folder.output(), no_parts_in(folder));
  return *job;
}

// REQUIRES: none is missing.
std::vector<std::uint64_t> sums_of(const PartMarkers& markers) {
  std::vector<std::uint64_t> sums;
  for (const auto& [part, marker] : markers)
    sums.insert(sums.end(), marker.sums.begin(), marker.sums.end());
  return sums;
}

struct PartsFlags {
  std::string output;
  bool lists_missing = false;
  ReportForm form = ReportForm::words;
  Finishing finishing;
  std::int64_t unit = default_unit;
};

// ---- parts
void show_parts(const PartsFlags& flags) {
  const PartsFolder folder(flags.output);
  const PartsJob job = job_in(folder);
  const PartMarkers markers = folder.markers(job);
  const std::vector<std::int64_t> missing = missing_in(markers, job.parts);
  if (flags.lists_missing) return print(missing.empty() ? "" : as_ranges(missing) + "\n");
  std::int64_t bytes = 0;
  for (const auto& [part, marker] : markers) bytes += marker.bytes.size();
  Document document;
  document.add("output", "output", text_figure(flags.output));
  document.add("parts", "parts", grouped(job.parts));
  document.add("done", "done", grouped(std::ssize(markers)));
  document.add(
      "missing", "missing",
      {.value = as_ranges(missing), .text = missing.empty() ? "none" : as_ranges(missing)});
  document.add("bytes", "bytes", part_of(bytes, job.file_bytes));
  const std::optional<std::string> digest =
      missing.empty() ? std::optional(hex_text(digest_of(sums_of(markers), job.file_bytes)))
                      : std::nullopt;
  document.add("digest", "digest", {.value = digest, .text = digest.value_or("-")});
  print(report_text(document, flags.form));
}

Invocation bind_parts(const Operation*) {
  const auto flags = std::make_shared<PartsFlags>();
  return {.arguments = {{.name = "OUT", .help = "the output", .into = text(flags->output)}},
          .flags = in_group(
              "Output", {switch_flag("missing", "print only which parts are missing, as 7,12-13",
                                     turn_on(flags->lists_missing)),
                         json_flag("the same as one JSON object", flags->form)}),
          .run = runs(flags, show_parts)};
}

// ---- finish

// How long finish still waits for what is not there yet: it may begin before the parts do, and what
// another machine has made may be seen late.
class PartsWait {
 public:
  PartsWait(const PartsFolder& folder, std::int64_t seconds)
      : folder_{folder}, longest_{std::chrono::seconds(seconds)} {}

  bool is_over() const { return std::chrono::steady_clock::now() - begin_ >= longest_; }

  // Pauses. `got`: what is there. Throws Error (file, part.p3) when it is over, and Cancelled.
  void pause(const std::string& got) {
    constexpr std::chrono::milliseconds length{200};
    constexpr std::chrono::seconds silence{1};
    if (!is_told_ && std::chrono::steady_clock::now() - begin_ >= silence) {
      is_told_ = true;
      tell_wait(fmt::format("{}: waiting until every part is done: {}", folder_.output(), got));
    }
    if (is_over()) refuse_missing(folder_.output(), got);
    check_stop(InterruptScope::stop());
    std::this_thread::sleep_for(length);
  }

 private:
  const PartsFolder& folder_;
  std::chrono::steady_clock::duration longest_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  bool is_told_ = false;
};

// Once the folder shows that its parts have begun.
PartsJob wait_for_job(const PartsFolder& folder, PartsWait& wait) {
  for (;;) {
    const std::optional<PartsJob> job = folder.job();
    const bool is_begun = folder.has_data() || folder.finished();
    if (job && (is_begun || wait.is_over())) return *job;
    wait.pause(no_parts_in(folder));
  }
}

// All parts.
PartMarkers wait_for_parts(const PartsFolder& folder, const PartsJob& job, PartsWait& wait) {
  for (;;) {
    PartMarkers markers = folder.markers(job);
    const std::vector<std::int64_t> missing = missing_in(markers, job.parts);
    if (missing.empty()) return markers;
    job_in(folder);  // another finish may have ended it
    wait.pause(fmt::format("{} of {} missing", as_ranges(missing), job.parts));
  }
}

// A part whose data are others than it wrote is not done: it can be computed again.
void check_sums(const PartsFolder& folder, const File& file, const PartsJob& job,
                const PartMarkers& markers) {
  std::vector<std::int64_t> others;
  for (const auto& [part, marker] : markers)
    if (unit_sums(file, marker.bytes, job.unit) != marker.sums) others.push_back(part);
  if (others.empty()) return;
  for (const std::int64_t part : others) folder.remove_marker(part);
  // part.p4
  fail(ErrorKind::format, "part.p4", file.name(),
       "the data of {} of {} changed after they were written: compute these parts again",
       as_ranges(others), job.parts);
}

// A file of the result's kind, or nothing.
void require_free_place(const PartsFolder& folder, Replacing replacing) {
  require_replaceable({.name = "OUT", .word = folder.output(), .kind = kind_of(npy_format)},
                      replacing);
  folder.require_file_or_nothing();
}

// The digest of the result, if another finish has put it in place meanwhile.
std::optional<std::string> digest_of_another(const PartsFolder& folder, const PartsJob& job) {
  struct stat status {};
  const bool is_there = folder.files().stat(folder.target(), status) == 0;
  if (folder.has_data() || !is_there || status.st_size != job.file_bytes) return std::nullopt;
  if (std::optional<std::string> digest = folder.finished()) return digest;
  if (folder.job()) return std::nullopt;
  return hex_text(digest_of(File::open_for_reading(folder.target(), folder.files()), job.unit));
}

// Checks the data, and says that all parts are done.
void prepare(const PartsFolder& folder, const PartsJob& job, const PartMarkers& markers,
             const Finishing& finishing, const std::string& digest) {
  const File data = folder.finished_data();
  require_size(data, job);
  if (finishing.checks) check_sums(folder, data, job, markers);
  keep_properties(folder.target(), data);
  folder.publish_finished(digest);
}

// Gives the result its name. Returns its digest.
std::string put_in_place(const PartsFolder& folder, const PartsJob& job, const Finishing& finishing,
                         PartsWait& wait) {
  const PartMarkers markers = wait_for_parts(folder, job, wait);
  folder.require_own();
  require_free_place(folder, finishing.replacing);
  std::string digest = hex_text(digest_of(sums_of(markers), job.file_bytes));
  const OutputLock lock(folder.target(), folder.output(), Replaced::file, waiting_for_lock(),
                        folder.files());
  require_settled(folder.target(), folder.output(), LockHolder::caller);
  prepare(folder, job, markers, finishing, digest);
  hold_signals();
  // file.f6
  if (folder.files().rename(folder.data(), folder.target()) != 0) {
    fail(ErrorKind::file, "file.f6", folder.output(), "cannot get its name: {}", errno_text(errno));
  }
  now_stands(folder.output() + " was written");
  sync_directory_of(folder.target(), folder.files());
  return digest;
}

std::string end_output(const PartsFolder& folder, const PartsJob& job, const Finishing& finishing,
                       PartsWait& wait) {
  try {
    return put_in_place(folder, job, finishing, wait);
  } catch (const Error&) {
    const std::optional<std::string> digest = digest_of_another(folder, job);
    if (!digest) throw;
    return *digest;
  }
}

// What finish() returns after one that was stopped when the result had its name.
std::string digest_of_left(const PartsFolder& folder) {
  const std::optional<std::string> digest = folder.finished();
  if (!digest) refuse_missing(folder.output(), no_parts_in(folder));  // another finish ended it
  struct stat status {};
  const bool is_there = folder.files().stat(folder.target(), status) == 0;
  const std::optional<PartsJob> job = folder.job();
  if (is_there && (!job || status.st_size == job->file_bytes)) return *digest;
  refuse_missing(folder.output(), fmt::format("the result that was written is gone: remove {} "
                                              "and compute the parts again",
                                              folder.path().native()));
}

void finish_output(const PartsFlags& flags) {
  const std::string digest = finish(PartsFolder(flags.output), flags.finishing);
  Document document{{"output", flags.output}};
  document.put("digest", digest);
  print(flags.form == ReportForm::json
            ? json_line(document)
            : fmt::format("{}  {}\n", digest, escape_control(flags.output)));
}

Invocation bind_finish(const Operation*) {
  constexpr std::int64_t longest = 1'000'000'000;
  const auto flags = std::make_shared<PartsFlags>();
  return {
      .arguments = {{.name = "OUT", .help = "the output", .into = text(flags->output)}},
      .flags = joined(
          in_group("Run",
                   {switch_flag("check", "read all parts, and compare their checksums",
                                turn_on(flags->finishing.checks)),
                    value_flag("wait", "SECONDS",
                               "how long to wait for parts that are not there yet (default: 60)",
                               integer(flags->finishing.wait, 0, longest))}),
          in_group("Output", {force_flag(flags->finishing.replacing),
                              json_flag("the digest as one JSON object", flags->form)})),
      .run = runs(flags, finish_output)};
}

// ---- digest

Invocation bind_digest(const Operation*) {
  const auto flags = std::make_shared<PartsFlags>();
  return {.arguments = {{.name = "FILE", .help = "any file", .into = text(flags->output)}},
          .flags = {unit_flag(flags->unit)},
          .run = [flags](const Messages&) {
            require_settled(flags->output, flags->output);
            const File file =
                File::open_for_reading(flags->output, system_files(), InterruptScope::stop());
            // file.f2
            if (!file.is_regular()) {
              fail(ErrorKind::file, "file.f2", flags->output,
                   "must be a file, which has an end, got a pipe or device");
            }
            print(fmt::format("{}  {}\n", hex_text(digest_of(file, flags->unit)),
                              escape_control(flags->output)));
            return 0;
          }};
}

}  // namespace

std::string finish(const PartsFolder& folder, const Finishing& finishing) {
  const InterruptScope scope;
  folder.require_own();
  std::string digest;
  if (folder.is_left_by_finish()) {
    digest = digest_of_left(folder);
  } else {
    PartsWait wait(folder, finishing.wait);
    digest = end_output(folder, wait_for_job(folder, wait), finishing, wait);
  }
  folder.remove();
  return digest;
}

Flag unit_flag(std::int64_t& unit) {
  return in_group(
      "Run", value_flag("unit", "SIZE",
                        "the piece that parts and the digest are made of: best a multiple of the "
                        "file system's stripe or block (default: 4M)",
                        parsed(unit, parse_unit)));
}

std::vector<Flag> dealing_flags(Dealing& dealing) {
  constexpr std::int64_t longest = std::int64_t{1} << 30U;
  return in_group(
      "Run",
      {value_flag(
           "parts", "P",
           "cut the output into P parts, which are dealt to the ranks (default: those of the "
           "job that was begun, or 8 for each rank)",
           integer(dealing.parts, 1, most_parts)),
       value_flag("segment", "N",
                  "index entries that a rank reads at once, at most (default: 65536)",
                  integer(dealing.segment, 1, longest))});
}

Command parts_command() {
  return {.name = "parts",
          .summary = "which parts of a job are done, and which are missing",
          .examples = {"tscatter parts out.npy", "tscatter parts out.npy --missing"},
          .bind = bind_parts};
}

Command finish_command() {
  return {.name = "finish",
          .summary = "put the result of all parts under its name",
          .examples = {"tscatter finish out.npy", "tscatter finish out.npy --check --wait 600"},
          .bind = bind_finish};
}

Command digest_command() {
  return {.name = "digest",
          .summary = "a checksum of a file's contents, the one that finish prints",
          .examples = {"tscatter digest out.npy"},
          .bind = bind_digest};
}

}  // namespace tscatter::app
