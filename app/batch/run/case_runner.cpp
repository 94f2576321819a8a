#include "batch/run/case_runner.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <new>
#include <utility>
#include <variant>

#include "batch/plan/file_plan.hpp"
#include "batch/run/case_job.hpp"
#include "compare/archives.hpp"
#include "compare/sides.hpp"
#include "jobs/result.hpp"
#include "pictures/picture.hpp"
#include "process/environment.hpp"
#include "process/errors.hpp"
#include "process/host.hpp"
#include "text/document.hpp"
#include "text/quoting.hpp"
#include "text/reports.hpp"
#include "tscatter/apply/apply.hpp"
#include "tscatter/compare/census.hpp"
#include "tscatter/io/files/file_names.hpp"
#include "tscatter/io/formats/format.hpp"
#include "tscatter/io/formats/npy/npy_file.hpp"
#include "tscatter/verify/verify.hpp"

namespace tscatter::app {
namespace {

// "data: must be …", without the label.
std::string sentence(const Error& error) {
  return escape_control(error.where()) + ": " + escape_control(error.message());
}

// Removes the case's place, which reports add themselves.
std::string without_place(std::string message, const std::string& place) {
  const std::string front = escape_control(place) + ": ";
  if (message.starts_with(front)) message.erase(0, front.size());
  return message;
}

CaseResult failed(std::string label, std::string_view reason, std::string message) {
  return {.reason = std::string(reason),
          .state = CaseState::failed,
          .label = std::move(label),
          .message = std::move(message)};
}

CaseResult failed(const Error& error) {
  return failed(error.label(), reason_of(error), sentence(error));
}

// "values differ: 1 of 3 elements …": the reason first, unless the message says it itself.
std::string told(const CaseResult& came, std::string message) {
  constexpr std::array<std::string_view, 4> said{"", "case is wrong", "passes", "not refused"};
  const bool is_said = std::ranges::count(said, came.reason) > 0;
  if (is_said || message.starts_with(came.reason)) return message;
  return message.empty() ? came.reason : came.reason + ": " + message;
}

CaseResult without_golden(const Error& missing) {
  // batch.b6
  CaseResult came =
      failed("batch.b6", "golden is missing", sentence(missing) + " (--update-golden writes it)");
  came.is_about_case = true;
  return came;
}

CaseResult about_case(const Error& error) {
  CaseResult came = failed(error);
  came.is_about_case = true;
  return came;
}

CaseResult refusal(const BatchCase& each, int threads) {
  std::string got = "a result";
  try {
    if (each.job_error) throw Error(*each.job_error);
    run_for_refusal(each.job, threads);
  } catch (const Error& error) {
    if (error.label() == *each.expected_error) return {};
    got = escape_control(error.what());
  }
  // batch.b8
  return failed("batch.b8", "not refused",
                fmt::format("the job must be refused by {}, got {}", *each.expected_error, got));
}

// What is known of a pair before its files are opened; nullopt: both are files.
std::optional<CaseResult> refused_pair(const BatchCase& each) {
  const FilePair& pair = pair_of(*each.file, each.line);
  if (!pair.has_actual) return failed("file.f1", "file is missing", "");
  if (!pair.has_expected)
    return failed("file.f1", "extra file", escape_control(pair.expected) + " does not exist");
  for (const std::string& path : {pair.actual, pair.expected}) {
    std::error_code ignored;  // the attempt to open it reports what is wrong
    if (std::filesystem::is_other(std::filesystem::status(path, ignored)))
      return failed("file.f2", "file is not usable",
                    escape_control(path) + ": must be a regular file, got a pipe or a device");
    if (npy_format.has_ending(path) && bytes_after_npy(path) > 0)
      return failed(
          "npy.f8", "file is not usable",
          escape_control(path) + ": holds several arrays, of which only the first is read");
  }
  return std::nullopt;
}

// Turns whatever a case throws into an outcome.
template <class Run>
CaseResult caught(const Run& run) {
  try {
    return run();
  } catch (const Cancelled&) {
    return {.state = CaseState::not_run, .message = "interrupted"};
  } catch (const Error& error) {
    return error.kind() == ErrorKind::rule ? failed(error) : about_case(error);
  } catch (const std::bad_alloc&) {
    // memory.m1
    return about_case(Error(ErrorKind::file, "memory.m1", "tscatter", out_of_memory));
  } catch (const std::exception& error) {
    // internal.i1
    return about_case(
        Error(ErrorKind::internal, "internal.i1", "tscatter", internal_error(error.what())));
  }
}

// What --by-word counts besides the words of the name.
void add_words(CaseResult& result, const BatchCase& each) {
  std::vector<std::string>& words = result.words;  // the dtype
  if (!each.has_no_job()) words.insert(words.begin(), std::string(each.job.operation->name));
  const auto reduction = each.job.attributes.find("reduction");
  if (reduction != each.job.attributes.end())
    words.push_back("reduction " + to_string(reduction->second));
}

// The dtype of data, where the case was compared or verified.
std::vector<std::string> words_of_dtype(std::optional<DType> dtype, const FailureWanted& wanted) {
  if (!dtype || !wanted.words) return {};
  return {std::string(info(*dtype).name)};
}

// Applies the case's xfail to its result.
void excuse(CaseResult& result, const BatchCase& each) {
  if (!each.xfail || result.state == CaseState::not_run) return;
  if (result.is_about_case) {
    result.message += " (xfail does not excuse that)";
  } else if (result.state == CaseState::failed) {
    result = {
        .words = std::move(result.words), .state = CaseState::xfailed, .message = *each.xfail};
  } else {
    // batch.b9
    result = {.reason = "passes",
              .state = CaseState::xpassed,
              .label = "batch.b9",
              .message = fmt::format("the case passes, although xfail says: {} (remove xfail)",
                                     *each.xfail)};
  }
}

}  // namespace

GoldenTurn CaseRunner::announce(const BatchCase& each) {
  const bool has_golden = each.expected && each.expected->form == WordForm::path;
  if (!options_.updates_golden || !has_golden || each.skip) return {};
  return update_.announce(each);
}

CaseResult CaseRunner::run(const BatchCase& each, int threads) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point begin = Clock::now();
  CaseResult result = outcome(each, threads);
  set_case(result, each);
  result.message = told(result, without_place(std::move(result.message), each.place));
  if (options_.wanted.words) add_words(result, each);
  if (options_.wanted.details && is_failure(result.state)) add_details(result, each);
  result.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  return result;
}

CaseResult CaseRunner::outcome(const BatchCase& each, int threads) {
  if (each.error) return about_case(*each.error);
  if (each.skip) return {.state = CaseState::skipped, .message = *each.skip};
  if (each.job_error && !each.expected_error) return about_case(*each.job_error);
  return tried(each, threads);
}

// The result of a case that is run, with what its xfail makes of it.
CaseResult CaseRunner::tried(const BatchCase& each, int threads) {
  CaseResult result = caught([&]() -> CaseResult {
    if (each.expected_error) return refusal(each, threads);
    if (each.has_no_job()) return with_nothing_kept(each, compared(each, threads));
    if (each.actual) return with_nothing_kept(each, comparison(each, threads));
    if (each.expected) return golden(each, threads);
    return output(each, threads);
  });
  excuse(result, each);
  return result;
}

CaseResult CaseRunner::output(const BatchCase& each, int threads) const {
  if (options_.is_dry)
    return {.state = CaseState::to_write, .message = tell_output(each.job, threads)};
  return {.state = CaseState::written, .message = write_output(each.job, threads)};
}

Recovery CaseRunner::recovery() const {
  return options_.is_dry ? Recovery::checked : Recovery::done;
}

CaseResult CaseRunner::golden(const BatchCase& each, int threads) {
  const Arguments arguments = open_arguments(each.job);
  const auto expected = open_golden(each, dtype_of_data(arguments));
  const Error* missing = std::get_if<Error>(&expected);
  if (missing != nullptr && !may_update(each)) return without_golden(*missing);
  if (missing != nullptr) update_.require_place(each);
  if (each.job.output) output_of(each.job);  // refuses a wrong word before anything is computed
  CapturedOutput captured;
  apply(*each.job.operation, arguments, captured, run_options(each.job, arguments, threads));
  const Tensor actual = captured.tensor("output");
  if (each.job.output && !options_.is_dry) {
    const auto turn = archive_turn(each.job.base, *each.job.output);
    write_tensor(actual, *output_of(each.job));
  }
  if (missing != nullptr) return written_anew(each, golden_of(actual), "new");
  CaseResult came = judged(each, actual, std::get<Tensor>(expected), threads);
  if (came.state == CaseState::failed && !each.xfail) came.message += keep_output(each, actual);
  return came;
}

// Without an operation.
CaseResult CaseRunner::compared(const BatchCase& each, int threads) {
  if (each.file->pairs) {
    if (auto came = refused_pair(each)) return *std::move(came);
  }
  const ComparedSides both = open_both(each);
  if (const auto* archives = std::get_if<ArchivePair>(&both))
    return judged(each, *archives, threads);
  if (const auto* missing = std::get_if<MissingGolden>(&both)) {
    if (each.file->pairs) return failed(missing->error);  // a link that leads nowhere
    if (!may_update(each)) return without_golden(missing->error);
    if (missing->is_archive) {
      GoldenUpdate::require_place_of_file(each);
      return written_anew(each, golden_of_file(each), "new");
    }
    update_.require_place(each);
    return written_anew(each, golden_of(open_beside(each, *each.actual, "actual", {})), "new");
  }
  const auto& [actual, expected] = std::get<std::pair<Tensor, Tensor>>(both);
  return judged(each, actual, expected, threads);
}

CaseResult CaseRunner::judged(const BatchCase& each, const ArchivePair& archives, int threads) {
  ArchiveComparison comparison = compare_archives(
      *archives.actual, *archives.expected,
      {.threads = threads_of(each.job, threads), .stop = InterruptScope::stop()},
      [&](std::optional<DType> dtype) { return tolerance_of(each, dtype); }, has_bfloat16(each));
  if (comparison.is_match()) {
    if (may_update(each)) update_.keep(each, golden_of_file(each));
    return {};
  }
  if (may_update(each))
    return written_anew(each, golden_of_file(each), "tensors differ: " + figures_line(comparison));
  // batch.b7
  CaseResult came = failed("batch.b7", "tensors differ", figures_line(comparison));
  if (!each.xfail) show(came, comparison, options_.wanted);
  return came;
}

CaseResult CaseRunner::comparison(const BatchCase& each, int threads) {
  if (!each.expected) return verified(each, threads);
  const OpenedJob opened = open_reported(each.job, recovery());
  const std::optional<DType> dtype = dtype_of_data(opened.arguments);
  const Tensor actual = open_beside(each, *each.actual, "actual", dtype);
  return judged(each, actual, open_beside(each, *each.expected, "expected", dtype), threads);
}

CaseResult CaseRunner::verified(const BatchCase& each, int threads) {
  const OpenedJob opened = open_reported(each.job, recovery());
  const Arguments& arguments = opened.arguments;
  const Tensor actual = open_beside(each, *each.actual, "actual", dtype_of_data(arguments));
  VerifyOptions options{.nan = each.nan,
                        .subnormals = each.subnormals,
                        .nan_bits = each.nan_bits,
                        .zeros = each.zeros,
                        .blocks = each.blocks,
                        .threads = threads_of(each.job, threads),
                        .spool_directory = temporary_directory(),
                        .stop = InterruptScope::stop()};
  if (options_.wanted.heatmap) options.grid = report_limits;
  Verification verification = verify(*each.job.operation, arguments, actual, options);
  std::vector<std::string> words = words_of_dtype(dtype_of_data(arguments), options_.wanted);
  if (verification.is_legal()) return {.words = std::move(words)};
  const bool is_shown = options_.wanted.heatmap && !each.xfail && may_draw();
  if (!is_shown) verification.grid.reset();
  // batch.b5
  CaseResult came = failed("batch.b5", "not legal", verdict_line(verification));
  came.words = std::move(words);
  if (!each.xfail) show(came, verification, options_.wanted);
  if (is_shown) came.values = values_of(arguments, actual);
  return came;
}

CaseResult CaseRunner::judged(const BatchCase& each, const Tensor& actual, const Tensor& expected,
                              int threads) {
  const std::optional<DType> dtype = numeric_dtype(actual);
  const bool is_exact = each.file->pairs && !takes_tolerance(dtype);
  CompareOptions options{.tolerance = is_exact ? Tolerance{} : tolerance_of(each, dtype),
                         .threads = threads_of(each.job, threads),
                         .stop = InterruptScope::stop()};
  Census census = compare_numbers(actual, expected, options);
  if (census.is_match()) {
    if (may_update(each)) update_.keep(each, golden_of(actual));
    return {.words = words_of_dtype(numeric_dtype(actual), options_.wanted)};
  }
  if (may_update(each)) return written_anew(each, golden_of(actual), census_line(census));
  if (options_.wanted.heatmap && !each.xfail && may_draw()) {
    options.grid = report_limits;
    census = compare_numbers(actual, expected, options);
  }
  // batch.b7
  CaseResult came = failed("batch.b7", reason_of(census), figures_line(census));
  came.words = words_of_dtype(numeric_dtype(actual), options_.wanted);
  if (!each.xfail) show(came, census, options_.wanted);
  return came;
}

CaseResult CaseRunner::written_anew(const BatchCase& each, const NewGolden& golden,
                                    std::string message) {
  const std::string words = golden_words(each);
  if (!update_.write(each, golden)) return {};
  return {.state = options_.is_dry ? CaseState::to_write : CaseState::updated,
          .message = fmt::format("{}: {}", escape_control(words), message)};
}

// A report with more pictures could not be opened.
bool CaseRunner::may_draw() {
  constexpr int most_pictures = 1000;
  return pictures_++ < most_pictures;
}

bool CaseRunner::may_update(const BatchCase& each) const {
  return options_.updates_golden && each.has_updatable_golden();
}

CaseResult CaseRunner::with_nothing_kept(const BatchCase& each, CaseResult came) const {
  const bool is_asked = !options_.failed_dir.empty() && !options_.is_dry;
  if (is_asked && came.state == CaseState::failed && !each.xfail)
    came.message += "; no output is kept: with actual no job is run";
  return came;
}

// Returns a message about the output, kept or not; the case has already failed.
std::string CaseRunner::keep_output(const BatchCase& each, const Tensor& actual) const {
  if (options_.failed_dir.empty() || options_.is_dry) return {};
  try {
    const std::string path = kept_path(options_.failed_dir, each.name);
    require_own_place(path);
    require_replaceable(
        {.name = "--failed-dir", .word = path, .kind = kind_of(format_of_name(path))},
        options_.replacing);
    NpyFileOutput output(path);
    hold_signals();
    write_tensor(actual, output);
    note_standing();
    return {};
  } catch (const Error& error) {
    return std::string("; its output is not kept: ") + error.what();
  }
}

}  // namespace tscatter::app
