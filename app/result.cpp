#include "result.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <span>
#include <utility>
#include <vector>

#include "environment.hpp"
#include "operand.hpp"
#include "signals.hpp"
#include "tscatter/core/fail.hpp"
#include "tscatter/io/json_tensor.hpp"
#include "tscatter/io/npy_file.hpp"
#include "tscatter/io/npz_output.hpp"

namespace tscatter::app {
namespace {

constexpr std::string_view stdout_name = "<stdout>";

bool ends_with_json(const std::string& word) { return std::string_view(word).ends_with(".json"); }

bool writes_json_to_stdout(StdoutFormat format) {
  if (format == StdoutFormat::automatic) return ::isatty(STDOUT_FILENO) == 1;
  return format == StdoutFormat::json;
}

std::unique_ptr<Output> json_to_stdout(JsonForm form) {
  const std::string name(stdout_name);
  return std::make_unique<JsonOutput>(
      [name] { return std::make_unique<OutputFile>(STDOUT_FILENO, name); }, name, form,
      temporary_directory());
}

std::unique_ptr<Output> json_to_file(const OutputWanted& wanted, const std::string& word) {
  const std::filesystem::path path = wanted.base / word;
  return std::make_unique<JsonOutput>(
      [path, durability = wanted.durability] {
        return std::make_unique<OutputFile>(path, durability);
      },
      word, JsonForm::object, temporary_directory(), InterruptScope::stop());
}

std::unique_ptr<Output> member_output(const OutputWanted& wanted, const MemberWord& word) {
  return std::make_unique<NpzMemberOutput>(wanted.base / word.archive, word.member,
                                           wanted.durability, InterruptScope::stop());
}

}  // namespace

std::unique_ptr<Output> open_output(const OutputWanted& wanted) {
  const bool has_format = wanted.format != StdoutFormat::automatic;
  // cli.c15
  if (has_format && wanted.word != "-") {
    fail(ErrorKind::usage, "cli.c15", "--format", "must be given with an output of -, got {}",
         wanted.word.value_or("no output"));
  }
  if (!wanted.word) return json_to_stdout(JsonForm::preview);
  const std::string& word = *wanted.word;
  if (word == "-" && writes_json_to_stdout(wanted.format)) return json_to_stdout(JsonForm::object);
  if (word == "-") return std::make_unique<NpyFileOutput>(STDOUT_FILENO, std::string(stdout_name));
  // cli.c10
  if (word.empty() || word.ends_with(".npz")) {
    fail(ErrorKind::usage, "cli.c10", wanted.name,
         "must be a .npy file, an archive's member (x.npz:name), a .json file or -, got {}",
         word.empty() ? "nothing" : word);
  }
  if (const auto member = member_word(wanted.base, word)) return member_output(wanted, *member);
  if (ends_with_json(word)) return json_to_file(wanted, word);
  return std::make_unique<NpyFileOutput>(wanted.base / word, wanted.durability);
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
  if (member_word(wanted.base, *wanted.word)) return true;
  struct stat status {};
  const bool exists = ::stat((wanted.base / *wanted.word).c_str(), &status) == 0;
  return !exists || S_ISREG(status.st_mode);
}

tscatter::Report apply_in_place(const Operation& operation, const Arguments& arguments,
                                NpyInPlace& output, const RunOptions& options) {
  try {
    return apply(operation, arguments, output, options);
  } catch (const Error& error) {
    const NpyInPlace::Remains remains = output.take_back();
    if (remains == NpyInPlace::Remains::nothing) throw;
    const bool has_journal = remains == NpyInPlace::Remains::journal;
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
