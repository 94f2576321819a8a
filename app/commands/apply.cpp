#include "commands/apply.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <vector>

#include "cli/targets.hpp"
#include "commands/operation_flags.hpp"
#include "jobs/format_words.hpp"
#include "jobs/index_items.hpp"
#include "jobs/job_policies.hpp"
#include "jobs/operand.hpp"
#include "jobs/resources.hpp"
#include "jobs/run_log.hpp"
#include "parts/file_parts.hpp"
#include "parts/run_part.hpp"
#include "process/host.hpp"
#include "process/log.hpp"
#include "text/document.hpp"
#include "text/figure.hpp"
#include "text/reports.hpp"
#include "tscatter/core/fail.hpp"
#include "tscatter/io/files/file.hpp"
#include "tscatter/io/files/sources.hpp"
#include "tscatter/io/journal/undo_journal.hpp"
#include "tscatter/views/basic_index.hpp"
#include "tscatter/views/cast.hpp"

namespace tscatter::app {
namespace {

void require_one_output(const Job& job) {
  // cli.c11
  if (job.placement == Placement::in_place && (job.output || job.memory)) {
    fail(ErrorKind::usage, "cli.c11", job.name_prefix + "output",
         "must be left out when data is changed in place, got {}", job.output.value_or("an array"));
  }
}

// The file that a run leaves by itself; nullopt if it leaves none.
std::optional<std::filesystem::path> file_written(const Job& job) {
  const auto data = job.operands.find("data");
  const bool is_in_place = job.placement == Placement::in_place && data != job.operands.end();
  const std::optional<std::string> word =
      is_in_place ? std::optional(data->second.text) : job.output;
  if (!word || *word == "-" || job.memory) return std::nullopt;
  const auto part = is_in_place ? place_of_elements(job.base, *word) : member_name(job.base, *word);
  if (part) return std::nullopt;
  return job.base / *word;
}

void require_sense(const Job& job, const ApplyFlags& flags) {
  const std::optional<std::filesystem::path> file = file_written(job);
  // cli.c83
  if (flags.wants_digest && (flags.part || flags.is_dry_run || !file || is_passed_through(*file))) {
    fail(ErrorKind::usage, "cli.c83", "--digest", "needs an output file: {}",
         flags.part         ? "of parts, tscatter finish prints it"
         : flags.is_dry_run ? "leave out -n, which writes none"
         : !file            ? "add -o FILE"
                            : file->native() + " is none");
  }
  if (job.placement == Placement::copy) require_file_for_options(output_wanted(job));
  if (flags.part && (flags.is_dry_run || flags.wants_report()))
    refuse_parts("--part", flags.is_dry_run ? "-n" : "--json (tscatter parts has it)");
}

std::string digest_text(const Job& job, std::int64_t unit) {
  return hex_text(digest_of(File::open_for_reading(*file_written(job)), unit));
}

std::string standing_words(const Job& job) {
  const std::string name = output_name(job).value_or("data");
  return job.placement == Placement::copy ? name + " was written"
                                          : name + " was changed: do not repeat the run";
}

// For the log.
std::string output_words(const Job& job, const OutputWanted& wanted) {
  if (job.placement == Placement::in_place) {
    const bool has_journal = job.journaling == Journaling::done;
    return fmt::format("data's own file, {} undo journal", has_journal ? "with an" : "without an");
  }
  if (wanted.memory) return "the caller's memory";
  if (goes_to_stdout(wanted)) return "stdout";
  return *wanted.word + (leaves_temporary(wanted) ? ", which gets its name when it is complete"
                                                  : ", written from front to end");
}

WordsGo words_go(const Job& job, const OutputWanted& wanted) {
  const bool is_stdout_taken = job.placement == Placement::copy && goes_to_stdout(wanted);
  return is_stdout_taken ? WordsGo::to_stderr : WordsGo::to_stdout;
}

// Where the result goes; locked if the job reads it, too. Refuses a wrong word before it waits for
// the lock.
OutputWanted held_place(const Job& job, const ApplyFlags& flags) {
  OutputWanted wanted = output_wanted(job);
  require_one_output(job);
  open_output(wanted);
  if (!flags.is_dry_run) wanted.lock = hold_output(job);
  return wanted;
}

// In hexadecimal; "none" where the file has none. `end` may be beyond it.
std::string bytes_of_file(const Source& file, std::int64_t begin, std::int64_t end) {
  const std::int64_t size = std::min(end, file.size()) - begin;
  if (size <= 0) return "none";
  std::vector<unsigned char> bytes(static_cast<std::size_t>(size));
  file.read(begin, std::as_writable_bytes(std::span(bytes)));
  return fmt::format("{:02x}", fmt::join(bytes, " "));
}

// What lies around raw bytes that are changed in place: whether the offset is right.
void add_neighbours(Document& document, const Tensor& data, const std::filesystem::path& path) {
  constexpr std::int64_t most = 16;
  const auto extent = data.source().extent();
  if (!extent) return;
  const std::int64_t begin = extent->offset;
  const std::int64_t end = begin + data.byte_size();
  const FileSource file(File::open_for_reading(path));
  const auto around = [&](std::int64_t first, std::int64_t last) {
    return text_figure(bytes_of_file(file, first, last));
  };
  document.add("bytes_before", "bytes before",
               around(std::max<std::int64_t>(begin - most, 0), begin));
  document.add("bytes_after", "bytes after", around(end, end + most));
}

// The file of raw bytes that data names; nullopt if it names another file, or none.
std::optional<std::filesystem::path> raw_file(const Job& job) {
  const auto data = job.operands.find("data");
  if (data == job.operands.end()) return std::nullopt;
  const auto member = place_of_elements(job.base, data->second.text);
  if (!member || member->format->has_members()) return std::nullopt;
  return job.base / member->archive;
}

// `in_place`: the output, if data is changed in place.
Document dry_run(const Job& job, const InPlaceFile* in_place, const Arguments& arguments,
                 const RunOptions& options) {
  const auto undo = in_place == nullptr ? nullptr : in_place->undo_size();
  const Report report = check(*job.operation, arguments, options, job.placement, undo.get());
  std::optional<ChangeInPlace> change;
  if (in_place != nullptr) change = ChangeInPlace{undo == nullptr ? 0 : undo->bytes()};
  Document document = run_document(report, output_name(job), std::nullopt, change);
  const auto raw = in_place == nullptr ? std::nullopt : raw_file(job);
  if (raw) add_neighbours(document, in_place->data(), *raw);
  add_casts(document, count_casts(arguments, job.threads, InterruptScope::stop()));
  add_table_headers(document, arguments.operands);
  return document;
}

// Whether the index of the form index names no element.
bool selects_nothing(const Arguments& arguments, const Report& report) {
  const Tensor& data = *arguments.find("data");
  std::vector<BasicItem> basic;  // those that may be empty
  bool has_entries = false;
  for (const IndexItem& item : arguments.index) {
    if (const auto* operand = std::get_if<OperandItem>(&item.what)) {
      const Tensor& tensor = *arguments.find(operand->operand);
      const bool is_mask = tensor.type().dtype == DType::boolean;
      basic.insert(basic.end(), is_mask ? tensor.rank() : 1, SliceItem{});
      has_entries = true;
    } else if (std::holds_alternative<SliceItem>(item.what)) {
      basic.emplace_back(std::get<SliceItem>(item.what));
    } else if (std::holds_alternative<EllipsisItem>(item.what)) {
      basic.emplace_back(EllipsisItem{});
    } else if (std::holds_alternative<IntegerItem>(item.what)) {
      basic.emplace_back(SliceItem{});
    }
  }
  if (has_entries && report.index_entries == 0) return true;
  return element_count(basic_view(data, basic, data.name()).shape()) == 0;
}

bool asks_for_nan(const IndexWord& word) {
  if (!word.computed || word.computed->test != MaskTest::equal) return false;
  const auto* number = std::get_if<double>(&word.computed->number);
  return number != nullptr && std::isnan(*number);
}

void tell_of_nothing(const Job& job, const Arguments& arguments, const Report& report) {
  const bool is_empty = job.operation->form == Form::index &&
                        element_count(report.output.shape) > 0 &&
                        selects_nothing(arguments, report);
  if (!is_empty) return;
  const bool is_of_nan = std::ranges::any_of(job.index, asks_for_nan);
  print_error(fmt::format("tscatter: no element was written: the index is empty{}\n",
                          is_of_nan ? " (nothing equals nan: use isnan)" : ""));
}

// Integers that a cast wrapped, and numbers that it made infinite, are counted only where one may
// have been: of reals, where they are few.
void tell_of_casts(const Arguments& arguments, int threads) {
  constexpr std::int64_t few = std::int64_t{1} << 20U;
  const Tensor* const updates = arguments.find("updates");
  const Tensor* const from = updates == nullptr ? nullptr : cast_from(*updates);
  if (from == nullptr || is_exact_cast(from->type(), updates->type())) return;
  const bool are_integers = is_integer(from->type().dtype) && is_integer(updates->type().dtype);
  const bool are_few_reals = !is_integer(updates->type().dtype) && updates->count() <= few;
  if (!are_integers && !are_few_reals) return;
  const auto counts = count_casts(arguments, threads, nullptr);  // the result stands
  if (!counts) return;
  const std::int64_t many = are_integers ? counts->values.lost : counts->values.overflowed;
  if (many == 0) return;
  print_error(fmt::format("tscatter: {} {} out of range of {} and {} (--json counts {})\n",
                          several(many, "value"), many == 1 ? "was" : "were",
                          to_string(updates->type()), are_integers ? "wrapped" : "became infinite",
                          many == 1 ? "it" : "them"));
}

// The regular file to which the descriptor leads, if it leads to one.
std::optional<struct stat> file_behind(int descriptor) {
  struct stat status {};
  const bool is_file = ::fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode);
  return is_file ? std::optional(status) : std::nullopt;
}

// Where stderr is the file into which the result is printed, a line would be part of the result.
bool is_result_on_stderr(const OutputWanted& wanted) {
  const auto out = file_behind(STDOUT_FILENO);
  const auto err = file_behind(STDERR_FILENO);
  return goes_to_stdout(wanted) && out && err && is_same_file(*out, *err);
}

// A result that is printed into a file has lost its dtype.
void tell_of_dtype(const OutputWanted& wanted, const ElementType& type) {
  if (wanted.word || !file_behind(STDOUT_FILENO)) return;
  print_error(fmt::format("tscatter: the result was printed without its dtype, {} ({} keeps it)\n",
                          to_string(type), wanted.options.output));
}

RunOptions run_options(const Job& job, const ApplyFlags& flags, const Arguments& arguments) {
  const bool counts = flags.is_dry_run || flags.wants_report() || is_logged(LogLevel::info);
  return {.threads = job.threads,
          .counting = counts ? Counting::done : Counting::left_out,
          .progress = ProgressLine::of_run(),
          .entry_memory = entry_memory(job.memory_limit, arguments)};
}

// If a temporary file would be left, a signal ends the run cleanly. A change in place that has
// begun is finished first; if it has a journal, a second signal takes it back.
StopFlag stop_of(const Job& job) {
  if (job.memory && job.memory->is_data) return nullptr;
  if (job.placement == Placement::copy) return InterruptScope::stop();
  return job.journaling == Journaling::done ? InterruptScope::stop_in_place() : nullptr;
}

struct OperationFlags {
  Job job;
  ApplyFlags apply;
};

Target output_target(Job& job) {
  Target target = text(job.output);
  target.take = [&job](const Array& array) { job.memory = array.place(); };
  return target;
}

std::vector<Flag> output_flags(OperationFlags& flags) {
  Job& job = flags.job;
  return in_group(
      "Output",
      {output_flag(job),
       switch_flag("in-place", "change the data file itself, writing only what is touched",
                   set_to(job.placement, Placement::in_place)),
       switch_flag("no-journal",
                   "with --in-place: keep no undo journal; a kill leaves the file half changed",
                   set_to(job.journaling, Journaling::left_out)),
       format_flag(job.format), force_flag(job.replacing), compress_flag(job.compression),
       sync_flag(job.durability), wait_flag()});
}

// `own`: the flags of the operation.
Invocation invocation_of(const std::shared_ptr<OperationFlags>& flags, std::vector<Flag> own,
                         const RunJob& run) {
  return {.flags = joined(joined(std::move(own), output_flags(*flags)),
                          run_flags(flags->job.threads, flags->job.memory_limit, flags->apply)),
          .run = [flags, run](const Messages& messages) {
            run(flags->job, flags->apply, messages);
            return 0;
          }};
}

Invocation bind_operation(const Operation* operation, const RunJob& run) {
  const auto flags = std::make_shared<OperationFlags>();
  flags->job = job_of(*operation);
  return invocation_of(flags, operation_flags(flags->job), run);
}

Invocation bind_verb(const Operation* operation, const RunJob& run) {
  const auto flags = std::make_shared<OperationFlags>();
  flags->job = job_of_word(*operation);
  Invocation made = invocation_of(flags, flags_beside_operands(flags->job), run);
  made.arguments = word_arguments(flags->job);
  return made;
}

// What a run leaves on stdout: its report, or the digest.
void print_outcome(const Job& job, const ApplyFlags& flags, const OutputWanted& wanted,
                   const Arguments& arguments, const Report& report, double seconds) {
  const std::optional<std::string> name = output_name(job);
  const std::optional<std::string> digest =
      flags.wants_digest ? std::optional(digest_text(job, flags.unit)) : std::nullopt;
  if (flags.wants_report()) {
    Document document = run_document(report, name, seconds);
    add_casts(document, count_casts(arguments, job.threads, nullptr));  // the result stands
    add_table_headers(document, arguments.operands);
    if (digest) document.put("digest", *digest);
    return print(json_line(document), words_go(job, wanted));
  }
  if (digest) print(fmt::format("{}  {}\n", *digest, escape_control(*name)));
}

}  // namespace

std::optional<std::string> output_name(const Job& job) {
  if (job.placement == Placement::copy) return job.output;
  const auto data = job.operands.find("data");
  return data == job.operands.end() ? std::nullopt : std::optional(data->second.text);
}

Flag output_flag(Job& job) {
  const auto help = [] { return output_forms() + " or -; left out: printed"; };
  return in_group("Output",
                  with_letter('o', value_flag("output", "PATH", help, output_target(job))));
}

Flag format_flag(const Format*& format) {
  const auto help = [] {
    return fmt::format(
        "one of {}, whatever the output's name (-o -: npy, unless stdout is a terminal)",
        fmt::join(stdout_names(), ", "));
  };
  const auto set = [&format](const auto& name, const auto&) { format = find_format(name); };
  return in_group("Output",
                  value_flag("format", "FORMAT", help, {.choices = stdout_names(), .set = set}));
}

Flag force_flag(Replacing& replacing) {
  return in_group("Output", switch_flag("force", "replace a file of another kind, too",
                                        set_to(replacing, Replacing::any_kind)));
}

Flag compress_flag(Compression& compression) {
  return in_group("Output",
                  switch_flag("compress", "deflate the member that is written (x.npz:name)",
                              set_to(compression, Compression::deflated)));
}

Flag dry_run_flag(bool& is_dry_run) {
  return with_letter(
      'n', switch_flag("dry-run", "check every rule, say what would be done, write nothing",
                       turn_on(is_dry_run)));
}

std::vector<Flag> run_flags(int& threads, std::optional<std::int64_t>& memory, ApplyFlags& flags) {
  const auto parse = [](const std::string& text, const std::string& where) {
    return parse_memory(text, where, "cli.c4");
  };
  return in_group(
      "Run",
      {threads_flag(threads),
       value_flag(
           "memory", "SIZE",
           "private memory at most, like 512M or 8G, for index lists of any length (default: "
           "64M and 32 bytes per index entry)",
           parsed(memory, parse)),
       value_flag("part", "K/P",
                  "compute the K-th of P parts of the output; finish puts them together",
                  parsed(flags.part, parse_part)),
       beside("part digest", unit_flag(flags.unit)),
       switch_flag("digest", "print the digest of the file that was written",
                   turn_on(flags.wants_digest)),
       dry_run_flag(flags.is_dry_run), run_report_flag(flags.form)});
}

Flag run_report_flag(ReportForm& form) {
  return json_flag(
      "a report of the run as one JSON object on stdout (on stderr where stdout has the tensor)",
      form);
}

Command apply_command(const Operation& operation, const RunJob& run) {
  return {.name = operation.name,
          .summary = operation.summary,
          .bind = [run](const Operation* bound) { return bind_operation(bound, run); },
          .group = CommandGroup::operations,
          .operation = &operation};
}

Command verb_command(const IndexVerb& verb, const RunJob& run) {
  return {.name = verb.word,
          .summary = verb.summary,
          .examples = verb.examples,
          .bind = [word = verb.word,
                   run](const Operation*) { return bind_verb(operation_of_verb(word), run); },
          .group = CommandGroup::words};
}

void apply_job(const Job& job, const ApplyFlags& flags, const Messages& messages) {
  require_sense(job, flags);
  require_one_output(job);
  if (flags.part) return run_part(job, {.number = *flags.part, .unit = flags.unit});
  const LoggedTime time;
  const OutputWanted wanted = held_place(job, flags);
  const std::unique_ptr<Output> copy = open_output(wanted);
  const Recovery recovery = flags.is_dry_run ? Recovery::checked : Recovery::done;
  const auto [in_place, arguments] =
      open_job(job, {.recovery = recovery, .before_change = hold_signals});
  if (in_place != nullptr)
    report_leftover(job.operands.find("data")->second.text, in_place->leftover(), recovery);
  log_arguments(arguments);
  if (in_place == nullptr && !flags.is_dry_run) {
    for (const auto& [name, tensor] : arguments.operands) require_stdout_apart(wanted, tensor);
  }
  RunOptions options = run_options(job, flags, arguments);

  if (flags.is_dry_run) {
    const Document document = dry_run(job, in_place.get(), arguments, options);
    return print(report_text(document, flags.form));
  }

  std::optional<InterruptScope> scope;
  if (in_place != nullptr || leaves_temporary(wanted)) scope.emplace();
  if (in_place != nullptr && job.journaling == Journaling::left_out) hold_signals();
  options.stop = stop_of(job);
  Output& output = in_place != nullptr ? *in_place : *copy;
  RunLog log(*job.operation, job.placement, output, output_words(job, wanted));
  options.observer = log.observer();
  const Report report = apply_to(output, *job.operation, arguments, options);
  if (scope) now_stands(standing_words(job));

  log.end(report);
  print_outcome(job, flags, wanted, arguments, report, time.seconds());
  if (messages.is_quiet || flags.wants_report()) return;
  if (in_place == nullptr && is_result_on_stderr(wanted)) return;
  tell_of_nothing(job, arguments, report);
  tell_of_casts(arguments, job.threads);
  if (in_place == nullptr) tell_of_dtype(wanted, report.output.type);
}

}  // namespace tscatter::app
