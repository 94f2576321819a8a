#include "commands/recover.hpp"

#include <fmt/format.h>

#include <memory>

#include "cli/targets.hpp"
#include "commands/parts.hpp"
#include "jobs/leftover.hpp"
#include "jobs/locks.hpp"
#include "jobs/result.hpp"
#include "parts/recover_parts.hpp"
#include "process/signals.hpp"
#include "text/figure.hpp"
#include "text/json_line.hpp"
#include "tscatter/core/fail.hpp"
#include "tscatter/io/formats/format.hpp"
#include "tscatter/io/journal/undo_journal.hpp"

namespace tscatter::app {
namespace {

std::string_view state_name(UndoState state) {
  return state == UndoState::none ? "none" : "committed";
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

struct RecoverFlags {
  std::string path;
  bool is_dry_run = false;
  TakeOver take_over = TakeOver::refused;
  bool wants_report = false;  // --json
};

std::string words_of_parts(const PartsLeftover& leftover, Recovery recovery) {
  return fmt::format("{} a change in place by parts: {} in {} of {}",
                     recovery == Recovery::done ? "took back" : "would take back",
                     counted(leftover.old_bytes.bytes, "byte"),
                     counted(leftover.old_bytes.ranges, "range"), counted(leftover.parts, "part"));
}

// Whether there was such a change.
bool recover_by_parts(const RecoverFlags& flags, Recovery recovery) {
  const std::optional<PartsLeftover> leftover =
      recover_parts(flags.path, recovery, flags.take_over, waiting_in_place());
  if (!leftover) return false;
  if (recovery == Recovery::done) now_stands(flags.path + " was rolled back");
  print(flags.wants_report ? json_of(flags.path, leftover->old_bytes, recovery)
                           : fmt::format("{}: {}\n", escape_control(flags.path),
                                         words_of_parts(*leftover, recovery)));
  return true;
}

// Having nothing to do is success.
void recover_file(const RecoverFlags& flags) {
  const Recovery recovery = flags.is_dry_run ? Recovery::checked : Recovery::done;
  const InterruptScope scope;
  if (recovery == Recovery::done) hold_signals();
  if (recover_by_parts(flags, recovery)) return;
  const Leftover leftover = recover(flags.path, recovery, system_files(), waiting_in_place());
  if (recovery == Recovery::done && leftover.state == UndoState::committed)
    now_stands(flags.path + " was rolled back");
  print(flags.wants_report ? json_of(flags.path, leftover, recovery)
                           : fmt::format("{}: {}\n", escape_control(flags.path),
                                         leftover_words(leftover, recovery)));
}

void recover_all(const RecoverFlags& flags) {
  require_no_journal(flags.path);
  for (std::string& file : files_of(flags.path)) {
    RecoverFlags one = flags;
    one.path = std::move(file);
    recover_file(one);
  }
}

Invocation bind_recover(const Operation*) {
  const auto flags = std::make_shared<RecoverFlags>();
  return {.arguments = {{.name = "FILE",
                         .help = "the file that was changed in place; of an index, its files",
                         .into = text(flags->path)}},
          .flags = {{.name = "dry-run",
                     .letter = 'n',
                     .group = "Run",
                     .help = "say what would be done, change nothing",
                     .into = turn_on(flags->is_dry_run)},
                    wait_flag(),
                    take_over_flag(flags->take_over),
                    json_flag("what was found and done as one JSON object",
                              turn_on(flags->wants_report))},
          .run = runs(flags, recover_all)};
}

}  // namespace

Command recover_command() {
  return {.name = "recover",
          .summary = "roll back what a killed --in-place left",
          .examples = {"tscatter recover weights.npy", "tscatter recover -n weights.npy"},
          .bind = bind_recover};
}

}  // namespace tscatter::app
