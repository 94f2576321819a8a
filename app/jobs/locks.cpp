#include "jobs/locks.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "jobs/operand.hpp"
#include "jobs/result.hpp"
#include "process/log.hpp"
#include "process/signals.hpp"
#include "tscatter/io/files/locked_file.hpp"
#include "tscatter/io/journal/rollback.hpp"

namespace tscatter::app {
namespace {

std::optional<std::chrono::seconds> longest_wait;

// The file, with all links resolved; for an archive's member, the archive. Empty if there is none.
std::filesystem::path file_of(const std::filesystem::path& base, const std::string& word) {
  const std::optional<MemberName> member = member_name(base, word);
  std::error_code error;
  std::filesystem::path file =
      std::filesystem::canonical(base / (member ? member->archive : word), error);
  return error || !std::filesystem::is_regular_file(file, error) ? std::filesystem::path() : file;
}

}  // namespace

void set_lock_wait(std::optional<std::chrono::seconds> longest) { longest_wait = longest; }

void tell_wait(const std::string& words) {
  print_error(fmt::format("tscatter: {}\n", escape_control(words)));
}

Waiting waiting_for_lock() {
  return {.at_most = longest_wait,
          .stop = InterruptScope::stop(),
          .tell = tell_wait,
          .log = [](const std::string& words) { log_info("lock: {}", words); }};
}

std::optional<Waiting> waiting_in_place() {
  if (!longest_wait) return std::nullopt;
  return waiting_for_lock();
}

HeldOutput hold_output(const std::filesystem::path& base, const std::string& output,
                       const std::vector<std::string>& read) {
  const std::filesystem::path target = file_of(base, output);
  const bool is_read = !target.empty() && std::ranges::any_of(read, [&](const std::string& word) {
    return file_of(base, word) == target;
  });
  if (!is_read) return {};
  if (const auto member = member_name(base, output)) {
    return {.folder = std::make_shared<DirectoryLock>(target, member->archive, waiting_for_lock()),
            .file = {}};
  }
  require_settled(target, output);
  HeldOutput held;
  held.file.emplace(
      open_locked(target, output, system_files(), Access::reading, waiting_for_lock()));
  return held;
}

HeldOutput hold_output(const Job& job) {
  if (job.placement == Placement::in_place || !job.output || *job.output == "-") return {};
  std::vector<std::string> read;
  for (const auto& [name, word] : job.operands) {
    if (word.form != WordForm::json) read.push_back(word.text);
  }
  return hold_output(job.base, *job.output, read);
}

}  // namespace tscatter::app
