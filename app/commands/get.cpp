#include <memory>
#include <optional>
#include <string>

#include "cli/targets.hpp"
#include "commands/apply.hpp"
#include "commands/commands.hpp"
#include "commands/operation_flags.hpp"
#include "jobs/format_words.hpp"
#include "jobs/job.hpp"
#include "jobs/locks.hpp"
#include "jobs/result.hpp"
#include "process/signals.hpp"
#include "tscatter/core/parallel.hpp"
#include "tscatter/ops/forms/gathered.hpp"
#include "tscatter/ops/names/numpy.hpp"

namespace tscatter::app {
namespace {

struct GetFlags {
  Job job;
};

void get(const GetFlags& flags) {
  const OutputWanted wanted_first = output_wanted(flags.job);
  require_file_for_options(wanted_first);
  open_output(wanted_first);  // refuses a wrong word before anything is waited for
  OutputWanted wanted = wanted_first;
  wanted.lock = hold_output(flags.job);
  const std::unique_ptr<Output> output = open_output(wanted);
  const Arguments arguments = open_arguments(flags.job);
  std::optional<InterruptScope> scope;
  if (leaves_temporary(wanted)) scope.emplace();
  const std::atomic<bool>* const stop = InterruptScope::stop();
  for (const auto& [name, tensor] : arguments.operands) {
    require_stdout_apart(wanted, tensor);
    tensor.source().check_content(flags.job.threads, stop);
  }
  write_tensor(gathered(names::getitem, arguments,
                        {.threads = worker_count(flags.job.threads), .stop = stop},
                        flags.job.operands.find("data")->second.text),
               *output);
  if (scope) now_stands(*wanted.word + " was written");
}

Invocation bind_get(const Operation*) {
  const auto flags = std::make_shared<GetFlags>();
  Job& job = flags->job;
  job = job_of(*operation_of_verb("set"));
  return {
      .arguments = {indexed_argument(job, "a tensor, and what is read of it")},
      .flags = {dtype_flag(dtype(job.dtype)), missing_flag(job.missing), output_flag(job),
                format_flag(job.format), force_flag(job.replacing), compress_flag(job.compression),
                sync_flag(job.durability), wait_flag(), threads_flag(job.threads)},
      .run = runs(flags, get)};
}

}  // namespace

Command get_command() {
  return {.name = "get",
          .summary = "read what an index names: a[index]",
          .examples = {"tscatter get 'a.npy[ids.npy]' -o rows.npy",
                       "tscatter get 'm.safetensors:embed[5]'",
                       "tscatter get 'a.npy[mask.npy, ::2]' -o picked.npy"},
          .bind = bind_get,
          .group = CommandGroup::words};
}

}  // namespace tscatter::app
