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

class ErrorReport {
 public:
  explicit ErrorReport(const std::function<bool()>& prints) : prints_{prints} {}

  void have(ErrorForm form) { form_ = form; }

  // Returns the exit code.
  int operator()(const Error& error) const {
    const std::string stands = what_stands();
    if (stands.empty()) {
      code_after_signal(exit_code(error.kind()));
      print(error);
      return exit_code(error.kind());
    }
    const std::string message = error.message() + " (" + stands + ")";
    print({error.kind(), error.label(), error.where(), message});
    return done_but_unreported;
  }

 private:
  void print(const Error& error) const {
    if (prints_()) print_error(error_line(error, form_));
  }

  const std::function<bool()>& prints_;
  ErrorForm form_ = ErrorForm::text;
};

}  // namespace

void set_up_process() {
  occupy_closed_streams();
  set_up_signals();
  guard_mappings();
}

int run_program(std::span<const Command> commands, const std::vector<std::string>& words,
                const std::function<bool()>& prints) {
  ErrorReport report(prints);
  try {
    const KeptWorkers workers;
    const CommandLine line(commands, words);
    report.have(line.error_form());
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
