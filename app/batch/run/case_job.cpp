#include "batch/run/case_job.hpp"

#include <cerrno>
#include <filesystem>
#include <utility>

#include "compare/sides.hpp"
#include "jobs/resources.hpp"
#include "jobs/result.hpp"
#include "jobs/written_file.hpp"
#include "process/host.hpp"
#include "tscatter/core/fail.hpp"

namespace tscatter::app {
namespace {

// Whether the golden does not exist. A file that exists but cannot be read must not be overwritten.
bool is_missing(const BatchCase& each, const Error& error) {
  const std::string text = word_behind(each.job.base, each.expected->text);
  const std::optional<MemberName> member = member_name(each.job.base, text);
  if (member && error.label() == member->format->no_member) return true;
  std::error_code ignored;
  const std::filesystem::path path = each.job.base / (member ? member->archive : text);
  return std::filesystem::status(path, ignored).type() == std::filesystem::file_type::not_found;
}

// An archive as a whole is compared with an archive; where a link leads nowhere, none is there yet.
std::unique_ptr<Archive> archive_beside(const BatchCase& each, const Side& expected) {
  if (auto archive = open_archive(expected, each.job.base)) return archive;
  const std::string name = shown_word(each.job.base, expected.word.text);
  std::error_code ignored;
  // file.f1
  if (!std::filesystem::exists(each.job.base / expected.word.text, ignored)) {
    fail(ErrorKind::file, "file.f1", name, "expected cannot be opened: {}", errno_text(ENOENT));
  }
  // cli.c31
  fail(ErrorKind::usage, "cli.c31", name,
       "expected must be an archive, as actual is, got another file");
}

void require_one_output(const Job& job) {
  // cli.c11
  if (job.placement == Placement::in_place && job.output) {
    fail(ErrorKind::usage, "cli.c11", "output",
         "must be left out when data is changed in place, got {}", *job.output);
  }
}

}  // namespace

int threads_of(const Job& job, int threads) { return job.threads > 0 ? job.threads : threads; }

RunOptions run_options(const Job& job, const Arguments& arguments, int threads) {
  return {.threads = threads_of(job, threads),
          .stop = InterruptScope::stop(),
          .counting = Counting::left_out,
          .entry_memory = entry_memory(job.memory_limit, arguments)};
}

std::optional<DType> dtype_of_data(const Arguments& arguments) {
  const Tensor* data = arguments.find("data");
  return data == nullptr ? std::nullopt : numeric_dtype(*data);
}

Tolerance tolerance_of(const GivenTolerance& given, const CaseDefaults* defaults,
                       std::optional<DType> dtype) {
  if (defaults == nullptr) return given.before({});
  const auto place = static_cast<std::size_t>(dtype.value_or(DType::opaque));
  return given.before(defaults->tolerances.at(place));
}

Tensor open_beside(const BatchCase& each, const OperandWord& word, const std::string& key,
                   std::optional<DType> dtype) {
  OperandOpener opener(each.job.base);
  const Tensor tensor = opener.open(
      word,
      {.name = key, .role = OperandRole::updates, .dtype = dtype, .missing = each.job.missing});
  return dtype ? viewed_as(tensor, *dtype) : tensor;
}

std::variant<Tensor, Error> open_golden(const BatchCase& each, std::optional<DType> dtype) {
  try {
    return open_beside(each, *each.expected, "expected", dtype);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::file || !is_missing(each, error)) throw;
    return error;
  }
}

ComparedSides open_both(const BatchCase& each) {
  const Side actual = side_of(*each.actual, "actual");
  const Side expected = side_of(*each.expected, "expected");
  std::unique_ptr<Archive> archive = open_archive(actual, each.job.base);
  try {
    if (expected.word.form == WordForm::path)
      require_file(each.job.base, expected.word, {.name = expected.name, .dtype = {}});
    if (archive != nullptr) {
      auto beside = archive_beside(each, expected);
      return ArchivePair{.actual = std::move(archive), .expected = std::move(beside)};
    }
    return open_sides(actual, expected,
                      {.base = each.job.base, .has_bfloat16 = has_bfloat16(each)});
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::file || !is_missing(each, error)) throw;
    // Of tensors it may be the other one that is missing.
    if (archive == nullptr) open_beside(each, *each.actual, actual.name, std::nullopt);
    return MissingGolden{.error = error, .is_archive = archive != nullptr};
  }
}

std::unique_ptr<Output> output_of(const Job& job) { return open_output(output_wanted(job)); }

OpenedJob open_reported(const Job& job, Recovery recovery) {
  OpenedJob opened = open_job(job, {.recovery = recovery, .before_change = hold_signals});
  if (opened.in_place != nullptr) {
    report_leftover(job.operands.find("data")->second.text, opened.in_place->leftover(), recovery);
  }
  return opened;
}

std::string write_output(const Job& job, int threads) {
  require_one_output(job);
  const bool is_in_place = job.placement == Placement::in_place;
  const auto data = job.operands.find("data");
  // Tensors of one file are changed one after the other.
  const auto change = is_in_place && data != job.operands.end()
                          ? archive_turn(job.base, data->second.text)
                          : std::unique_lock<std::mutex>();
  const auto [in_place, arguments] = open_reported(job, Recovery::done);
  RunOptions options = run_options(job, arguments, threads);
  if (in_place == nullptr) {
    const auto turn = archive_turn(job.base, *job.output);
    apply_to(*output_of(job), *job.operation, arguments, options);
    return shown_word(job.base, *job.output);
  }
  // A change in place that has begun is finished first.
  const bool has_journal = job.journaling == Journaling::done;
  options.stop = has_journal ? InterruptScope::stop_in_place() : nullptr;
  if (!has_journal) hold_signals();
  apply_to(*in_place, *job.operation, arguments, options);
  note_standing();
  return shown_word(job.base, job.operands.find("data")->second.text);
}

// Refuses what writing the output would refuse.
void require_writable(const Job& job) {
  output_of(job);
  const auto member = member_name(job.base, *job.output);
  const std::string& file = member ? member->archive : *job.output;
  require_settled(job.base / file, file);
}

std::string tell_output(const Job& job, int threads) {
  require_one_output(job);
  if (job.output) require_writable(job);
  const auto [in_place, arguments] = open_reported(job, Recovery::checked);
  check(*job.operation, arguments, run_options(job, arguments, threads), job.placement);
  return shown_word(job.base, job.output ? *job.output : job.operands.find("data")->second.text);
}

void run_for_refusal(const Job& job, int threads) {
  require_one_output(job);
  if (job.output) output_of(job);
  const auto [in_place, arguments] = open_job(job, {.recovery = Recovery::checked});
  if (in_place != nullptr) {
    check(*job.operation, arguments, run_options(job, arguments, threads), Placement::in_place);
    return;
  }
  CapturedOutput output;
  apply(*job.operation, arguments, output, run_options(job, arguments, threads));
}

}  // namespace tscatter::app
