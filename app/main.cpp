// Only decides the exit code.
#include <cstdlib>
#include <exception>
#include <new>
#include <string>
#include <vector>

#include "cli/command_line.hpp"
#include "commands/commands.hpp"
#include "jobs/result.hpp"
#include "process/environment.hpp"
#include "process/errors.hpp"
#include "process/signals.hpp"
#include "tscatter/core/error.hpp"
#include "tscatter/io/files/mapping.hpp"

namespace {

using tscatter::Error;
using tscatter::ErrorKind;

int report(const Error& error, tscatter::app::ErrorForm form) {
  using namespace tscatter::app;
  die_if_interrupted();
  const std::string stands = what_stands();
  if (stands.empty()) {
    print_error(error_line(error, form));
    return exit_code(error.kind());
  }
  const std::string message = error.message() + " (" + stands + ")";
  print_error(error_line({error.kind(), error.label(), error.where(), message}, form));
  return done_but_unreported;
}

}  // namespace

int main(int argc, char** argv) {
  using tscatter::app::ErrorForm;
  tscatter::app::occupy_closed_streams();
  tscatter::app::set_up_signals();
  tscatter::guard_mappings();
  auto form = ErrorForm::text;
  try {
    const std::vector<std::string> arguments(argv + (argc > 0 ? 1 : 0), argv + argc);
    const tscatter::app::CommandLine line(tscatter::app::commands(), arguments);
    form = line.error_form();
    tscatter::app::choose_kernels();
    const int exit_code = line.run();
    tscatter::app::die_if_interrupted();
    return exit_code;
  } catch (const tscatter::Cancelled&) {
    tscatter::app::die_if_interrupted();
    return EXIT_FAILURE;
  } catch (const Error& error) {
    return report(error, form);
  } catch (const std::bad_alloc&) {
    // memory.m1
    return report(Error(ErrorKind::file, "memory.m1", "tscatter",
                        "there must be memory for the run, got none"),
                  form);
  } catch (const std::exception& error) {
    // internal.i1
    return report(Error(ErrorKind::internal, "internal.i1", "tscatter",
                        std::string("must not fail so, got ") + error.what()),
                  form);
  }
}
