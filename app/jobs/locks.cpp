#include "jobs/locks.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "jobs/operand.hpp"
#include "jobs/result.hpp"
#include "process/host.hpp"
#include "process/log.hpp"
#include "process/signals.hpp"
#include "text/figure.hpp"
#include "tscatter/io/formats/format.hpp"
#include "tscatter/io/journal/rollback.hpp"

namespace tscatter::app {
namespace {

// The value of --wait: the program's, or the host's for one call.
std::optional<std::chrono::seconds>& longest_wait() {
  static std::optional<std::chrono::seconds> of_program;
  Host* const host = Host::present();
  return host == nullptr ? of_program : host->lock_wait();
}

// The file, with all links resolved; for an archive's member, the archive. Empty if there is none.
std::filesystem::path file_of(const std::filesystem::path& base, const std::string& word,
                              const std::optional<MemberName>& member) {
  std::error_code error;
  std::filesystem::path file =
      std::filesystem::canonical(base / (member ? member->archive : word), error);
  return error || !std::filesystem::is_regular_file(file, error) ? std::filesystem::path() : file;
}

}  // namespace

void set_lock_wait(std::optional<std::chrono::seconds> longest) { longest_wait() = longest; }

void tell_wait(const std::string& words) {
  print_error(fmt::format("tscatter: {}\n", escape_control(words)));
}

Waiting waiting_for_lock() {
  return {.at_most = longest_wait(),
          .stop = InterruptScope::stop(),
          .tell = tell_wait,
          .log = [](const std::string& words) { log_info("lock: {}", words); }};
}

std::optional<Waiting> waiting_in_place() {
  if (!longest_wait()) return std::nullopt;
  return waiting_for_lock();
}

std::shared_ptr<const OutputLock> hold_output(const std::filesystem::path& base,
                                              const std::string& output,
                                              const std::vector<std::string>& read) {
  const std::filesystem::path target = file_of(base, output, member_name(base, output));
  const bool is_read = !target.empty() && std::ranges::any_of(read, [&](const std::string& each) {
    const std::string word = word_behind(base, each);
    return file_of(base, word, member_name(base, word)) == target ||
           file_of(base, word, place_of_elements(base, word)) == target;
  });
  if (!is_read) return nullptr;
  const auto member = member_name(base, output);
  const std::string& name = member ? member->archive : output;
  const bool is_archive = format_of_name(name).has_members();
  auto lock = std::make_shared<OutputLock>(
      target, name, is_archive ? Replaced::archive : Replaced::file, waiting_for_lock());
  require_settled(target, name, LockHolder::caller);
  return lock;
}

std::shared_ptr<const OutputLock> hold_output(const Job& job) {
  if (job.placement == Placement::in_place || !job.output || *job.output == "-") return nullptr;
  std::vector<std::string> read;
  for (const auto& [name, word] : job.operands) {
    if (word.form != WordForm::json) read.push_back(word.text);
  }
  return hold_output(job.base, *job.output, read);
}

std::string leftover_words(const Leftover& leftover, Recovery recovery) {
  const bool is_done = recovery == Recovery::done;
  if (leftover.state == UndoState::none) return "nothing to roll back";
  return fmt::format("{} a run in place that was killed: {} in {}",
                     is_done ? "rolled back" : "would roll back", counted(leftover.bytes, "byte"),
                     counted(leftover.ranges, "range"));
}

void report_leftover(const std::string& path, const Leftover& leftover, Recovery recovery) {
  if (leftover.state == UndoState::none) return;
  print_error(
      fmt::format("tscatter: {}: {}\n", escape_control(path), leftover_words(leftover, recovery)));
}

}  // namespace tscatter::app
