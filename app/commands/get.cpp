#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/targets.hpp"
#include "commands/apply.hpp"
#include "commands/commands.hpp"
#include "commands/operation_flags.hpp"
#include "jobs/format_words.hpp"
#include "jobs/job.hpp"
#include "jobs/resources.hpp"
#include "jobs/result.hpp"
#include "process/host.hpp"
#include "text/document.hpp"
#include "text/reports.hpp"
#include "tscatter/core/parallel.hpp"
#include "tscatter/ops/forms/resolved_index.hpp"
#include "tscatter/ops/names/namespaces.hpp"

namespace tscatter::app {
namespace {

struct GetFlags {
  Job job = job_of(*operation_of_verb("set"));
  bool is_dry_run = false;
  ReportForm form = ReportForm::words;
};

Document document_of(const Tensor& result, const std::optional<std::string>& output) {
  Document document = header_document(result);
  document.add("output", "output", {.value = output, .text = output.value_or("printed")});
  return document;
}

// What is read is checked first.
Tensor indexed(const Job& job, const Arguments& arguments) {
  const StopFlag stop = InterruptScope::stop();
  for (const auto& [name, tensor] : arguments.operands)
    tensor.source().check_content({.threads = job.threads, .stop = stop});
  return forms::gathered(names::getitem, arguments,
                         {.threads = worker_count(job.threads), .stop = stop},
                         job.operands.find("data")->second.text);
}

void preview(const GetFlags& flags) {
  const Document document =
      document_of(indexed(flags.job, open_arguments(flags.job)), flags.job.output);
  print(report_text(document, flags.form));
}

void read_into(const GetFlags& flags, OutputWanted wanted) {
  wanted.lock = hold_output(flags.job);
  const std::unique_ptr<Output> output = open_output(wanted);
  const Arguments arguments = open_arguments(flags.job);
  std::optional<InterruptScope> scope;
  if (leaves_temporary(wanted)) scope.emplace();
  for (const auto& [name, tensor] : arguments.operands) require_stdout_apart(wanted, tensor);
  const Tensor result = indexed(flags.job, arguments);
  write_tensor(result, *output);
  if (scope) now_stands(*wanted.word + " was written");
  if (flags.form != ReportForm::json) return;
  print(json_line(document_of(result, wanted.word)),
        goes_to_stdout(wanted) ? WordsGo::to_stderr : WordsGo::to_stdout);
}

void get(const GetFlags& flags) {
  const OutputWanted wanted = output_wanted(flags.job);
  require_file_for_options(wanted);
  open_output(wanted);  // refuses a wrong word before anything is waited for
  if (flags.is_dry_run) return preview(flags);
  read_into(flags, wanted);
}

std::vector<Flag> flags_beside_index(GetFlags& flags) {
  Job& job = flags.job;
  return in_group(
      "Run", {dtype_flag(dtype(job.dtype)), missing_flag(job.missing), output_flag(job),
              format_flag(job.format), force_flag(job.replacing), compress_flag(job.compression),
              sync_flag(job.durability), wait_flag(), threads_flag(job.threads),
              dry_run_flag(flags.is_dry_run), run_report_flag(flags.form)});
}

Invocation bind_get(const Operation*) {
  const auto flags = std::make_shared<GetFlags>();
  return {.arguments = {indexed_argument(flags->job, "a tensor, and what is read of it")},
          .flags = flags_beside_index(*flags),
          .run = runs(flags, get)};
}

Invocation bind_flags(const Operation*) {
  const auto flags = std::make_shared<GetFlags>();
  return {.flags = joined(indexed_flags(flags->job), flags_beside_index(*flags)),
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

Command get_command_of_flags() {
  Command command = get_command();
  command.bind = bind_flags;
  return command;
}

}  // namespace tscatter::app
