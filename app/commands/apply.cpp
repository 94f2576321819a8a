#include "commands/apply.hpp"

#include <chrono>
#include <optional>

#include "log.hpp"
#include "signals.hpp"
#include "tscatter/core/fail.hpp"

namespace tscatter::app {
namespace {

void log_arguments(const Arguments& arguments) {
  for (const auto& [name, tensor] : arguments.operands) {
    log_info("{}: {} {} from {}", name, to_string(tensor.type()), to_string(tensor.shape()),
             escape_control(tensor.name()));
  }
}

}  // namespace

void apply_job(const Job& job, const ApplyFlags& flags) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point begin = Clock::now();
  const OutputWanted wanted{
      .word = job.output, .base = job.base, .format = flags.format, .durability = job.durability};
  const std::unique_ptr<Output> output = open_output(wanted);
  const Arguments arguments = open_arguments(job);
  log_arguments(arguments);

  if (flags.is_dry_run) {
    const Report report = check(*job.operation, arguments, {.threads = job.threads});
    print(flags.wants_report ? report_json(report, job.output, std::nullopt)
                             : report_words(report, job.output));
    return;
  }

  std::optional<InterruptScope> scope;
  if (leaves_temporary(wanted)) scope.emplace();
  const Report report = apply(*job.operation, arguments, *output,
                              {.threads = job.threads, .stop = InterruptScope::stop()});
  scope.reset();

  const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  log_info("done in {:.6f} s", seconds);
  if (!flags.wants_report) return;
  const std::string text = report_json(report, job.output, seconds);
  if (goes_to_stdout(wanted)) {
    print_error(text);
  } else {
    print(text);
  }
}

}  // namespace tscatter::app
