#include "cli/command.hpp"
#include "cli/targets.hpp"

namespace tscatter::app {
namespace {

// The first of -h and --help counts.
Target help_in(std::optional<HelpForm>& help, HelpForm form) {
  return {.set = [&help, form](const auto&, const auto&) { help = help.value_or(form); }};
}

std::vector<Flag> help_flags(ProgramFlags& flags) {
  return in_group(
      "Help",
      {with_letter('h', switch_flag({}, "short help", help_in(flags.help, HelpForm::brief))),
       switch_flag("help", "help, with examples", help_in(flags.help, HelpForm::full))});
}

}  // namespace

std::vector<Flag> message_flags(Messages& messages) {
  return in_group("Messages",
                  {repeatable(with_letter('v', switch_flag("verbose", "say on stderr what is done",
                                                           count_up(messages.verbosity)))),
                   with_letter('q', switch_flag("quiet", "no progress line and no log",
                                                turn_on(messages.is_quiet))),
                   value_flag("color", "WHEN", "never, auto or always",
                              one_of<std::string, std::string>(
                                  messages.color,
                                  {{"never", "never"}, {"auto", "auto"}, {"always", "always"}}))});
}

std::vector<Flag> common_flags(ProgramFlags& flags) {
  return joined(help_flags(flags), message_flags(flags.messages));
}

std::vector<Flag> program_flags(ProgramFlags& flags) {
  return joined(help_flags(flags),
                {in_group("Help", switch_flag("version", "version, compiler and libraries",
                                              turn_on(flags.wants_version)))},
                message_flags(flags.messages));
}

}  // namespace tscatter::app
