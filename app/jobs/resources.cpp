#include "jobs/resources.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "jobs/operand.hpp"
#include "jobs/result.hpp"
#include "process/environment.hpp"
#include "process/host.hpp"
#include "process/log.hpp"
#include "text/figure.hpp"
#include "text/number_text.hpp"
#include "tscatter/core/checked.hpp"
#include "tscatter/core/fail.hpp"
#include "tscatter/core/memory.hpp"
#include "tscatter/io/formats/format.hpp"
#include "tscatter/io/journal/rollback.hpp"

namespace tscatter::app {

namespace {

constexpr std::int64_t least = run_memory + 16 * mebibyte;

// 0: none.
std::int64_t unit_of(char letter) {
  constexpr std::string_view letters = "KMGT";
  const std::size_t power = letters.find(letter);
  constexpr unsigned bits_of_each = 10;
  return power == std::string_view::npos ? 0 : std::int64_t{1} << (bits_of_each * (power + 1));
}

// Slices of data, times the positions of each item.
std::int64_t most_entries_of_index(const Arguments& arguments) {
  std::int64_t most = 1;
  for (const auto& [name, tensor] : arguments.operands) {
    if (name == "data" || is_operand_of_item(name))
      most =
          checked_multiply(most, tensor.count()).value_or(std::numeric_limits<std::int64_t>::max());
  }
  return most;
}

// There are never more entries than elements of indices and of updates.
std::int64_t most_entries(const Arguments& arguments) {
  if (!arguments.index.empty()) return most_entries_of_index(arguments);
  if (arguments.find("mask") != nullptr) return arguments.operand("data").count();
  std::int64_t most = 0;
  for (const char* const name : {"indices", "updates"}) {
    const Tensor* tensor = arguments.find(name);
    if (tensor != nullptr) most = std::max(most, tensor->count());
  }
  return most;
}

}  // namespace

std::optional<std::int64_t> memory_in(std::string_view text) {
  const std::int64_t unit = text.empty() ? 0 : unit_of(text.back());
  if (unit != 0) text.remove_suffix(1);
  const auto count = number_in<std::int64_t>(text);
  return count ? checked_multiply(*count, std::max<std::int64_t>(unit, 1)) : std::nullopt;
}

std::int64_t parse_memory(const std::string& text, const std::string& where,
                          std::string_view label) {
  const std::optional<std::int64_t> memory = memory_in(text);
  if (!memory || *memory < least) {
    fail(ErrorKind::usage, label, where,
         "must be an amount of memory, like 512M or 8G, of at least {}M, got {}", least / mebibyte,
         text);
  }
  return *memory;
}

std::int64_t entry_memory(std::optional<std::int64_t> wanted, const Arguments& arguments) {
  constexpr std::int64_t few = std::int64_t{1} << 18U;  // fit anywhere: the system is not asked
  if (wanted) return *wanted - run_memory;
  const bool has_entries = arguments.find("indices") != nullptr ||
                           arguments.find("mask") != nullptr || !arguments.index.empty();
  if (!has_entries || most_entries(arguments) <= few) return 0;
  const std::int64_t machine = machine_memory();
  return std::max(machine / 4 * 3 - run_memory, 16 * mebibyte);
}

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
