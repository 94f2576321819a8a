#include "commands/recover.hpp"

#include <fmt/format.h>

#include "result.hpp"
#include "text/json_line.hpp"
#include "tscatter/core/fail.hpp"
#include "tscatter/io/journal/undo_journal.hpp"

namespace tscatter::app {
namespace {

std::string words_of(const Leftover& leftover, Recovery recovery) {
  const bool is_done = recovery == Recovery::done;
  if (leftover.state == UndoState::none) return "nothing to roll back";
  if (leftover.state == UndoState::unfinished) {
    return fmt::format("{} the unfinished undo journal of a run that had changed nothing yet",
                       is_done ? "removed" : "would remove");
  }
  return fmt::format("{} a run in place that was killed: {} in {}",
                     is_done ? "rolled back" : "would roll back", counted(leftover.bytes, "byte"),
                     counted(leftover.ranges, "range"));
}

std::string_view state_name(UndoState state) {
  if (state == UndoState::none) return "none";
  return state == UndoState::unfinished ? "unfinished" : "committed";
}

std::string json_of(const std::string& path, const Leftover& leftover, Recovery recovery) {
  return json_line(
      {{"file", path},
       {"journal", state_name(leftover.state)},
       {"ranges", leftover.ranges},
       {"bytes", leftover.bytes},
       {"rolled_back", recovery == Recovery::done && leftover.state == UndoState::committed}});
}

void require_no_journal(const std::filesystem::path& path) {
  std::filesystem::path data = path;
  data.replace_extension();
  // cli.c5
  if (undo_journal_path(data) == path) {
    fail(ErrorKind::usage, "cli.c5", "recover",
         "must be given the file that was changed, {}, got its undo journal", data.native());
  }
}

}  // namespace

void recover_file(const std::string& path, const RecoverFlags& flags) {
  require_no_journal(path);
  const Recovery recovery = flags.is_dry_run ? Recovery::checked : Recovery::done;
  const Leftover leftover = recover(path, recovery);
  print(flags.wants_report
            ? json_of(path, leftover, recovery)
            : fmt::format("{}: {}\n", escape_control(path), words_of(leftover, recovery)));
}

void report_leftover(const std::string& path, const Leftover& leftover, Recovery recovery) {
  if (leftover.state == UndoState::none) return;
  print_error(
      fmt::format("tscatter: {}: {}\n", escape_control(path), words_of(leftover, recovery)));
}

}  // namespace tscatter::app
