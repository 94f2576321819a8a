#include "cli/command.hpp"
#include "cli/targets.hpp"

namespace tscatter::app {
namespace {

// The first of -h and --help counts.
Target help_in(std::optional<HelpForm>& help, HelpForm form) {
  return {.set = [&help, form](const auto&, const auto&) { help = help.value_or(form); }};
}

std::vector<Flag> help_flags(ProgramFlags& flags) {
  return {{.letter = 'h',
           .group = "Help",
           .help = "short help",
           .into = help_in(flags.help, HelpForm::brief)},
          {.name = "help",
           .group = "Help",
           .help = "help, with examples",
           .into = help_in(flags.help, HelpForm::full)}};
}

}  // namespace

std::vector<Flag> message_flags(Messages& messages) {
  return {{.name = "verbose",
           .letter = 'v',
           .group = "Messages",
           .help = "say on stderr what is done",
           .into = count_up(messages.verbosity),
           .occurrence = Occurrence::repeated},
          {.name = "quiet",
           .letter = 'q',
           .group = "Messages",
           .help = "no progress line and no log",
           .into = turn_on(messages.is_quiet)},
          {.name = "color",
           .group = "Messages",
           .value = "WHEN",
           .help = "never, auto or always",
           .into = one_of<std::string, std::string>(
               messages.color, {{"never", "never"}, {"auto", "auto"}, {"always", "always"}})}};
}

std::vector<Flag> common_flags(ProgramFlags& flags) {
  return joined(help_flags(flags), message_flags(flags.messages));
}

std::vector<Flag> program_flags(ProgramFlags& flags) {
  std::vector<Flag> all = help_flags(flags);
  all.push_back({.name = "version",
                 .group = "Help",
                 .help = "version, compiler and libraries",
                 .into = turn_on(flags.wants_version)});
  return joined(std::move(all), message_flags(flags.messages));
}

}  // namespace tscatter::app
