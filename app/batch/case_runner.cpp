#include "batch/case_runner.hpp"

#include <chrono>
#include <filesystem>
#include <new>
#include <utility>
#include <variant>

#include "batch/archive_turn.hpp"
#include "batch/captured_output.hpp"
#include "batch/file_name.hpp"
#include "jobs/leftover.hpp"
#include "jobs/result.hpp"
#include "pictures/heatmap.hpp"
#include "process/environment.hpp"
#include "process/signals.hpp"
#include "text/census_text.hpp"
#include "text/json_line.hpp"
#include "text/verdict_text.hpp"
#include "tscatter/apply.hpp"
#include "tscatter/compare/census.hpp"
#include "tscatter/core/fail.hpp"
#include "tscatter/io/formats/npy_file.hpp"
#include "tscatter/verify/verify.hpp"

namespace tscatter::app {

struct CaseOutcome {
  CaseState state = CaseState::passed;
  std::string label = {};
  std::string message = {};
  std::optional<Census> census = {};
  std::optional<Verification> verification = {};
  bool is_about_case = false;  // the case itself is wrong, which no xfail excuses
};

namespace {

RunOptions run_options(const Job& job, int threads) {
  return {.threads = job.threads > 0 ? job.threads : threads,
          .stop = InterruptScope::stop(),
          .counting = Counting::left_out};
}

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

std::optional<DType> dtype_of_data(const Arguments& arguments) {
  const Tensor* data = arguments.find("data");
  if (data == nullptr || data->type().dtype == DType::opaque) return std::nullopt;
  return data->type().dtype;
}

// Opens `expected` or `actual`, with the result's dtype if it has none or is opaque.
Tensor open_beside(const BatchCase& each, const OperandWord& word, const std::string& key,
                   std::optional<DType> dtype) {
  OperandOpener opener(each.job.base);
  const Tensor tensor =
      opener.open(word, {.name = key, .role = OperandRole::updates, .dtype = dtype});
  return dtype ? viewed_as(tensor, *dtype) : tensor;
}

// Whether the golden does not exist. A file that exists but cannot be read must not be overwritten.
bool is_missing(const BatchCase& each, const Error& error) {
  const std::string& text = each.expected->text;
  const std::optional<MemberName> member = member_name(each.job.base, text);
  if (member && error.label() == member->format->no_member) return true;
  std::error_code ignored;
  const std::filesystem::path path = each.job.base / (member ? member->archive : text);
  return std::filesystem::status(path, ignored).type() == std::filesystem::file_type::not_found;
}

// The golden, or why it is missing.
std::variant<Tensor, Error> open_golden(const BatchCase& each, std::optional<DType> dtype) {
  try {
    return open_beside(each, *each.expected, "expected", dtype);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::file || !is_missing(each, error)) throw;
    return error;
  }
}

std::unique_ptr<Output> output_of(const Job& job) {
  return open_output(
      {.word = job.output, .name = "output", .base = job.base, .durability = job.durability});
}

void require_one_output(const Job& job) {
  // cli.c11
  if (job.placement == Placement::in_place && job.output) {
    fail(ErrorKind::usage, "cli.c11", "output", "must not be given with a change in place, got {}",
         *job.output);
  }
}

// Opens the job; rolls back and reports what a killed run in place left.
OpenedJob open_reported(const Job& job) {
  OpenedJob opened = open_job(job);
  if (opened.in_place != nullptr) {
    report_leftover(job.operands.find("data")->second.text, opened.in_place->leftover(),
                    Recovery::done);
  }
  return opened;
}

// Runs a job that asserts nothing, for its output. Returns what it wrote.
std::string write_output(const Job& job, int threads) {
  require_one_output(job);
  const auto [in_place, arguments] = open_reported(job);
  RunOptions options = run_options(job, threads);
  if (in_place == nullptr) {
    const auto turn = archive_turn(job.base, *job.output);
    apply_to(*output_of(job), *job.operation, arguments, options);
    return *job.output;
  }
  options.stop = nullptr;  // a change in place is finished first
  apply_to(*in_place, *job.operation, arguments, options);
  return job.operands.find("data")->second.text;
}

// Throws the job's error, if it has one. Writes nothing either way.
void run_for_refusal(const Job& job, int threads) {
  require_one_output(job);
  if (job.output) output_of(job);
  const auto [in_place, arguments] = open_job(job, Recovery::checked);
  if (in_place != nullptr) {
    check(*job.operation, arguments, run_options(job, threads), Placement::in_place);
    return;
  }
  CapturedOutput output;
  apply(*job.operation, arguments, output, run_options(job, threads));
}

CaseOutcome failed(std::string label, std::string message) {
  return {.state = CaseState::failed, .label = std::move(label), .message = std::move(message)};
}

CaseOutcome failed(const Error& error) { return failed(error.label(), sentence(error)); }

CaseOutcome about_case(const Error& error) {
  CaseOutcome came = failed(error);
  came.is_about_case = true;
  return came;
}

CaseOutcome refusal(const BatchCase& each, int threads) {
  std::string got = "a result";
  try {
    if (each.job_error) throw Error(*each.job_error);
    run_for_refusal(each.job, threads);
  } catch (const Error& error) {
    if (error.label() == *each.expected_error) return {};
    got = escape_control(error.what());
  }
  // batch.b8
  return failed("batch.b8",
                fmt::format("the job must be refused by {}, got {}", *each.expected_error, got));
}

// Turns whatever a case throws into an outcome.
template <class Run>
CaseOutcome caught(const Run& run) {
  try {
    return run();
  } catch (const Cancelled&) {
    return {.state = CaseState::not_run, .message = "interrupted"};
  } catch (const Error& error) {
    return error.kind() == ErrorKind::rule ? failed(error) : about_case(error);
  } catch (const std::bad_alloc&) {
    // memory.m1
    return about_case(Error(ErrorKind::file, "memory.m1", "tscatter",
                            "there must be memory for the run, got none"));
  } catch (const std::exception& error) {
    // internal.i1
    return about_case(Error(ErrorKind::internal, "internal.i1", "tscatter",
                            std::string("must not fail so, got ") + error.what()));
  }
}

// Applies the case's xfail to its outcome.
CaseOutcome excused(const BatchCase& each, CaseOutcome came) {
  if (!each.xfail || came.is_about_case || came.state == CaseState::not_run) return came;
  if (came.state == CaseState::failed) {
    came.state = CaseState::xfailed;
    came.label.clear();
    came.message = *each.xfail;
    came.census.reset();
    came.verification.reset();
    return came;
  }
  // batch.b9
  return {.state = CaseState::xpassed,
          .label = "batch.b9",
          .message = fmt::format("a case with xfail must fail, got a pass where it says: {}",
                                 *each.xfail)};
}

}  // namespace

GoldenTurn CaseRunner::announce(const BatchCase& each) {
  const bool has_golden = each.expected && each.expected->form == WordForm::path;
  if (!options_.updates_golden || !has_golden) return {};
  return update_.announce(each);
}

CaseResult CaseRunner::run(const BatchCase& each, int threads) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point begin = Clock::now();
  CaseOutcome came = outcome(each, threads);
  CaseResult result{.line = each.line,
                    .place = each.place,
                    .name = each.name,
                    .repeats_name = each.repeats_name,
                    .state = came.state,
                    .label = std::move(came.label),
                    .message = without_place(std::move(came.message), each.place)};
  if (came.census) {
    const Document document = census_document(*came.census);
    if (options_.census.text) result.census_text = document_text(document);
    if (options_.census.json) result.census_json = written_json(document);
    if (came.census->grid) result.heatmap = heatmap_png(*came.census);
  }
  if (came.verification) {
    const Document document = verdict_document(*came.verification, VerdictPlace::first);
    if (options_.census.text) result.census_text = document_text(document);
    if (options_.census.json) result.verdict_json = written_json(document);
  }
  result.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  return result;
}

CaseOutcome CaseRunner::outcome(const BatchCase& each, int threads) {
  if (each.error) return about_case(*each.error);
  if (each.job_error && !each.expected_error) return about_case(*each.job_error);
  return excused(each, caught([&]() -> CaseOutcome {
                   if (each.expected_error) return refusal(each, threads);
                   if (each.actual) return comparison(each, threads);
                   if (each.expected) return golden(each, threads);
                   return {.state = CaseState::written, .message = write_output(each.job, threads)};
                 }));
}

CaseOutcome CaseRunner::golden(const BatchCase& each, int threads) {
  const Arguments arguments = open_arguments(each.job);
  const auto expected = open_golden(each, dtype_of_data(arguments));
  const Error* missing = std::get_if<Error>(&expected);
  // batch.b6
  if (missing != nullptr && !may_update(each)) {
    CaseOutcome came = failed(
        "batch.b6",
        fmt::format("expected: must be a golden that can be read (--update-golden writes it), got "
                    "{}",
                    sentence(*missing)));
    came.is_about_case = true;
    return came;
  }
  CapturedOutput captured;
  apply(*each.job.operation, arguments, captured, run_options(each.job, threads));
  const Tensor actual = captured.tensor("output");
  if (each.job.output) {
    const auto turn = archive_turn(each.job.base, *each.job.output);
    write_tensor(actual, *output_of(each.job));
  }
  if (missing != nullptr) return written_anew(each, actual, "new");
  CaseOutcome came = judged(each, actual, std::get<Tensor>(expected), threads);
  if (came.state == CaseState::failed && !each.xfail) came.message += keep_output(each, actual);
  return came;
}

CaseOutcome CaseRunner::comparison(const BatchCase& each, int threads) {
  if (!each.expected) return verified(each, threads);
  const OpenedJob opened = open_reported(each.job);
  const std::optional<DType> dtype = dtype_of_data(opened.arguments);
  const Tensor actual = open_beside(each, *each.actual, "actual", dtype);
  return judged(each, actual, open_beside(each, *each.expected, "expected", dtype), threads);
}

CaseOutcome CaseRunner::verified(const BatchCase& each, int threads) {
  const OpenedJob opened = open_reported(each.job);
  const Arguments& arguments = opened.arguments;
  const Tensor actual = open_beside(each, *each.actual, "actual", dtype_of_data(arguments));
  Verification verification = verify(*each.job.operation, arguments, actual,
                                     {.nan = each.nan,
                                      .subnormals = each.subnormals,
                                      .threads = run_options(each.job, threads).threads,
                                      .spool_directory = temporary_directory(),
                                      .stop = InterruptScope::stop()});
  if (verification.is_legal()) return {};
  // batch.b5
  CaseOutcome came = failed("batch.b5", verdict_line(verification));
  came.verification = std::move(verification);
  return came;
}

CaseOutcome CaseRunner::judged(const BatchCase& each, const Tensor& actual, const Tensor& expected,
                               int threads) {
  CompareOptions options{.tolerance = each.tolerance,
                         .threads = run_options(each.job, threads).threads,
                         .stop = InterruptScope::stop()};
  Census census = compare(actual, expected, options);
  if (census.is_match()) {
    if (may_update(each)) update_.keep(each);
    return {};
  }
  if (may_update(each)) return written_anew(each, actual, census_line(census));
  constexpr int most_pictures = 1000;  // a report with more of them could not be opened
  if (options_.census.heatmap && !each.xfail && pictures_++ < most_pictures) {
    options.grid.emplace();
    census = compare(actual, expected, options);
  }
  // batch.b7
  CaseOutcome came = failed("batch.b7", census_line(census));
  came.census = std::move(census);
  return came;
}

CaseOutcome CaseRunner::written_anew(const BatchCase& each, const Tensor& actual,
                                     std::string message) {
  update_.write(each, actual);
  return {.state = CaseState::updated,
          .message = fmt::format("{}: {}", escape_control(each.expected->text), message)};
}

// Whether the golden may be rewritten: not if it is inline, nor for a known failure.
bool CaseRunner::may_update(const BatchCase& each) const {
  return options_.updates_golden && !each.xfail && !each.actual &&
         each.expected->form == WordForm::path;
}

// Returns a message about the output, kept or not; the case has already failed.
std::string CaseRunner::keep_output(const BatchCase& each, const Tensor& actual) const {
  if (options_.failed_dir.empty()) return {};
  try {
    NpyFileOutput output(kept_path(options_.failed_dir, each.name));
    write_tensor(actual, output);
    return {};
  } catch (const Error& error) {
    return std::string("; its output is not kept: ") + error.what();
  }
}

}  // namespace tscatter::app
