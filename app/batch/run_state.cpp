#include "batch/run_state.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <span>
#include <vector>

#include "batch/hash.hpp"
#include "process/environment.hpp"
#include "tscatter/core/fail.hpp"
#include "tscatter/io/files/output_file.hpp"

namespace tscatter::app {
namespace {

// "<state> <name> <job> <files>": a digit and three hashes.
constexpr std::size_t digits = 16;
constexpr std::size_t line_size = 1 + 3 * (1 + digits);
constexpr std::string_view first_line = "tscatter batch state 1\n";

std::string text_of(const CaseRecord& record) {
  return fmt::format("{} {:016x} {:016x} {:016x}\n", static_cast<int>(record.state), record.name,
                     record.job, record.files);
}

std::optional<CaseRecord> record_from(std::string_view text) {
  CaseRecord record;
  const int state = text[0] - '0';
  if (state < 0 || state >= static_cast<int>(case_state_names.size())) return std::nullopt;
  record.state = static_cast<CaseState>(state);
  const std::array<std::uint64_t*, 3> numbers{&record.name, &record.job, &record.files};
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const std::string_view part = text.substr(1 + i * (1 + digits), 1 + digits);
    const char* end = part.data() + part.size();
    constexpr int hexadecimal = 16;
    const auto read = std::from_chars(part.data() + 1, end, *numbers[i], hexadecimal);
    if (part[0] != ' ' || read.ec != std::errc{} || read.ptr != end) return std::nullopt;
  }
  return record;
}

// Adds a file's size and time; for a member of an archive, the archive's.
std::uint64_t with_file(std::uint64_t hash, const std::filesystem::path& base,
                        const std::string& text) {
  struct stat status {};
  const std::optional<MemberName> member = member_name(base, text);
  const std::filesystem::path path = base / (member ? member->archive : text);
  if (::stat(path.c_str(), &status) != 0) return hash_more(hash, std::uint64_t{0});
  hash = hash_more(hash, static_cast<std::uint64_t>(status.st_size));
  hash = hash_more(hash, static_cast<std::uint64_t>(status.st_mtim.tv_sec));
  return hash_more(hash, static_cast<std::uint64_t>(status.st_mtim.tv_nsec));
}

bool is_changed_in_place(const Job& job, std::string_view operand) {
  return job.placement == Placement::in_place && operand == "data";
}

}  // namespace

CasePrint::CasePrint(const BatchCase& each) : inputs_{hash_start} {
  const auto add = [&](const OperandWord& word) {
    if (word.form == WordForm::path) inputs_ = with_file(inputs_, each.job.base, word.text);
  };
  for (const auto& [name, word] : each.job.operands) {
    if (!is_changed_in_place(each.job, name)) add(word);
  }
  if (each.expected) add(*each.expected);
  if (each.actual) add(*each.actual);
}

CaseRecord CasePrint::record(const BatchCase& each, CaseState state) const {
  std::uint64_t files = inputs_;
  for (const auto& [name, word] : each.job.operands) {
    if (is_changed_in_place(each.job, name) && word.form == WordForm::path)
      files = with_file(files, each.job.base, word.text);
  }
  if (each.job.output) files = with_file(files, each.job.base, *each.job.output);
  const std::uint64_t job = hash_more(hash_more(hash_start, each.line_hash), TSCATTER_VERSION);
  return {
      .name = hash_of(each.name), .job = hash_end(job), .files = hash_end(files), .state = state};
}

RunState::RunState(const std::string& batch_path, Use use) {
  if (use == Use::none) return;
  const std::optional<std::filesystem::path> directory = state_directory();
  if (!directory) {
    trouble_ = "neither XDG_STATE_HOME nor HOME is set";
    return;
  }
  try {
    const std::filesystem::path batch = std::filesystem::canonical(batch_path);
    std::filesystem::create_directories(*directory);
    open(*directory / fmt::format("batch-{:016x}", hash_of(batch.native())), use);
  } catch (const Error& error) {
    trouble_ = error.what();
  } catch (const std::filesystem::filesystem_error& error) {
    trouble_ = escape_control(error.what());
  }
}

void RunState::open(const std::filesystem::path& path, Use use) {
  constexpr std::uintmax_t longest = std::uintmax_t{64} << 20U;
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  const bool is_there = !error;
  const bool is_long = is_there && size > longest;
  if (is_there && (use == Use::looked || (use == Use::added && is_long))) load(path);
  if (!is_there || use == Use::anew || is_long || !trouble_.empty()) {
    OutputFile anew(path, Durability::kill);
    std::string text(first_line);
    for (const auto& [name, record] : records_) text += text_of(record);
    anew.write(0, std::as_bytes(std::span(text)));
    anew.commit();
  }
  log_.emplace(system_files().open(path, O_WRONLY | O_APPEND | O_CLOEXEC, 0), path.native());
  // file.f4
  if (log_->descriptor() < 0) {
    log_.reset();
    fail(ErrorKind::file, "file.f4", path.native(), "must be an output that can be opened, got {}",
         errno_text(errno));
  }
}

void RunState::load(const std::filesystem::path& path) {
  const File file = File::open_for_reading(path);
  std::string front(first_line.size(), ' ');
  front.resize(file.read_some(std::as_writable_bytes(std::span(front))));
  if (front != first_line) {
    trouble_ = path.native() + " is not what an earlier run wrote";
    return;
  }
  std::string text;
  std::vector<char> piece(std::size_t{64} << 10U);
  for (;;) {
    const std::size_t got = file.read_some(std::as_writable_bytes(std::span(piece)));
    text.append(piece.data(), got);
    text.erase(0, load_lines(text));
    if (got < piece.size()) return;
  }
}

// Returns how much of the text was complete lines. A line that a killed run left unfinished is
// followed directly by the next one.
std::size_t RunState::load_lines(std::string_view text) {
  std::size_t begin = 0;
  for (std::size_t end = text.find('\n'); end != std::string_view::npos;
       end = text.find('\n', begin)) {
    const std::string_view line = text.substr(begin, end - begin);
    begin = end + 1;
    if (line.size() < line_size) continue;
    if (const auto record = record_from(line.substr(line.size() - line_size)))
      records_[record->name] = *record;
  }
  return begin;
}

const CaseRecord* RunState::find(std::uint64_t name) const {
  const auto found = records_.find(name);
  return found == records_.end() ? nullptr : &found->second;
}

void RunState::add(const CaseRecord& record) {
  constexpr std::size_t longest = std::size_t{64} << 10U;
  const std::scoped_lock lock(mutex_);
  if (!log_) return;
  pending_ += text_of(record);
  if (pending_.size() >= longest || Clock::now() - flushed_ > std::chrono::seconds(1))
    write_pending();
}

void RunState::add_now(const CaseRecord& record) {
  const std::scoped_lock lock(mutex_);
  if (!log_) return;
  pending_ += text_of(record);
  write_pending();
}

void RunState::flush() {
  const std::scoped_lock lock(mutex_);
  write_pending();
}

void RunState::write_pending() {
  if (!log_ || pending_.empty()) return;
  try {
    log_->write_on(std::as_bytes(std::span(pending_)));
  } catch (const Error& error) {
    trouble_ = error.what();
    log_.reset();
  }
  pending_.clear();
  flushed_ = Clock::now();
}

}  // namespace tscatter::app
