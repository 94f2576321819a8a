#include "jobs/result.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <span>
#include <utility>

#include "jobs/array.hpp"
#include "jobs/format_words.hpp"
#include "jobs/operand.hpp"
#include "jobs/resources.hpp"
#include "jobs/written_file.hpp"
#include "process/environment.hpp"
#include "process/host.hpp"
#include "process/log.hpp"
#include "tscatter/core/fail.hpp"
#include "tscatter/io/files/file.hpp"
#include "tscatter/io/files/output_file.hpp"
#include "tscatter/io/files/sources.hpp"
#include "tscatter/io/formats/text/json_tensor.hpp"
#include "tscatter/io/journal/rollback.hpp"
#include "tscatter/views/cast.hpp"
#include "tscatter/views/strided_view.hpp"

namespace tscatter::app {
namespace {

constexpr std::string_view stdout_name = "<stdout>";

OutputPlace place_on_stdout() {
  return {.path = {},
          .name = std::string(stdout_name),
          .descriptor = STDOUT_FILENO,
          .spool_directory = temporary_directory()};
}

bool is_terminal() { return ::isatty(STDOUT_FILENO) == 1; }

std::unique_ptr<Output> printed_on_stdout() {
  const std::string name(stdout_name);
  return std::make_unique<JsonOutput>(
      [name] { return std::make_unique<OutputFile>(STDOUT_FILENO, name); }, name,
      is_terminal() ? JsonForm::preview : JsonForm::nested, temporary_directory());
}

const Format& format_of_stdout(const OutputWanted& wanted) {
  if (wanted.format != nullptr) return *wanted.format;
  return is_terminal() ? json_format : format_of_name({});
}

OutputPlace place_of_file(const OutputWanted& wanted, const std::string& name) {
  return {.path = wanted.base / name,
          .name = shown_word(wanted.base, name),
          .compression = wanted.compression,
          .durability = wanted.durability,
          .spool_directory = temporary_directory(),
          .stop = InterruptScope::stop(),
          .progress = ProgressLine::of_run(),
          .waiting = waiting_for_lock(),
          .lock = wanted.lock,
          .naming = [](Naming step) { step == Naming::begins ? hold_signals() : note_standing(); }};
}

WrittenFile written_file(const OutputWanted& wanted, const std::string& file,
                         const Format& format) {
  return {.name = wanted.name,
          .word = file,
          .kind = kind_of(format),
          .base = wanted.base,
          .options = wanted.options};
}

std::unique_ptr<Output> member_output(const OutputWanted& wanted, const MemberName& word) {
  const MemberName file = located(word, wanted.base);  // says what is wrong with an index
  require_no_blob(written_file(wanted, file.archive, *file.format), wanted.replacing);
  OutputPlace place = place_of_file(wanted, file.archive);
  place.member = file.member;
  return file.format->create(place);
}

// Whether the word names a member of an archive that is changed in place, and not written.
bool is_changed_only(const OutputWanted& wanted, const MemberName* member) {
  if (member == nullptr || !split_member_name(*wanted.word)->format->has_members()) return false;
  const Format& format = *located(*member, wanted.base).format;  // says what is wrong with an index
  return !format.has_members() || format.create == nullptr;
}

std::string change_hint(const OptionWords& options) {
  return options.in_place.empty()
             ? std::string(" (write a file by itself)")
             : fmt::format(" (change it with {}, or write a file by itself)", options.in_place);
}

// What to write for a part of a file of raw bytes; empty where nothing can be.
std::string raw_hint(const OptionWords& options, const std::string& file) {
  if (options.format.empty()) return {};
  const std::string part = options.in_place.empty()
                               ? std::string()
                               : fmt::format(", or change a part of it with {}", options.in_place);
  return fmt::format(" (write {} with {}{})", file, options.format_raw, part);
}

std::string output_hint(const OutputWanted& wanted, const MemberName* part, bool is_bare_archive) {
  if (is_changed_only(wanted, part)) return change_hint(wanted.options);
  if (part != nullptr && !part->format->is_archive()) return " (a table is read, not written)";
  if (part != nullptr) return raw_hint(wanted.options, part->archive);
  return is_bare_archive ? fmt::format(" (write {}:NAME)", *wanted.word) : std::string();
}

// "x.npy:name"
bool is_member_of_tensor(const std::string& word) {
  const std::string file = word.substr(0, word.rfind(':'));
  const bool has_name =
      file.size() < word.size() && word.find('/', file.size()) == std::string::npos;
  const auto part = split_member_name(word);
  return has_name && (!part || !part->format->is_archive()) &&
         std::ranges::any_of(formats(), [&](const Format* each) {
           return !each->is_archive() && each->has_ending(file);
         });
}

// `member`: nullptr if the word is not one.
void require_output_word(const OutputWanted& wanted, const MemberName* member) {
  const std::string& word = *wanted.word;
  const bool is_part =
      member != nullptr && (!member->format->has_members() || is_changed_only(wanted, member));
  const MemberName* const part = is_part ? member : nullptr;
  const bool is_bare_archive = wanted.format == nullptr && format_of_name(word).has_members();
  // cli.c10
  if (is_member_of_tensor(word)) {
    fail(ErrorKind::usage, "cli.c10", wanted.name,
         "must be {} (only an archive has members), got {}", output_kinds(),
         shown_word(wanted.base, word));
  }
  // cli.c10
  if (word.empty() || is_bare_archive || part != nullptr) {
    fail(ErrorKind::usage, "cli.c10", wanted.name, "must be {}{}, got {}", output_kinds(),
         output_hint(wanted, part, is_bare_archive),
         word.empty() ? "an empty name" : shown_word(wanted.base, word));
  }
}

// A name may end in brackets, but what stands before them must not look like a tensor.
void require_no_index(const OutputWanted& wanted, bool is_member) {
  const std::string& word = *wanted.word;
  const std::string before = word_behind(wanted.base, word);
  if (before == word) return;
  const bool has_ending = !is_member && std::ranges::any_of(formats(), [&](const Format* each) {
    return each->has_ending(before);
  });
  if (!has_ending && !is_named(wanted.base, before)) return;
  require_no_view(wanted.base, word, wanted.name,
                  "an output must be a whole file or member (tscatter set 'DATA[INDEX]' VALUES "
                  "--in-place writes at an index)");
}

// Refuses names and places of other kinds of files.
void require_kind(const OutputWanted& wanted, const Format& format) {
  const WrittenFile file = written_file(wanted, *wanted.word, format);
  if (wanted.format == nullptr) require_ending(file);
  require_replaceable(file, wanted.replacing);
}

// A signal that came before does not end the run without a word.
[[noreturn]] void fail_half_changed(const Error& error, Output::Remains remains) {
  outlive_signals();
  note_standing();
  const bool has_journal = remains == Output::Remains::journal;
  throw Error(error.kind(), error.label(), error.where(),
              fmt::format("{} ({})", error.message(),
                          has_journal ? "half changed now: tscatter recover rolls back"
                                      : "half changed now, and it has no undo journal"));
}

std::unique_ptr<Output> file_output(const OutputWanted& wanted) {
  const std::string& word = *wanted.word;
  const Format& format = wanted.format == nullptr ? format_of_name(word) : *wanted.format;
  require_kind(wanted, format);
  return format.create(place_of_file(wanted, word));
}

void require_sense(const OutputWanted& wanted, const Format* archive) {
  const bool is_member = archive != nullptr;
  const std::string got = wanted.word ? ", got " + *wanted.word : "";
  // cli.c15
  if (wanted.format != nullptr && (!wanted.word || is_member)) {
    fail(ErrorKind::usage, "cli.c15", wanted.options.format_name,
         "needs an output that is - or a file by itself{}", got);
  }
  // cli.c21
  const bool can_deflate = is_member && archive->can_deflate;
  if (wanted.compression == Compression::deflated && !can_deflate) {
    fail(ErrorKind::usage, "cli.c21", wanted.options.compress_name,
         "needs an output that is an archive's member (x.npz:name){}", got);
  }
}

}  // namespace

void require_file_for_options(const OutputWanted& wanted) {
  if (!wanted.memory && wanted.word && *wanted.word != "-") return;
  const bool is_compressed = wanted.compression != Compression::stored;
  const std::string_view option =
      wanted.durability == Durability::power_cut ? wanted.options.sync_name
      : wanted.replacing == Replacing::any_kind  ? wanted.options.force_name
      : waiting_in_place()                       ? "--wait"
      : wanted.memory && wanted.format           ? wanted.options.format_name
      : wanted.memory && is_compressed           ? wanted.options.compress_name
                                                 : "";
  // cli.c120
  if (!option.empty()) {
    fail(ErrorKind::usage, "cli.c120", std::string(option), "needs an output that is a file{}",
         wanted.memory ? ", got an array"
         : wanted.word ? ", got -"
                       : "");
  }
}

std::unique_ptr<Output> open_output(const OutputWanted& wanted) {
  if (wanted.memory) return std::make_unique<ArrayOutput>(*wanted.memory);
  const auto member = wanted.word ? member_name(wanted.base, *wanted.word) : std::nullopt;
  require_sense(wanted, member ? member->format : nullptr);
  if (!wanted.word) return printed_on_stdout();
  if (*wanted.word == "-") return format_of_stdout(wanted).create(place_on_stdout());
  require_output_word(wanted, member ? &*member : nullptr);
  require_no_index(wanted, member.has_value());
  return member ? member_output(wanted, *member) : file_output(wanted);
}

void write_archive(const OutputWanted& wanted, const Archive& tensors) {
  const Format& format = format_of_name(*wanted.word);
  require_sense(wanted, &format);
  require_kind(wanted, format);
  format.write_all(place_of_file(wanted, *wanted.word), tensors);
}

void write_tensor(const Tensor& tensor, Output& output) {
  const Source& source = tensor.source();
  Sink& sink = output.begin(tensor.header(), source);
  std::optional<InnerPhase> phase(std::in_place, ProgressLine::of_run(), source.size());
  const auto put = [&](std::int64_t offset, std::span<const std::byte> bytes) {
    sink.write(offset, bytes);
    phase->add(static_cast<std::int64_t>(bytes.size()));
  };
  read_pieces(source, InterruptScope::stop(), put);
  phase.reset();
  output.commit();
}

bool goes_to_stdout(const OutputWanted& wanted) {
  return !wanted.memory && (!wanted.word || *wanted.word == "-");
}

void require_stdout_apart(const OutputWanted& wanted, const Tensor& read) {
  struct stat out {};
  struct stat in {};
  const bool is_file = goes_to_stdout(wanted) && ::fstat(STDOUT_FILENO, &out) == 0 &&
                       S_ISREG(out.st_mode) && Host::present() == nullptr;
  if (!is_file) return;
  const Tensor* const cast = cast_from(read);
  const auto extent = source_behind(cast == nullptr ? read : *cast).extent();
  const bool is_it = extent && ::fstat(extent->descriptor, &in) == 0 && is_same_file(in, out);
  // cli.c14
  if (is_it) {
    fail(ErrorKind::usage, "cli.c14", stdout_name,
         "must be another file than {}, which the run reads", read.name());
  }
}

bool leaves_temporary(const OutputWanted& wanted) {
  if (!wanted.word || *wanted.word == "-") return false;
  if (member_name(wanted.base, *wanted.word)) return true;
  struct stat status {};
  const bool exists = ::stat((wanted.base / *wanted.word).c_str(), &status) == 0;
  return !exists || S_ISREG(status.st_mode);
}

tscatter::Report run_into(Output& output, const std::function<tscatter::Report()>& step) {
  try {
    return step();
  } catch (const Error& error) {
    const Output::Remains remains = output.take_back();
    if (remains == Output::Remains::nothing) throw;
    fail_half_changed(error, remains);
  } catch (const Cancelled&) {
    const Output::Remains remains = output.take_back();
    if (remains == Output::Remains::nothing) throw;
    // undo.u6
    fail_half_changed(Error(ErrorKind::file, "undo.u6", "tscatter",
                            "old bytes must be restorable after a signal, got an error"),
                      remains);
  }
}

tscatter::Report apply_to(Output& output, const Operation& operation, const Arguments& arguments,
                          const RunOptions& options) {
  return run_into(output, [&] { return apply(operation, arguments, output, options); });
}

std::unique_ptr<OutputFile> open_report(const std::string& word) {
  if (word == "-") return std::make_unique<OutputFile>(STDOUT_FILENO, std::string(stdout_name));
  return std::make_unique<OutputFile>(word, Durability::kill, system_files(),
                                      InterruptScope::stop());
}

void print(std::string_view text, WordsGo to) {
  if (to == WordsGo::to_stderr) return print_error(text);
  if (Host* host = Host::present()) return host->print(text);
  clear_progress();
  const std::string shown = in_log_of_step(text);
  OutputFile out(STDOUT_FILENO, std::string(stdout_name));
  out.write(0, std::as_bytes(std::span(shown)));
  out.commit();
}

void print_error(std::string_view text) { print_commands(in_log_of_step(text)); }

void print_commands(std::string_view text) {
  if (Host::present() != nullptr) return;
  clear_progress();
  while (!text.empty()) {
    const ssize_t put = ::write(STDERR_FILENO, text.data(), text.size());
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(put));
  }
}

Sink& CapturedOutput::begin(const TensorHeader& header, const Source& /*data*/) {
  constexpr std::int64_t most_in_memory = std::int64_t{4} << 20U;
  header_ = header;
  if (header.byte_size() <= most_in_memory) {
    memory_ =
        std::make_shared<std::vector<std::byte>>(static_cast<std::size_t>(header.byte_size()));
    sink_ = std::make_unique<SpanSink>(*memory_, SpanSink::Content::anything);
  } else {
    spool_ = std::make_shared<Spool>(temporary_directory(), "output");
    sink_ = std::make_unique<SpoolSink>(*spool_);
  }
  return *sink_;
}

Tensor CapturedOutput::tensor(const std::string& name) const {
  if (spool_ != nullptr) return {header_, spool_, name};
  return {header_, std::span<const std::byte>(*memory_), name};
}

}  // namespace tscatter::app
