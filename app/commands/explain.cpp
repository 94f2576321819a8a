#include "tscatter/explain/explain.hpp"

#include <algorithm>
#include <memory>

#include "cli/targets.hpp"
#include "commands/commands.hpp"
#include "commands/operation_flags.hpp"
#include "jobs/job_policies.hpp"
#include "jobs/result.hpp"
#include "jobs/run_log.hpp"
#include "process/host.hpp"
#include "process/log.hpp"
#include "text/document.hpp"
#include "text/number_text.hpp"
#include "text/reports.hpp"
#include "tscatter/core/fail.hpp"

namespace tscatter::app {
namespace {

struct ExplainFlags {
  Job job;
  ExplainOptions options;
  ReportForm form = ReportForm::words;
  CaseWords of_case = {};
};

void explain_job(const ExplainFlags& flags) {
  const LoggedTime time;
  const Arguments arguments = open_arguments(flags.job);
  log_arguments(arguments);
  ExplainOptions options = flags.options;
  options.threads = flags.job.threads;
  options.stop = InterruptScope::stop();
  options.progress = ProgressLine::of_run();
  for (const Position& each : options.at)
    checked_position(arguments.operand("data").shape(), each, "--at");
  Document document = explanation_document(explain(*flags.job.operation, arguments, options));
  add_casts(document, count_casts(arguments, flags.job.threads, InterruptScope::stop()));
  add_table_headers(document, arguments.operands);
  print(report_text(document, flags.form));
}

// "1,-2,3" as a position.
Position parse_position(const std::string& text, const std::string& where) {
  Position position;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const auto index = number_in<std::int64_t>(std::string_view(text).substr(begin, end - begin));
    // cli.c60
    if (!index)
      fail(ErrorKind::usage, "cli.c60", where, "must be integers like 1,2,3, got {}", text);
    position.push_back(*index);
    begin = end + 1;
  }
  return position;
}

std::vector<Flag> explanation_flags(ExplainFlags& flags) {
  return in_group(
      "Output",
      {repeatable(value_flag("at", "POSITION",
                             "print the history of this element, as 1,2,3; may be given several "
                             "times",
                             appended(flags.options.at, parse_position))),
       value_flag("worst", "N",
                  "list the N destinations that most entries share, and N elements that depend on "
                  "the order (default 5)",
                  worst(flags.options.worst)),
       json_flag("the explanation as one JSON object", flags.form),
       threads_flag(flags.job.threads)});
}

// Who writes what is explained without updates, too.
std::vector<Flag> operand_flags(Job& job) {
  std::vector<Flag> flags = operation_flags(job);
  const auto updates =
      std::ranges::find_if(flags, [](const Flag& each) { return each.has_name("updates"); });
  updates->presence = Presence::optional;
  updates->help = [help = updates->help] {
    return help.text() + "; without it, values are left out";
  };
  return flags;
}

Invocation bind_explain(const Operation* operation) {
  const auto flags = std::make_shared<ExplainFlags>();
  flags->job = job_of(*operation);
  return {.flags = joined(operand_flags(flags->job), explanation_flags(*flags)),
          .run = runs(flags, explain_job)};
}

Invocation bind_explain_word(const Operation* operation) {
  const auto flags = std::make_shared<ExplainFlags>();
  flags->job = job_of_word(*operation);
  return {.arguments = word_arguments(flags->job, Presence::optional),
          .flags = joined(flags_beside_operands(flags->job), explanation_flags(*flags)),
          .run = runs(flags, explain_job)};
}

Invocation bind_explain_case() {
  const auto flags = std::make_shared<ExplainFlags>();
  return {.arguments = {cases_argument(flags->of_case)},
          .flags = joined({case_flag(flags->of_case)}, explanation_flags(*flags)),
          .run = [flags](const Messages&) {
            const FoundCase found = open_case_of_job(flags->of_case);
            ExplainFlags all = *flags;
            all.job = found.each.job;
            if (flags->job.threads > 0) all.job.threads = flags->job.threads;
            explain_job(all);
            return 0;
          }};
}

constexpr const char* example_of_a_sum =
    "tscatter explain ScatterNDUpdate-15 -d data.npy -i indices.npy -u updates.npy -r sum";
constexpr const char* example_of_duplicates =
    "tscatter explain ScatterNDUpdate-15 -d 8xf32=0 -i '[[4], [4]]' -u '[9, 10]' --at 4";
constexpr const char* example_of_a_slice =
    "tscatter explain SliceScatter-15 -d 3x5xi32=0 -u 2x2xi32=7 --start 0,1 --stop 3,5 --step 2,2 "
    "--json";

}  // namespace

Command explain_command() {
  return {.name = "explain",
          .summary = "who writes what: duplicates, coverage, the history of one element",
          .examples = {example_of_a_sum, example_of_duplicates,
                       "tscatter explain ScatterNDUpdate-15 -d data.npy -i indices.npy",
                       example_of_a_slice, "tscatter explain add 'a.npy[ids.npy]' x.npy --at 4",
                       "tscatter explain --case NAME cases.jsonl"},
          .bind = bind_explain,
          .takes_operation = true,
          .bind_word = bind_explain_word,
          .bind_case = bind_explain_case};
}

}  // namespace tscatter::app
