#include "commands/parts.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <chrono>
#include <filesystem>
#include <memory>
#include <thread>

#include "cli/targets.hpp"
#include "commands/apply.hpp"
#include "jobs/result.hpp"
#include "parts/digest.hpp"
#include "parts/parts_folder.hpp"
#include "process/signals.hpp"
#include "text/document.hpp"
#include "text/json_line.hpp"
#include "tscatter/core/fail.hpp"
#include "tscatter/io/files/file_attributes.hpp"
#include "tscatter/io/files/path.hpp"
#include "tscatter/io/formats/file_kinds.hpp"
#include "tscatter/io/formats/npy_format.hpp"

namespace tscatter::app {
namespace {

namespace fs = std::filesystem;

using Markers = std::map<std::int64_t, PartMarker>;

[[noreturn]] void refuse_missing(const std::string& output, const std::string& got) {
  // part.p3
  fail(ErrorKind::file, "part.p3", output, "every part must be done, got {}", got);
}

PartsJob job_in(const PartsFolder& folder) {
  const std::optional<PartsJob> job = folder.job();
  if (!job) refuse_missing(folder.output(), "no " + folder.path().native());
  return *job;
}

std::vector<std::int64_t> missing_in(const Markers& markers, const PartsJob& job) {
  std::vector<std::int64_t> missing;
  for (std::int64_t part = 1; part <= job.parts; ++part)
    if (!markers.contains(part)) missing.push_back(part);
  return missing;
}

// REQUIRES: none is missing.
std::vector<std::uint64_t> sums_of(const Markers& markers) {
  std::vector<std::uint64_t> sums;
  for (const auto& [part, marker] : markers)
    sums.insert(sums.end(), marker.sums.begin(), marker.sums.end());
  return sums;
}

struct PartsFlags {
  std::string output;
  bool lists_missing = false;
  bool wants_report = false;  // --json
  Finishing finishing;
  std::int64_t unit = default_unit;
};

// ---- parts

void show_parts(const PartsFlags& flags) {
  const PartsFolder folder(flags.output);
  const PartsJob job = job_in(folder);
  const Markers markers = folder.markers(job);
  const std::vector<std::int64_t> missing = missing_in(markers, job);
  if (flags.lists_missing) return print(missing.empty() ? "" : as_ranges(missing) + "\n");
  std::int64_t bytes = 0;
  for (const auto& [part, marker] : markers) bytes += marker.bytes.size();
  Document document;
  document.add("output", "output", text_figure(flags.output));
  document.add("parts", "parts", plain(job.parts));
  document.add("done", "done", plain(std::ssize(markers)));
  document.add(
      "missing", "missing",
      {.value = as_ranges(missing), .text = missing.empty() ? "none" : as_ranges(missing)});
  document.add("bytes", "bytes",
               {.value = bytes, .text = fmt::format("{} of {}", bytes, job.file_bytes)});
  const std::optional<std::string> digest =
      missing.empty() && !folder.is_in_place()
          ? std::optional(hex_text(digest_of(sums_of(markers), job.file_bytes)))
          : std::nullopt;
  document.add("digest", "digest", {.value = digest, .text = digest.value_or("-")});
  print(flags.wants_report ? json_line(document) : document_text(document));
}

Invocation bind_parts(const Operation*) {
  const auto flags = std::make_shared<PartsFlags>();
  return {.arguments = {{.name = "OUT", .help = "the output", .into = text(flags->output)}},
          .flags = {{.name = "missing",
                     .group = "Output",
                     .help = "print only which parts are missing, as 7,12-13",
                     .into = turn_on(flags->lists_missing)},
                    {.name = "json",
                     .group = "Output",
                     .help = "the same as one JSON object",
                     .into = turn_on(flags->wants_report)}},
          .run = [flags](const Messages&) {
            show_parts(*flags);
            return 0;
          }};
}

// ---- finish

// All parts. What another machine has written may be seen late.
Markers wait_for_parts(const PartsFolder& folder, const PartsJob& job, std::int64_t seconds) {
  constexpr std::chrono::milliseconds pause{200};
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
  for (;;) {
    Markers markers = folder.markers(job);
    const std::vector<std::int64_t> missing = missing_in(markers, job);
    if (missing.empty()) return markers;
    if (std::chrono::steady_clock::now() >= end)
      refuse_missing(folder.output(),
                     "no " + as_ranges(missing) + " of " + std::to_string(job.parts));
    if (*InterruptScope::stop()) throw Cancelled();
    std::this_thread::sleep_for(pause);
  }
}

void check_sums(const File& file, const PartsJob& job, const Markers& markers) {
  for (const auto& [part, marker] : markers) {
    if (unit_sums(file, marker.bytes, job.unit) == marker.sums) continue;
    // part.p4
    fail(ErrorKind::format, "part.p4", file.name(),
         "a part must have the checksums that it was written with, got others for part {} of {}",
         part, job.parts);
  }
}

void require_size(const File& data, const PartsJob& job) {
  const std::int64_t size = data.status().st_size;
  if (size == job.file_bytes) return;
  // part.p4
  fail(ErrorKind::format, "part.p4", data.name(), "the parts' data must have {} bytes, got {}",
       job.file_bytes, size);
}

// A file of the result's kind, or nothing.
void require_replaceable(const PartsFolder& folder, Replacing replacing) {
  require_same_kind({.name = "OUT", .word = folder.output(), .kind = kind_of(npy_format)},
                    replacing);
  std::error_code ignored;
  const fs::file_status status = fs::symlink_status(folder.target(), ignored);
  // file.f7
  if (fs::exists(status) && !fs::is_regular_file(status))
    fail(ErrorKind::file, "file.f7", folder.output(), "must be a file, got another kind of name");
}

// Whether another finish has put the result in place meanwhile.
bool is_put_by_another(const PartsFolder& folder, const PartsJob& job, const std::string& digest) {
  struct stat status {};
  const bool has_data = system_files().stat(folder.data(), status) == 0 || errno != ENOENT;
  const bool is_there = system_files().stat(folder.target(), status) == 0;
  const bool is_finished = folder.finished() == digest || !fs::exists(folder.path());
  return !has_data && is_there && is_finished && status.st_size == job.file_bytes;
}

// Checks the data, and says that all parts are done.
void prepare(const PartsFolder& folder, const PartsJob& job, const Markers& markers,
             const Finishing& finishing, const std::string& digest) {
  const File data = File::open_for_reading(folder.data());
  require_size(data, job);
  if (finishing.checks) check_sums(data, job, markers);
  keep_properties(folder.target(), data);
  folder.publish_finished(digest);
}

// Decides that the change is made: what it was is forgotten. Returns what stands for its digest.
std::string end_change(const PartsFolder& folder, const Finishing& finishing) {
  // cli.c91
  if (finishing.checks) {
    fail(ErrorKind::usage, "cli.c91", "--check",
         "must be given for parts of a new file, which have checksums, got {}, changed in place",
         folder.output());
  }
  const PartsJob job = job_in(folder);
  if (folder.finished() != taken_back) {
    wait_for_parts(folder, job, finishing.wait);
    folder.decide(change_made);
  }
  if (folder.finished() == taken_back)
    refuse_missing(folder.output(), "a change that is taken back (tscatter recover ends that)");
  now_stands(folder.output() + " was changed");
  return std::string(change_made);
}

// Gives the result its name. Returns its digest.
std::string put_in_place(const PartsFolder& folder, const Finishing& finishing) {
  const PartsJob job = job_in(folder);
  const Markers markers = wait_for_parts(folder, job, finishing.wait);
  require_replaceable(folder, finishing.replacing);
  std::string digest = hex_text(digest_of(sums_of(markers), job.file_bytes));
  try {
    prepare(folder, job, markers, finishing, digest);
  } catch (const Error&) {
    if (!is_put_by_another(folder, job, digest)) throw;
    return digest;
  }
  const bool is_in_place = system_files().rename(folder.data(), folder.target()) == 0;
  const int error = errno;
  if (!is_in_place && error == ENOENT && is_put_by_another(folder, job, digest)) return digest;
  // file.f6
  if (!is_in_place) {
    fail(ErrorKind::file, "file.f6", folder.output(), "must be put in place, got {}",
         errno_text(error));
  }
  now_stands(folder.output() + " was written");
  sync_directory_of(folder.target(), system_files());
  return digest;
}

// Of a finish that was stopped when the result had its name.
void require_result(const PartsFolder& folder) {
  struct stat status {};
  const bool is_there = system_files().stat(folder.target(), status) == 0;
  const std::optional<PartsJob> job = folder.job();
  if (is_there && (!job || status.st_size == job->file_bytes)) return;
  refuse_missing(folder.output(), fmt::format("a result that was put in place and is gone: remove "
                                              "{} and compute the parts again",
                                              folder.path().native()));
}

void finish_output(const PartsFlags& flags) {
  const std::string digest = finish(PartsFolder(flags.output), flags.finishing);
  Document document{{"output", flags.output}};
  document.put("digest", digest == change_made ? std::nullopt : std::optional(digest));
  print(flags.wants_report ? json_line(document)
                           : fmt::format("{}  {}\n", digest, escape_control(flags.output)));
}

Invocation bind_finish(const Operation*) {
  constexpr std::int64_t longest = 1'000'000'000;
  const auto flags = std::make_shared<PartsFlags>();
  return {.arguments = {{.name = "OUT", .help = "the output", .into = text(flags->output)}},
          .flags = {{.name = "check",
                     .group = "Run",
                     .help = "read all parts, and compare their checksums",
                     .into = turn_on(flags->finishing.checks)},
                    {.name = "wait",
                     .group = "Run",
                     .value = "SECONDS",
                     .help = "wait so long for parts that are not there yet (60)",
                     .into = integer(flags->finishing.wait, 0, longest)},
                    force_flag(flags->finishing.replacing),
                    {.name = "json",
                     .group = "Output",
                     .help = "the digest as one JSON object",
                     .into = turn_on(flags->wants_report)}},
          .run = [flags](const Messages&) {
            finish_output(*flags);
            return 0;
          }};
}

// ---- digest

Invocation bind_digest(const Operation*) {
  const auto flags = std::make_shared<PartsFlags>();
  return {.arguments = {{.name = "FILE", .help = "any file", .into = text(flags->output)}},
          .flags = {unit_flag(flags->unit)},
          .run = [flags](const Messages&) {
            const File file = File::open_for_reading(flags->output);
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
  const bool is_left = folder.is_left_by_finish();
  const bool is_in_place = folder.is_in_place();
  if (is_left) require_result(folder);
  std::string digest = is_left       ? *folder.finished()
                       : is_in_place ? end_change(folder, finishing)
                                     : put_in_place(folder, finishing);
  folder.remove();
  return digest;
}

Flag unit_flag(std::int64_t& unit) {
  return {.name = "unit",
          .group = "Run",
          .value = "SIZE",
          .help =
              "what parts and the digest count in: whole stripes or blocks of the file system "
              "(default: 4M)",
          .into = parsed(unit, parse_unit)};
}

Flag take_over_flag(TakeOver& take_over) {
  return {.name = "take-over",
          .group = "Run",
          .help = "of a part in place: take what another process has claimed, which is dead",
          .into = set_to(take_over, TakeOver::allowed)};
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
          .summary = "the digest of a file, as finish prints it",
          .examples = {"tscatter digest out.npy"},
          .bind = bind_digest};
}

}  // namespace tscatter::app
