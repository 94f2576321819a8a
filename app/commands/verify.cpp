#include "tscatter/verify/verify.hpp"

#include <fmt/format.h>

#include <memory>
#include <optional>

#include "cli/targets.hpp"
#include "commands/commands.hpp"
#include "commands/difference_report.hpp"
#include "commands/operation_flags.hpp"
#include "jobs/job_policies.hpp"
#include "jobs/run_log.hpp"
#include "pictures/picture.hpp"
#include "process/environment.hpp"
#include "process/host.hpp"
#include "process/log.hpp"
#include "text/reports.hpp"
#include "tscatter/core/fail.hpp"

namespace tscatter::app {
namespace {

void require_one_stdin(const Job& job, const OperandWord& actual) {
  if (!is_stdin(actual)) return;
  for (const auto& [name, word] : job.operands) {
    // cli.c6
    if (word.form == WordForm::word && is_stdin(word)) {
      fail(ErrorKind::usage, "cli.c6", "--actual",
           "only one operand can be read from stdin, got a second -");
    }
  }
}

struct VerifyFlags {
  Job job;
  std::optional<OperandWord> actual;
  VerifyOptions options;
  DifferenceReport report = {};
  CaseWords of_case = {};
};

// Opens --actual, with the result's dtype if it has none or is opaque.
Tensor open_actual(const VerifyFlags& flags, const Arguments& arguments) {
  const Tensor* data = arguments.find("data");
  std::optional<DType> dtype;
  if (data != nullptr && data->type().dtype != DType::opaque) dtype = data->type().dtype;
  OperandOpener opener(flags.job.base);
  const Tensor actual = opener.open(*flags.actual, {.name = "--actual",
                                                    .role = OperandRole::updates,
                                                    .dtype = dtype,
                                                    .missing = flags.job.missing});
  return dtype ? viewed_as(actual, *dtype) : actual;
}

void require_actual(const VerifyFlags& flags) {
  // cli.c50
  if (!flags.actual) {
    fail(ErrorKind::usage, "cli.c50", "--actual", "must name the result to verify");
  }
}

int verify_result(const VerifyFlags& flags) {
  const LoggedTime time;
  require_actual(flags);
  require_one_stdin(flags.job, *flags.actual);
  require_place(flags.report.heatmap, {{"--actual", flags.actual->text}});
  Job job = flags.job;
  job.has_table_beside = names_table(*flags.actual);
  const Arguments arguments = open_arguments(job);
  const Tensor result = open_actual(flags, arguments);
  log_arguments(arguments);
  log_tensor("actual", result);
  VerifyOptions options = flags.options;
  options.threads = flags.job.threads;
  options.spool_directory = temporary_directory();
  options.stop = InterruptScope::stop();
  options.progress = ProgressLine::of_run();
  if (flags.report.heatmap.word) options.grid = heatmap_limits;
  VerifyLog log;
  options.observer = log.observer();
  const Verification verification = verify(*flags.job.operation, arguments, result, options);
  if (flags.report.heatmap.word) write_heatmap(flags.report.heatmap, heatmap(verification));
  Document document = verdict_document(verification);
  add_casts(document, count_casts(arguments, flags.job.threads, InterruptScope::stop()));
  add_table_headers(document, arguments.operands);
  print_differences(document, flags.report);
  constexpr int not_legal = 1;
  return verification.is_legal() ? 0 : not_legal;
}

int verify_case(VerifyFlags flags) {
  const FoundCase found = open_case_of_job(flags.of_case);
  const int threads = flags.job.threads;
  // cli.c62
  if (!found.each.actual) {
    fail(ErrorKind::usage, "cli.c62", "--case",
         "must be a case with actual (tscatter compare takes one with expected), got {}",
         found.each.name);
  }
  flags.job = found.each.job;
  if (threads > 0) flags.job.threads = threads;
  flags.actual = found.each.actual;
  flags.options.nan = found.each.nan;
  flags.options.subnormals = found.each.subnormals;
  flags.options.nan_bits = found.each.nan_bits;
  flags.options.zeros = found.each.zeros;
  flags.options.blocks = found.each.blocks;
  return verify_result(flags);
}

Flag policy_flag(VerifyFlags& flags) {
  return in_group(
      "Legality",
      value_flag("policy", "NAME",
                 "any: try every combination of the operation's policies to explain wrong elements",
                 one_of<TriedPolicies, TriedPolicies>(flags.options.policies,
                                                      {{"any", TriedPolicies::together}})));
}

std::vector<Flag> legality_flags(VerifyFlags& flags) {
  VerifyOptions& options = flags.options;
  return in_group(
      "Legality",
      {in_group("Operands",
                value_flag("actual", "TENSOR", "the result that something else computed",
                           operand(flags.actual))),
       value_flag("nan", "NAME",
                  "what min and max may do with a NaN besides what the text says (--extremes sets "
                  "which rule the operation has): text (default), propagate, ignore or any",
                  one_of(options.nan, choices_of<NanPolicy>(nan_policy_names))),
       switch_flag("ftz", "subnormal numbers may have been read as zero, and results flushed to it",
                   set_to(options.subnormals, Subnormals::flushed)),
       value_flag("nan-bits", "NAME",
                  "which NaN is legal where one is moved, or stays: the same bits (kept, the "
                  "default), or any",
                  one_of(options.nan_bits, choices_of<OtherBits>(other_bits_names))),
       value_flag("zeros", "NAME",
                  "whether -0 and +0 differ (kept, the default), or either is legal for the other "
                  "(any)",
                  one_of(options.zeros, choices_of<OtherBits>(other_bits_names))),
       value_flag("blocks", "NAME",
                  "without a reduction: what is legal where several entries write one block of "
                  "updates: one of them leaves all of it (whole, the default), or each element is "
                  "of any of them (mixed)",
                  one_of(options.blocks, choices_of<Blocks>(blocks_names))),
       policy_flag(flags)});
}

std::vector<Flag> verdict_flags(VerifyFlags& flags) {
  return difference_flags(flags.report, "the verdict", flags.options.worst, flags.job.threads);
}

Invocation bind_verify(const Operation* operation) {
  const auto flags = std::make_shared<VerifyFlags>();
  flags->job = job_of(*operation);
  return {.flags = joined(operation_flags(flags->job, PolicyNames::keys), legality_flags(*flags),
                          verdict_flags(*flags)),
          .run = [flags](const Messages&) { return verify_result(*flags); }};
}

Invocation bind_verify_word(const Operation* operation) {
  const auto flags = std::make_shared<VerifyFlags>();
  flags->job = job_of_word(*operation);
  return {.arguments = word_arguments(flags->job),
          .flags = joined(flags_beside_operands(flags->job, PolicyNames::keys),
                          legality_flags(*flags), verdict_flags(*flags)),
          .run = [flags](const Messages&) { return verify_result(*flags); }};
}

Invocation bind_verify_case() {
  const auto flags = std::make_shared<VerifyFlags>();
  return {.arguments = {cases_argument(flags->of_case)},
          .flags = joined({case_flag(flags->of_case), policy_flag(*flags)}, verdict_flags(*flags)),
          .run = [flags](const Messages&) { return verify_case(*flags); }};
}

}  // namespace

Command verify_command() {
  return {.name = "verify",
          .summary = "whether a result is legal for some order of the updates",
          .examples = {"tscatter verify ScatterNDUpdate-15 -d data.npy -i indices.npy -u "
                       "updates.npy -r sum --actual device.npy",
                       "tscatter verify ScatterUpdate-3 -d data.npy -i indices.npy -u updates.npy "
                       "-a 0 --actual device.npy --json",
                       "tscatter verify add 'a.npy[ids.npy]' x.npy --actual device.npy",
                       "tscatter verify --case NAME cases.jsonl"},
          .bind = bind_verify,
          .takes_operation = true,
          .bind_word = bind_verify_word,
          .bind_case = bind_verify_case};
}

}  // namespace tscatter::app
