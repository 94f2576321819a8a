#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <utility>

#include "batch/run/case_job.hpp"
#include "cli/targets.hpp"
#include "commands/commands.hpp"
#include "commands/compare_archives.hpp"
#include "commands/difference_report.hpp"
#include "commands/operation_flags.hpp"
#include "jobs/captured_output.hpp"
#include "jobs/compare_numbers.hpp"
#include "jobs/operand.hpp"
#include "jobs/result.hpp"
#include "jobs/run_log.hpp"
#include "pictures/heatmap.hpp"
#include "process/progress_line.hpp"
#include "process/signals.hpp"
#include "text/number_text.hpp"
#include "text/reports.hpp"
#include "tscatter/apply/apply.hpp"
#include "tscatter/compare/census.hpp"
#include "tscatter/core/fail.hpp"

namespace tscatter::app {
namespace {

// The two operands. Values without a dtype take the other side's, if they fit.
class OperandPair {
 public:
  OperandPair(OperandWord actual, OperandWord expected, std::optional<DType> asked, Missing missing)
      : actual_{std::move(actual)},
        expected_{std::move(expected)},
        asked_{asked},
        missing_{missing} {}

  std::pair<Tensor, Tensor> open() {
    // Stdin can be read only once, so it comes last, when the other side's dtype is known.
    if (is_stdin(actual_)) {
      auto [expected, actual] = open(expected_, "EXPECTED", actual_, "ACTUAL");
      return {std::move(actual), std::move(expected)};
    }
    return open(actual_, "ACTUAL", expected_, "EXPECTED");
  }

 private:
  std::pair<Tensor, Tensor> open(const OperandWord& one, const std::string& one_name,
                                 const OperandWord& other, const std::string& other_name) {
    Tensor first = open_one(one, one_name, asked_);
    const bool other_is_stdin = is_stdin(other);
    Tensor second = open_one(other, other_name, other_is_stdin ? dtype_for(first) : asked_);
    if (asked_) return {viewed(first), viewed(second)};
    if (first.type().dtype == second.type().dtype) return {std::move(first), std::move(second)};
    if (!other_is_stdin) {
      if (auto fitted = opened_as(other, other_name, first)) return {std::move(first), *fitted};
    }
    if (auto fitted = opened_as(one, one_name, second)) return {*fitted, std::move(second)};
    return {std::move(first), std::move(second)};
  }

  Tensor open_one(const OperandWord& word, const std::string& name, std::optional<DType> dtype) {
    return opener_.open(
        word, {.name = name, .role = OperandRole::data, .dtype = dtype, .missing = missing_});
  }

  // Reads the word again, with the dtype of `other` for values without one; nullopt if they have
  // one or do not fit.
  std::optional<Tensor> opened_as(const OperandWord& word, const std::string& name,
                                  const Tensor& other) {
    const std::optional<DType> wanted = dtype_for(other);
    if (!wanted) return std::nullopt;
    try {
      Tensor tensor = open_one(word, name, wanted);
      if (tensor.type().dtype == *wanted) return tensor;
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::usage && error.kind() != ErrorKind::format) throw;
    }
    return std::nullopt;
  }

  std::optional<DType> dtype_for(const Tensor& other) const {
    if (asked_) return asked_;
    if (other.type().dtype == DType::opaque) return std::nullopt;
    return other.type().dtype;
  }

  Tensor viewed(const Tensor& tensor) const {
    Tensor viewed = viewed_as_asked(tensor, *asked_);
    require_dtype(viewed, *asked_, "--dtype");
    return viewed;
  }

  OperandWord actual_;
  OperandWord expected_;
  std::optional<DType> asked_;
  Missing missing_;
  OperandOpener opener_{{}};
};

double parse_bound(const std::string& text, const std::string& where) {
  const auto bound = number_in<double>(text);
  // cli.c20
  if (!bound || !std::isfinite(*bound) || *bound < 0)
    fail(ErrorKind::usage, "cli.c20", where, "must be a finite number >= 0, got {}", text);
  return *bound;
}

std::uint64_t parse_ulp(const std::string& text, const std::string& where) {
  const auto count = number_in<std::uint64_t>(text);
  // cli.c20
  if (!count) fail(ErrorKind::usage, "cli.c20", where, "must be an integer >= 0, got {}", text);
  return *count;
}

struct CompareFlags {
  OperandWord actual;
  OperandWord expected;
  std::optional<DType> dtype;  // how opaque small records and untyped values are read
  Missing missing = Missing::refused;
  DifferenceReport report = {};
  CompareOptions options;
  CaseWords of_case = {};
};

constexpr int difference_found = 1;  // the exit code

CompareOptions options_of_run(const CompareFlags& flags) {
  CompareOptions options = flags.options;
  options.stop = InterruptScope::stop();
  options.progress = ProgressLine::of_run();
  return options;
}

int compare_opened(const CompareFlags& flags, const Tensor& got, const Tensor& wanted) {
  log_tensor("actual", got);
  log_tensor("expected", wanted);
  CompareOptions options = options_of_run(flags);
  if (flags.report.heatmap.word) options.grid = heatmap_limits;
  const Census census = compare_numbers(got, wanted, options);
  if (flags.report.heatmap.word) write_heatmap(flags.report.heatmap, heatmap(census));
  Document document = census_document(census);
  add_table_headers(document, {{"actual", got}, {"expected", wanted}});
  print_differences(document, flags.report);
  return census.is_match() ? 0 : difference_found;
}

// The result of a case, and what it should be, with its tolerance.
int compare_case(CompareFlags flags) {
  const LoggedTime time;
  const FoundCase found = open_case(flags.of_case);
  const BatchCase& each = found.each;
  // cli.c62
  if (!each.expected) {
    fail(ErrorKind::usage, "cli.c62", "--case",
         "must be a case with expected (tscatter verify takes one with actual alone), got {}",
         each.name);
  }
  require_place(flags.report.heatmap, {});
  const Arguments arguments = open_arguments(each.job);
  const std::optional<DType> dtype = dtype_of_data(arguments);
  const Tensor wanted = open_beside(each, *each.expected, "expected", dtype);
  flags.options.tolerance = tolerance_of(each, dtype);
  if (each.actual)
    return compare_opened(flags, open_beside(each, *each.actual, "actual", dtype), wanted);
  CapturedOutput captured;
  apply(*each.job.operation, arguments, captured,
        run_options(each.job, arguments, flags.options.threads));
  return compare_opened(flags, captured.tensor("output"), wanted);
}

int compare_tensors(const CompareFlags& flags) {
  const LoggedTime time;
  require_place(flags.report.heatmap,
                {{"ACTUAL", flags.actual.text}, {"EXPECTED", flags.expected.text}});
  require_table(flags.missing, names_table(flags.actual) || names_table(flags.expected),
                "--missing");
  const auto [got, wanted] =
      OperandPair(flags.actual, flags.expected, flags.dtype, flags.missing).open();
  return compare_opened(flags, got, wanted);
}

// The archive that the word names by itself; nullptr if it names none, or a member.
std::unique_ptr<Archive> archive_of(const OperandWord& word, const std::string& name) {
  if (!names_a_path(word, {.name = name, .dtype = {}})) return nullptr;
  return archive_named(word.text);
}

void require_tensors(const CompareFlags& flags) {
  const bool has_missing = flags.missing != Missing::refused;
  // cli.c82
  if (flags.dtype || has_missing || flags.report.heatmap.word) {
    fail(ErrorKind::usage, "cli.c82",
         flags.dtype   ? "--dtype"
         : has_missing ? "--missing"
                       : "--heatmap",
         "must be given with two tensors, got the archives {} and {}", flags.actual.text,
         flags.expected.text);
  }
}

int compare_operands(const CompareFlags& flags) {
  const auto actual = archive_of(flags.actual, "ACTUAL");
  const auto expected = actual == nullptr ? nullptr : archive_of(flags.expected, "EXPECTED");
  if (expected == nullptr) return compare_tensors(flags);
  require_tensors(flags);
  const ArchiveComparison comparison = compare_archives(*actual, *expected, options_of_run(flags));
  print(report_text(comparison_document(comparison), flags.report.form));
  return comparison.is_match() ? 0 : difference_found;
}

std::vector<Argument> arguments_of(CompareFlags& flags) {
  return {{.name = "ACTUAL",
           .help = "a file, -, inline JSON or a typed literal",
           .into = operand(flags.actual)},
          {.name = "EXPECTED",
           .help = "the same; what ACTUAL should be",
           .into = operand(flags.expected)}};
}

std::vector<Flag> tolerance_flags(Tolerance& tolerance) {
  constexpr std::string_view group = "Tolerance (without one: exact, bit for bit)";
  return {{.name = "rtol",
           .group = group,
           .value = "R",
           .help = "allow |actual - expected| <= atol + rtol * |expected|",
           .into = parsed(tolerance.rtol, parse_bound)},
          {.name = "atol",
           .group = group,
           .value = "A",
           .help = "see --rtol; each is 0 where only the other is given",
           .into = parsed(tolerance.atol, parse_bound)},
          {.name = "max-ulp",
           .group = group,
           .value = "U",
           .help = "allow U representable values between the two",
           .into = parsed(tolerance.max_ulp, parse_ulp)},
          {.name = "equal-nan",
           .group = group,
           .help = "any NaN equals any NaN",
           .into = turn_on(tolerance.equal_nan)}};
}

std::vector<Flag> census_flags(CompareFlags& flags) {
  return difference_flags(flags.report, "the census", flags.options.worst, flags.options.threads);
}

Invocation bind_compare(const Operation*) {
  const auto flags = std::make_shared<CompareFlags>();
  return {.arguments = arguments_of(*flags),
          .flags = joined(joined({dtype_flag(dtype(flags->dtype)), missing_flag(flags->missing)},
                                 tolerance_flags(flags->options.tolerance)),
                          census_flags(*flags)),
          .run = [flags](const Messages&) { return compare_operands(*flags); }};
}

Invocation bind_compare_case() {
  const auto flags = std::make_shared<CompareFlags>();
  return {.arguments = {cases_argument(flags->of_case)},
          .flags = joined({case_flag(flags->of_case)}, census_flags(*flags)),
          .run = [flags](const Messages&) { return compare_case(*flags); }};
}

}  // namespace

Command compare_command() {
  return {.name = "compare",
          .summary = "the differences between two tensors, or two archives",
          .examples = {"tscatter compare out.npy golden.npy",
                       "tscatter compare out.npy golden.npy --rtol 1e-3 --atol 1e-6",
                       "tscatter compare out.npy '[1, 2, 3]' --max-ulp 2 --equal-nan",
                       "tscatter compare out.npy golden.npy --json --heatmap differences.svg",
                       "tscatter compare tuned.safetensors base.safetensors",
                       "tscatter compare --case NAME cases.jsonl"},
          .bind = bind_compare,
          .bind_case = bind_compare_case};
}

}  // namespace tscatter::app
