#include "jobs/result.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <span>
#include <utility>
#include <vector>

#include "jobs/format_words.hpp"
#include "jobs/locks.hpp"
#include "jobs/operand.hpp"
#include "process/environment.hpp"
#include "process/signals.hpp"
#include "tscatter/core/fail.hpp"
#include "tscatter/io/files/output_file.hpp"
#include "tscatter/io/formats/json_format.hpp"
#include "tscatter/io/formats/json_tensor.hpp"

namespace tscatter::app {
namespace {

constexpr std::string_view stdout_name = "<stdout>";

OutputPlace place_on_stdout() {
  return {.path = {},
          .name = std::string(stdout_name),
          .descriptor = STDOUT_FILENO,
          .spool_directory = temporary_directory()};
}

std::unique_ptr<Output> preview_on_stdout() {
  const std::string name(stdout_name);
  return std::make_unique<JsonOutput>(
      [name] { return std::make_unique<OutputFile>(STDOUT_FILENO, name); }, name, JsonForm::preview,
      temporary_directory());
}

const Format& format_of_stdout(const OutputWanted& wanted) {
  if (wanted.format != nullptr) return *wanted.format;
  return ::isatty(STDOUT_FILENO) == 1 ? json_format : format_of_name({});
}

OutputPlace place_of_file(const OutputWanted& wanted, const std::string& name) {
  return {.path = wanted.base / name,
          .name = name,
          .durability = wanted.durability,
          .spool_directory = temporary_directory(),
          .stop = InterruptScope::stop(),
          .waiting = waiting_for_lock(),
          .lock = wanted.lock};
}

std::unique_ptr<Output> member_output(const OutputWanted& wanted, const MemberName& word) {
  OutputPlace place = place_of_file(wanted, word.archive);
  place.member = word.member;
  return word.format->create(place);
}

void require_output_word(const std::string& word, const std::string& where) {
  const Format& format = format_of_name(word);
  // cli.c10
  if (word.empty() || format.is_archive() || format.create == nullptr) {
    fail(ErrorKind::usage, "cli.c10", where, "must be {} or -, got {}", output_kinds(),
         word.empty() ? "nothing" : word);
  }
}

}  // namespace

std::unique_ptr<Output> open_output(const OutputWanted& wanted) {
  // cli.c15
  if (wanted.format != nullptr && wanted.word != "-") {
    fail(ErrorKind::usage, "cli.c15", "--format", "must be given with an output of -, got {}",
         wanted.word.value_or("no output"));
  }
  if (!wanted.word) return preview_on_stdout();
  const std::string& word = *wanted.word;
  if (word == "-") return format_of_stdout(wanted).create(place_on_stdout());
  require_output_word(word, wanted.name);
  if (const auto member = member_name(wanted.base, word)) return member_output(wanted, *member);
  return format_of_name(word).create(place_of_file(wanted, word));
}

void write_tensor(const Tensor& tensor, Output& output) {
  constexpr std::int64_t piece = std::int64_t{512} * 1024;
  const Source& source = tensor.source();
  Sink& sink = output.begin(tensor.header(), source);
  std::vector<std::byte> buffer(static_cast<std::size_t>(std::min(piece, source.size())));
  for (std::int64_t offset = 0; offset < source.size(); offset += piece) {
    if (*InterruptScope::stop()) throw Cancelled();
    const auto bytes =
        std::span(buffer).first(static_cast<std::size_t>(std::min(piece, source.size() - offset)));
    source.read(offset, bytes);
    sink.write(offset, bytes);
  }
  output.commit();
}

bool goes_to_stdout(const OutputWanted& wanted) { return !wanted.word || *wanted.word == "-"; }

bool leaves_temporary(const OutputWanted& wanted) {
  if (goes_to_stdout(wanted)) return false;
  if (member_name(wanted.base, *wanted.word)) return true;
  struct stat status {};
  const bool exists = ::stat((wanted.base / *wanted.word).c_str(), &status) == 0;
  return !exists || S_ISREG(status.st_mode);
}

tscatter::Report apply_to(Output& output, const Operation& operation, const Arguments& arguments,
                          const RunOptions& options) {
  try {
    return apply(operation, arguments, output, options);
  } catch (const Error& error) {
    const Output::Remains remains = output.take_back();
    if (remains == Output::Remains::nothing) throw;
    const bool has_journal = remains == Output::Remains::journal;
    throw Error(error.kind(), error.label(), error.where(),
                fmt::format("{} ({})", error.message(),
                            has_journal ? "half changed now: tscatter recover rolls back"
                                        : "half changed now, and it has no undo journal"));
  }
}

void print(std::string_view text) {
  OutputFile out(STDOUT_FILENO, std::string(stdout_name));
  out.write(0, std::as_bytes(std::span(text)));
  out.commit();
}

void print_error(std::string_view text) {
  while (!text.empty()) {
    const ssize_t put = ::write(STDERR_FILENO, text.data(), text.size());
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(put));
  }
}

}  // namespace tscatter::app
