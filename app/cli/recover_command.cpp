// recover.
#include "cli/commands.hpp"
#include "commands/recover.hpp"

namespace tscatter::app {

void add_recover(CommandTree& tree) {
  CLI::App& command = tree.add_command("recover", "roll back what a killed --in-place left",
                                       "tscatter recover weights.npy\n"
                                       "tscatter recover -n weights.npy");
  Words& words = tree.words();
  tree.add_argument(command, "FILE", "the file that was changed in place");
  command.add_flag("-n,--dry-run", words.is_dry_run, "say what would be done, change nothing")
      ->group("Run");
  command.add_flag("--json", words.wants_json, "what was found and done as one JSON object")
      ->group("Output");
  tree.set_action(command, [&] {
    recover_file(tree.argument(command, 0),
                 {.is_dry_run = words.is_dry_run, .wants_report = words.wants_json});
    return 0;
  });
}

}  // namespace tscatter::app
