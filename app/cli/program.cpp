#include "cli/program.hpp"

#include <cstdlib>
#include <exception>
#include <new>

#include "cli/command_line.hpp"
#include "jobs/result.hpp"
#include "process/environment.hpp"
#include "process/errors.hpp"
#include "process/signals.hpp"
#include "tscatter/core/error.hpp"
#include "tscatter/core/parallel.hpp"
#include "tscatter/io/files/mapping.hpp"

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

}  // namespace tscatter::app
