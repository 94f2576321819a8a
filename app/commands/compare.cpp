#include <fmt/ranges.h>

#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

#include "batch/run/case_job.hpp"
#include "cli/targets.hpp"
#include "commands/batch.hpp"
#include "commands/commands.hpp"
#include "commands/difference_report.hpp"
#include "commands/operation_flags.hpp"
#include "compare/archives.hpp"
#include "compare/sides.hpp"
#include "jobs/job_json.hpp"
#include "jobs/operand.hpp"
#include "jobs/result.hpp"
#include "jobs/run_log.hpp"
#include "pictures/picture.hpp"
#include "process/errors.hpp"
#include "process/host.hpp"
#include "process/log.hpp"
#include "text/figure.hpp"
#include "text/number_text.hpp"
#include "text/quoting.hpp"
#include "text/reports.hpp"
#include "tscatter/apply/apply.hpp"
#include "tscatter/compare/census.hpp"
#include "tscatter/core/characters.hpp"
#include "tscatter/core/fail.hpp"

namespace tscatter::app {
namespace {

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

// Tolerances by dtype, of a file or inline: what a batch has as its defaults, alone or under that
// key.
std::shared_ptr<const CaseDefaults> read_tolerances(const std::string& word,
                                                    const std::string& where) {
  const bool is_inline = trimmed(word).starts_with('{');
  const std::string path = is_inline ? where : word;
  const nlohmann::json object = json_tree(is_inline ? word : text_of_job(open_settled(word, word)),
                                          {.name = path, .subject = "tolerances by dtype"});
  const auto defaults = object.find(defaults_key);
  // job.j16
  if (defaults != object.end() && object.size() > 1)
    fail(ErrorKind::usage, "job.j16", where,
         "must have defaults alone, got other keys beside them");
  return std::make_shared<const CaseDefaults>(
      read_defaults(defaults == object.end() ? object : *defaults, path));
}

struct CompareFlags {
  OperandWord actual;
  OperandWord expected;
  std::optional<DType> dtype;  // how opaque small records and untyped values are read
  Missing missing = Missing::refused;
  DifferenceReport report = {};
  CompareOptions options;  // but its tolerance
  GivenTolerance tolerance = {};
  std::shared_ptr<const CaseDefaults> defaults = {};  // --tolerances
  BatchFlags batch = {};                              // of a comparison of folders
  std::vector<std::string> of_tensors = {};           // flags given that two tensors alone have
  std::vector<std::string> of_folders = {};           // and two folders alone
  std::vector<std::string> of_listings = {};          // and all but folders
  std::vector<std::string> tolerance_words = {};      // of a command line
  CaseWords of_case = {};

  bool has_bfloat16() const { return defaults && defaults->has(DType::bfloat16); }
  Tolerance tolerance_of(std::optional<DType> dtype) const {
    return app::tolerance_of(tolerance, defaults.get(), dtype);
  }
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

int compare_all(const CompareFlags& flags, const ArchivePair& archives,
                const ToleranceOf& tolerance_of, bool has_bfloat16) {
  const ArchiveComparison comparison = compare_archives(
      *archives.actual, *archives.expected, options_of_run(flags), tolerance_of, has_bfloat16);
  print(report_text(comparison_document(comparison), flags.report.form));
  return comparison.is_match() ? 0 : difference_found;
}

// The two sides of a case without an operation.
int compare_sides(CompareFlags flags, const BatchCase& each) {
  const ToleranceOf of_case = [&](std::optional<DType> dtype) { return tolerance_of(each, dtype); };
  const ComparedSides both = open_both(each);
  if (const auto* archives = std::get_if<ArchivePair>(&both))
    return compare_all(flags, *archives, of_case, has_bfloat16(each));
  if (const auto* missing = std::get_if<MissingGolden>(&both)) throw Error(missing->error);
  const auto& [actual, expected] = std::get<std::pair<Tensor, Tensor>>(both);
  flags.options.tolerance = of_case(numeric_dtype(actual));
  return compare_opened(flags, actual, expected);
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
  if (each.has_no_job()) return compare_sides(flags, each);
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

int compare_tensors(CompareFlags flags, const Side& actual, const Side& expected) {
  const LoggedTime time;
  require_place(flags.report.heatmap,
                {{"ACTUAL", flags.actual.text}, {"EXPECTED", flags.expected.text}});
  require_table(flags.missing, names_table(flags.actual) || names_table(flags.expected),
                "--missing");
  const auto [got, wanted] = open_sides(
      actual, expected,
      {.dtype = flags.dtype, .missing = flags.missing, .has_bfloat16 = flags.has_bfloat16()});
  flags.options.tolerance = flags.tolerance_of(numeric_dtype(got));
  return compare_opened(flags, got, wanted);
}

// Throws unless the flags that were given are those of what is compared.
void require_none(const std::vector<std::string>& given, std::string_view wanted,
                  const CompareFlags& flags, std::string_view got) {
  if (given.empty()) return;
  // cli.c82
  fail(ErrorKind::usage, "cli.c82", given.front(), "is for {}, got {} {} and {}", wanted, got,
       flags.actual.text, flags.expected.text);
}

void say_others(const std::vector<std::string>& others) {
  constexpr std::size_t most = 20;
  if (others.empty()) return;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < std::min(others.size(), most); ++i)
    names.push_back(escape_control(others[i]));
  if (others.size() > most) names.push_back(fmt::format("and {} more", others.size() - most));
  print_error(warning_line(
      fmt::format("compare: skipped, no tensor file by its ending: {}", fmt::join(names, ", "))));
}

// A line for each pair: its name, and the paths, - for one that is not there.
void print_pairs(const FilePairs& files, ReportForm form) {
  std::string text;
  for (const FilePair& each : files.pairs) {
    const auto actual = each.has_actual ? std::optional(as_text(each.actual)) : std::nullopt;
    const auto expected = each.has_expected ? std::optional(as_text(each.expected)) : std::nullopt;
    if (form == ReportForm::json) {
      text += json_line({{"name", as_text(each.name)}, {"actual", actual}, {"expected", expected}});
    } else {
      text +=
          fmt::format("{}\t{}\t{}\n", escape_control(each.name),
                      escape_control(actual.value_or("-")), escape_control(expected.value_or("-")));
    }
  }
  print(text);
}

int compare_folders(const CompareFlags& flags, const Messages& messages) {
  require_none(flags.of_tensors, "two tensors", flags, "the folders");
  require_none(flags.of_listings, "two tensors or archives", flags, "the folders");
  // cli.c120
  if (flags.batch.lists && flags.of_folders.size() > 1) {
    const auto other = std::ranges::find_if(
        flags.of_folders, [](const std::string& each) { return each != "--list"; });
    if (other != flags.of_folders.end())
      fail(ErrorKind::usage, "cli.c120", *other, "must be left out beside --list");
  }
  FilePairs files = pair_files(flags.actual.text, flags.expected.text);
  say_others(files.others);
  // batch.b1
  if (files.pairs.empty()) {
    fail(ErrorKind::usage, "batch.b1", "compare", "no file of tensors is in {} and {}",
         flags.actual.text, flags.expected.text);
  }
  if (flags.batch.lists) {
    print_pairs(files, flags.report.form);
    return 0;
  }
  BatchFlags batch = flags.batch;
  batch.cases = {flags.actual.text, flags.expected.text};
  batch.pairs = std::make_shared<const PairedCases>(
      PairedCases{.pairs = std::move(files.pairs),
                  .tolerance = flags.tolerance,
                  .defaults = flags.defaults,
                  .flags = fmt::format("{}", fmt::join(flags.tolerance_words, ""))});
  batch.threads = flags.options.threads;
  batch.is_forced = flags.report.heatmap.replacing == Replacing::any_kind;
  batch.wants_json = flags.report.form == ReportForm::json;
  batch.unreferenced = Unreferenced::ignore;
  return run_batch(batch, messages);
}

bool is_folder(const OperandWord& word) {
  return word.form != WordForm::json && !is_stdin(word) && names_folder(word.text);
}

int compare_operands(const CompareFlags& flags, const Messages& messages) {
  if (is_folder(flags.actual) || is_folder(flags.expected)) return compare_folders(flags, messages);
  const Side actual = side_of(flags.actual, "ACTUAL");
  const Side expected = side_of(flags.expected, "EXPECTED");
  require_none(flags.of_folders, "two folders", flags, "the files");
  const auto archives = open_archives(actual, expected);
  if (!archives) return compare_tensors(flags, actual, expected);
  require_none(flags.of_tensors, "two tensors", flags, "the archives");
  return compare_all(
      flags, *archives, [&](std::optional<DType> dtype) { return flags.tolerance_of(dtype); },
      flags.has_bfloat16());
}

std::vector<Argument> arguments_of(CompareFlags& flags) {
  return {{.name = "ACTUAL",
           .help = "a file, -, inline JSON or a typed literal; a folder, or a pattern of files",
           .into = operand(flags.actual)},
          {.name = "EXPECTED",
           .help = "the same; what ACTUAL should be",
           .into = operand(flags.expected)}};
}

// A flag that the command line of one pair repeats.
Flag repeated(std::vector<std::string>& words, Flag flag) {
  flag.into.set = [&words, name = flag.name, takes_value = !flag.value.empty(),
                   set = std::move(flag.into.set)](const std::string& text,
                                                   const std::string& where) {
    set(text, where);
    words.push_back(takes_value ? fmt::format(" --{} {}", name, shell_word(text)) : " --" + name);
  };
  return flag;
}

std::vector<Flag> tolerance_flags(CompareFlags& flags) {
  GivenTolerance& tolerance = flags.tolerance;
  std::vector<Flag> all = in_group(
      "Tolerance (without one: exact, bit for bit)",
      {value_flag("rtol", "R", "allow |actual - expected| <= atol + rtol * |expected|",
                  parsed(tolerance.rtol, parse_bound)),
       value_flag("atol", "A", "see --rtol; each is 0 where only the other is given",
                  parsed(tolerance.atol, parse_bound)),
       value_flag("max-ulp", "U", "allow U representable values between the two",
                  parsed(tolerance.max_ulp, parse_ulp)),
       switch_flag("equal-nan", "any NaN equals any NaN",
                   set_to(tolerance.equal_nan, std::optional(true))),
       value_flag("tolerances", "FILE", R"(these by dtype, as JSON: {"float16": {"rtol": 1e-2}})",
                  parsed(flags.defaults, read_tolerances))});
  for (Flag& each : all) each = repeated(flags.tolerance_words, std::move(each));
  return all;
}

std::vector<Flag> folder_flags(CompareFlags& flags) {
  std::vector<Flag> all = in_group(
      "Folders", {switch_flag("list", "print what would be compared: the name, and both paths",
                              turn_on(flags.batch.lists)),
                  details_flag(flags.batch), junit_flag(flags.batch), html_flag(flags.batch)});
  for (Flag& each : all) each = noting(flags.of_folders, std::move(each));
  return all;
}

std::vector<Flag> census_flags(CompareFlags& flags) {
  return difference_flags(flags.report, "the census", flags.options.worst, flags.options.threads);
}

// Flags of two tensors are noted.
std::vector<Flag> flags_of(CompareFlags& flags) {
  std::vector<Flag> all = joined({dtype_flag(dtype(flags.dtype)), missing_flag(flags.missing)},
                                 tolerance_flags(flags), census_flags(flags), folder_flags(flags));
  for (Flag& each : all) {
    if (each.name == "dtype" || each.name == "missing" || each.name == "heatmap")
      each = noting(flags.of_tensors, std::move(each));
    if (each.name == "worst") each = noting(flags.of_listings, std::move(each));
    if (each.name == "force") each.only_with = "heatmap junit html";
  }
  return all;
}

Invocation bind_compare(const Operation*) {
  const auto flags = std::make_shared<CompareFlags>();
  return {.arguments = arguments_of(*flags),
          .flags = flags_of(*flags),
          .run = [flags](const Messages& messages) { return compare_operands(*flags, messages); }};
}

Invocation bind_compare_case() {
  const auto flags = std::make_shared<CompareFlags>();
  return {.arguments = {cases_argument(flags->of_case)},
          .flags = joined({case_flag(flags->of_case)}, census_flags(*flags)),
          .run = [flags](const Messages&) { return compare_case(*flags); }};
}

}  // namespace

Command compare_command() {
  return {
      .name = "compare",
      .summary = "the differences between two tensors, archives or folders",
      .examples = {"tscatter compare out.npy golden.npy",
                   "tscatter compare out.npy golden.npy --rtol 1e-3 --atol 1e-6",
                   "tscatter compare out.npy '[1, 2, 3]' --max-ulp 2 --equal-nan",
                   "tscatter compare out.npy golden.npy --json --heatmap differences.svg",
                   "tscatter compare tuned.safetensors base.safetensors",
                   "tscatter compare out/ golden/ --tolerances tolerances.json --html report.html",
                   "tscatter compare --case NAME cases.jsonl"},
      .bind = bind_compare,
      .bind_case = bind_compare_case};
}

}  // namespace tscatter::app
