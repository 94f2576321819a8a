#include "batch/plan/run_state.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <span>
#include <vector>

#include "jobs/hash.hpp"
#include "jobs/result.hpp"
#include "process/environment.hpp"
#include "text/number_text.hpp"
#include "tscatter/core/fail.hpp"
#include "tscatter/io/files/file_names.hpp"
#include "tscatter/io/files/output_file.hpp"

namespace tscatter::app {
namespace {

// "<state> <name> <job> <files>": a digit and three hashes.
constexpr std::size_t digits = 16;
constexpr std::size_t line_size = 1 + 3 * (1 + digits);
constexpr std::string_view first_words = "tscatter batch state ";
constexpr std::string_view first_line = "tscatter batch state 2\n";

std::string record_line(const CaseRecord& record) {
  return fmt::format("{} {} {} {}\n", static_cast<int>(record.state), hex_text(record.name),
                     hex_text(record.job), hex_text(record.files));
}

// REQUIRES: the text is as long as a line.
std::optional<CaseRecord> record_from(std::string_view text) {
  const auto hash = [&](std::size_t at) {
    const std::size_t begin = 1 + at * (1 + digits);
    return text[begin] == ' ' ? hex_in(text.substr(begin + 1, digits)) : std::nullopt;
  };
  const int state = text[0] - '0';
  const auto name = hash(0);
  const auto job = hash(1);
  const auto files = hash(2);
  const bool is_state = state >= 0 && state < static_cast<int>(case_state_names.size());
  if (!is_state || !name || !job || !files) return std::nullopt;
  return CaseRecord{
      .name = *name, .job = *job, .files = *files, .state = static_cast<CaseState>(state)};
}

// What of a file tells whether a case has to run again.
enum class Watched : bool {
  content,  // its size and time
  file,     // which file it is: other cases of the batch, and rollbacks, change its time
};

std::uint64_t with_status(std::uint64_t hash, const std::filesystem::path& path, Watched watched) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return hash_more(hash, std::uint64_t{0});
  const auto add = [&](auto number) { hash = hash_more(hash, static_cast<std::uint64_t>(number)); };
  add(status.st_size);
  if (watched == Watched::file) {
    add(status.st_ino);  // a device has other numbers elsewhere, and after a restart
  } else {
    add(status.st_mtim.tv_sec);
    add(status.st_mtim.tv_nsec);
  }
  return hash;
}

// Of an archive as a whole, such as an index of shards: the files that have its elements.
std::vector<std::string> files_of_archive(const std::filesystem::path& base,
                                          const std::string& text) {
  const auto has_files = [&](const Format* each) {
    return each->files != nullptr && each->is_archive() && each->has_ending(text);
  };
  const auto format = std::ranges::find_if(formats(), has_files);
  if (format == formats().end()) return {};
  try {
    return (*format)->files((base / text).native());
  } catch (const Error&) {
    return {};  // whoever opens it learns why
  }
}

// A member of an archive counts as the archive; the file that has the elements is added.
std::uint64_t with_file(std::uint64_t hash, const std::filesystem::path& base,
                        const std::string& text, Watched watched = Watched::content) {
  const std::optional<MemberName> place = place_of_elements(base, text);
  const std::optional<MemberName> named = place ? split_member_name(text) : std::nullopt;
  const std::string& file = named ? named->archive : text;
  hash = with_status(hash, base / file, watched);
  for (const std::string& part : files_of_archive(base, text))
    hash = with_status(hash, part, watched);
  return place && place->archive != file ? with_status(hash, base / place->archive, watched) : hash;
}

bool is_changed_in_place(const Job& job, std::string_view operand) {
  return job.placement == Placement::in_place && operand == "data";
}

}  // namespace

CasePrint::CasePrint(const BatchCase& each) : inputs_{hash_start} {
  const auto add = [&](const OperandWord& word) {
    const std::filesystem::path& base = each.job.base;
    if (word.form == WordForm::path)
      inputs_ = with_file(inputs_, base, word_behind(base, word.text));
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
      files = with_file(files, each.job.base, word.text, Watched::file);
  }
  if (each.job.output) files = with_file(files, each.job.base, *each.job.output);
  const std::uint64_t job = hash_more(hash_more(hash_start, each.line_hash), TSCATTER_VERSION);
  return {
      .name = hash_of(each.name), .job = hash_end(job), .files = hash_end(files), .state = state};
}

RunState::RunState(const std::vector<std::string>& words, Use use, const StatePlace& place)
    : use_{use} {
  if (use == Use::none) return;
  std::error_code ignored;
  const bool is_file = place.word && !place.word->ends_with('/') &&
                       !std::filesystem::is_directory(*place.word, ignored);
  if (is_file) {
    base_ = *place.word;
  } else {
    const auto directory = place.word ? *place.word : state_directory();
    if (!directory) {
      trouble_ = "neither XDG_STATE_HOME nor HOME is set";
      return;
    }
    const std::optional<std::string> name = name_of(words);
    if (!name) return;
    base_ = *directory / *name;
  }
  path_ = base_;
  if (!place.shard.empty()) *path_ += "." + place.shard;
}

// nullopt where the words have no places of their own.
std::optional<std::string> RunState::name_of(const std::vector<std::string>& words) {
  std::vector<std::string> batch;
  for (const std::string& word : words) {
    std::error_code error;
    batch.push_back(std::filesystem::canonical(word, error).native());
    if (error) {
      trouble_ = escape_control(word) + " has no place of its own: " + error.message();
      return std::nullopt;
    }
  }
  std::ranges::sort(batch);
  const std::string_view end("\0", 1);
  return fmt::format("batch-{:016x}", hash_of(fmt::format("{}", fmt::join(batch, end))));
}

void RunState::open() {
  if (!path_) return;
  try {
    if (path_->has_parent_path()) std::filesystem::create_directories(path_->parent_path());
    open_log();
  } catch (const Error& error) {
    if (error.label() == "file.f5") lose(error);
    trouble_ = error.what();
    log_.reset();
  } catch (const std::filesystem::filesystem_error& error) {
    trouble_ = escape_control(error.what());
  }
}

void RunState::open_log() {
  constexpr std::int64_t longest = std::int64_t{64} << 20U;
  take_log(use_ == Use::added ? Sharing::shared : Sharing::alone);
  const std::int64_t size = log_->status().st_size;
  const bool is_right = size == 0 || front() == first_line;
  const bool is_long = size > longest;
  if (use_ == Use::added && (!is_right || is_long)) take_log(Sharing::alone);
  if (!is_right && use_ != Use::anew)
    trouble_ =
        path_->native() + (front().starts_with(first_words) ? " is of another version of tscatter"
                                                            : " is not what an earlier run wrote");
  if (!is_right || use_ == Use::anew) {
    clear();
  } else if (is_long) {
    load(*path_);
    rewrite();
    take_log(Sharing::alone);
  }
  // Where two states know a case, the one that was changed last counts.
  if (use_ == Use::looked) {
    for (const auto& [time, path] : present()) load(path);
  }
  if (use_ == Use::anew) forget_shards();
  if (log_->status().st_size == 0) log_->write_on(std::as_bytes(std::span(first_line)));
}

void RunState::take_log(Sharing sharing) {
  constexpr int most_tries = 100;
  const std::string& name = path_->native();
  for (int tries = 0;; ++tries) {
    log_.emplace(open_own(*path_, O_RDWR | O_CREAT | O_APPEND, system_files(), 0666));
    places_.emplace(open_own(*path_, O_WRONLY));
    // file.f4
    if (log_->descriptor() < 0 || places_->descriptor() < 0) {
      fail(ErrorKind::file, "file.f4", name, "cannot be opened for writing: {}", errno_text(errno));
    }
    // file.f8
    if (!try_both_locks(*log_, sharing)) {
      fail(ErrorKind::file, "file.f8", name, "is in use by another run of the batch");
    }
    const bool is_one = is_same_file(log_->status(), places_->status());
    if ((is_one && is_named(*log_, *path_)) || tries == most_tries) return;
  }
}

// As many bytes as a first line has, if the file is that long.
std::string RunState::front() const {
  const auto size = std::min<std::int64_t>(log_->status().st_size, std::ssize(first_line));
  std::string front(static_cast<std::size_t>(size), ' ');
  log_->read_at(0, std::as_writable_bytes(std::span(front)));
  return front;
}

void RunState::clear() const {
  // file.f5
  if (log_->files().truncate(log_->descriptor(), 0) != 0) {
    fail(ErrorKind::file, "file.f5", path_->native(), "cannot be written to its end: {}",
         errno_text(errno));
  }
}

// Keeps only the last record of each case.
void RunState::rewrite() const {
  OutputFile anew(*path_, Durability::kill);
  std::string text(first_line);
  for (const auto& [name, record] : records_) text += record_line(record);
  anew.write(0, std::as_bytes(std::span(text)));
  anew.commit();
}

// The batch's own state and its shards' states, the last changed last.
std::vector<RunState::Timed> RunState::present() const {
  std::vector<Timed> timed;
  std::error_code error;
  const std::string own = base_.filename().native();
  const auto folder = base_.has_parent_path() ? base_.parent_path() : std::filesystem::path(".");
  std::filesystem::directory_iterator entry(folder, error);
  for (; !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
    const std::string name = entry->path().filename().native();
    const bool is_shard =
        name.starts_with(own + ".") && name.find("-of-", own.size()) < name.size();
    std::error_code gone;
    const auto time = entry->last_write_time(gone);
    if ((name == own || is_shard) && !gone) timed.emplace_back(time, entry->path());
  }
  std::ranges::sort(timed);
  return timed;
}

// All cases run again: what shards know is old. One that runs now keeps its own.
void RunState::forget_shards() const {
  for (const auto& [time, path] : present()) {
    if (path.filename() == path_->filename()) continue;
    const File file = open_unfollowed(path, O_RDWR);
    std::error_code ignored;
    const bool is_state = file.descriptor() >= 0 && file.is_regular();
    if (is_state && try_both_locks(file)) std::filesystem::remove(path, ignored);
  }
}

void RunState::load(const std::filesystem::path& path) {
  const File file = open_own(path, O_RDONLY);
  if (file.descriptor() < 0 && errno == ENOENT) return;
  // file.f1
  if (file.descriptor() < 0) {
    fail(ErrorKind::file, "file.f1", path.native(), "cannot be opened: {}", errno_text(errno));
  }
  std::string text;
  std::vector<char> piece(std::size_t{64} << 10U);
  for (;;) {
    const std::size_t got = file.read_some(std::as_writable_bytes(std::span(piece)));
    text.append(piece.data(), got);
    text.erase(0, load_lines(text));
    // Of a line only its end counts.
    if (text.size() > line_size) text.erase(0, text.size() - line_size);
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
  pending_ += record_line(record);
  if (pending_.size() >= longest || Clock::now() - flushed_ > std::chrono::seconds(1))
    write_pending();
}

std::optional<std::int64_t> RunState::reserve(std::uint64_t name) {
  if (use_ == Use::none) return std::nullopt;
  const std::scoped_lock lock(mutex_);
  if (log_) {
    pending_ += record_line({.name = name});
    write_pending();
  }
  has_lost_ = has_lost_ || !log_;
  // batch.b14
  if (!log_) {
    fail(ErrorKind::file, "batch.b14", "in_place",
         "the change cannot be recorded, and --resume would make it again: {}", trouble_);
  }
  constexpr auto length = static_cast<std::int64_t>(line_size + 1);
  return ::lseek(log_->descriptor(), 0, SEEK_CUR) - length;
}

void RunState::fill(std::int64_t place, const CaseRecord& record) {
  const std::string text = record_line(record);
  const std::scoped_lock lock(mutex_);
  try {
    places_->write_at(place, std::as_bytes(std::span(text)));
  } catch (const Error& error) {
    lose(error);
  }
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
    lose(error);
  }
  pending_.clear();
  flushed_ = Clock::now();
}

void RunState::lose(const Error& error) {
  trouble_ = error.what();
  has_lost_ = true;
  log_.reset();
  print_error(fmt::format("tscatter: {}\n", error.what()));
}

}  // namespace tscatter::app
