#include "cli/program.hpp"

#include <cstdlib>
#include <exception>
#include <new>

#include "cli/command.hpp"
#include "cli/command_line.hpp"
#include "cli/targets.hpp"
#include "jobs/result.hpp"
#include "process/environment.hpp"
#include "process/errors.hpp"
#include "process/host.hpp"
#include "tscatter/core/error.hpp"
#include "tscatter/core/parallel.hpp"
#include "tscatter/io/files/sources.hpp"

namespace tscatter::app {
namespace {

// Returns the exit code.
int reported(const Error& error, ErrorForm form, const std::function<bool()>& prints) {
  const std::string stands = what_stands();
  const int code = stands.empty() ? exit_code(error.kind()) : done_but_unreported;
  const std::string more = stands.empty() ? stands : " (" + stands + ")";
  if (stands.empty()) code_after_signal(code);
  if (prints()) {
    print_error(error_line(
        Error(error.kind(), error.label(), error.where(), error.message() + more), form));
  }
  return code;
}

}  // namespace

void set_up_process() {
  occupy_closed_streams();
  set_up_signals();
  guard_mappings();
}

int run_program(std::span<const Command> commands, const std::vector<std::string>& words,
                const std::function<bool()>& prints) {
  ErrorForm form = ErrorForm::text;
  const auto report = [&](const Error& error) { return reported(error, form, prints); };
  try {
    const KeptWorkers workers;
    const CommandLine line(commands, words);
    form = line.error_form();
    choose_kernels();
    return code_after_signal(line.run());
  } catch (const Cancelled&) {
    return code_after_signal(EXIT_FAILURE);
  } catch (const Error& error) {
    return report(error);
  } catch (const std::bad_alloc&) {
    // memory.m1
    return report(Error(ErrorKind::file, "memory.m1", "tscatter", out_of_memory));
  } catch (const std::exception& error) {
    // internal.i1
    return report(
        Error(ErrorKind::internal, "internal.i1", "tscatter", internal_error(error.what())));
  }
}

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
