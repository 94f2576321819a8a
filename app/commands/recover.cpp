#include <fmt/format.h>

#include <memory>

#include "cli/targets.hpp"
#include "commands/commands.hpp"
#include "jobs/resources.hpp"
#include "jobs/result.hpp"
#include "jobs/written_file.hpp"
#include "process/host.hpp"
#include "text/document.hpp"
#include "text/figure.hpp"
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
  bool is_forced = false;
  ReportForm form = ReportForm::words;
};

// Having nothing to do is success.
void recover_file(const RecoverFlags& flags, const std::string& file) {
  const Recovery recovery = flags.is_dry_run ? Recovery::checked : Recovery::done;
  const InterruptScope scope;
  if (recovery == Recovery::done) hold_signals();
  const OtherWriters others = flags.is_forced ? OtherWriters::passed_over : OtherWriters::refused;
  const Leftover leftover = recover(file, recovery, system_files(), waiting_in_place(), others);
  if (recovery == Recovery::done && leftover.state == UndoState::committed)
    now_stands(file + " was rolled back");
  print(flags.form == ReportForm::json
            ? json_of(file, leftover, recovery)
            : fmt::format("{}: {}\n", escape_control(file), leftover_words(leftover, recovery)));
}

void recover_all(const RecoverFlags& flags) {
  require_no_journal(flags.path);
  // An index that is half changed itself says nothing of its files.
  const auto named = split_member_name(flags.path);
  const std::string path = named ? named->archive : flags.path;
  std::error_code ignored;
  const bool has_journal = std::filesystem::exists(undo_journal_path(resolved_file(path)), ignored);
  if (has_journal) recover_file(flags, path);
  if (has_journal && flags.is_dry_run) return;
  for (const std::string& file : files_of(flags.path)) {
    if (!has_journal || file != path) recover_file(flags, file);
  }
}

Invocation bind_recover(const Operation*) {
  const auto flags = std::make_shared<RecoverFlags>();
  return {
      .arguments = {{.name = "FILE",
                     .help = "the file that was changed in place; of an index, its files",
                     .into = text(flags->path)}},
      .flags = joined(
          in_group(
              "Run",
              {switch_flag("force", "roll back though others have written to the file since",
                           turn_on(flags->is_forced)),
               with_letter('n', switch_flag("dry-run", "say what would be done, change nothing",
                                            turn_on(flags->is_dry_run)))}),
          in_group("Output", {wait_flag(), json_flag("what was found and done as one JSON object",
                                                     flags->form)})),
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
