#include "tscatter/io/journal/undo_journal.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <utility>
#include <vector>

#include "tscatter/core/fail.hpp"
#include "tscatter/io/files/file_names.hpp"
#include "tscatter/io/journal/rollback.hpp"
#include "tscatter/io/journal/undo_format.hpp"

namespace tscatter {
namespace {

constexpr std::size_t most_held = std::size_t{512} * 1024;  // of records, before they are written

constexpr std::array undo_journal_rule_rows{
    Rule{"undo.u1", "the undo journal of a change in place can be written beside the file"},
    Rule{"undo.u2",
         "an undo journal is a regular file that can be read, of the user or of the file's owner, "
         "and nobody else may write to it"},
    Rule{"undo.u3", "an undo journal belongs to the file that it stands beside"},
    Rule{"undo.u4", "an undo journal is intact"},
    Rule{"undo.u5",
         "a file that is read or replaced has no undo journal beside it that waits to be rolled "
         "back"},
    Rule{"undo.u6", "old bytes can be written back, and the undo journal removed"},
    Rule{"undo.u7", "a file that is changed with an undo journal has one name"},
    Rule{"undo.u8", "nothing else writes to a file between a kill and the rollback"},
};

std::int64_t steady_nanoseconds() {
  return std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// The reason at the end of a message.
std::string_view got(const Error& error) {
  constexpr std::string_view before = ": ";
  const std::string_view message = error.message();
  return message.substr(message.rfind(before) + before.size());
}

}  // namespace

const std::span<const Rule> undo_rules = undo_journal_rule_rows;

std::filesystem::path undo_journal_path(const std::filesystem::path& target) {
  std::filesystem::path path = target;
  path += ".tscatter-undo";
  return path;
}

UndoJournal::UndoJournal(const File& data, const std::filesystem::path& target, std::int64_t base,
                         Durability durability, std::function<void()> before_change)
    : data_{data},
      path_{undo_journal_path(target)},
      kept_{.base = base, .durability = durability},
      durability_{durability},
      before_change_{std::move(before_change)} {}

void UndoJournal::keep(std::span<const ByteRange> ranges, std::vector<std::byte>& buffer) {
  std::call_once(created_, [&] { create(); });
  std::size_t size = 0;
  for (const ByteRange each : ranges)
    size += UndoRecordHead::size + static_cast<std::size_t>(kept_.in_file(each).size());
  if (buffer.size() < size) buffer.resize(std::min(size, most_held));
  Records records{.buffer = buffer};
  kept_.visit(ranges, [&](ByteRange range) { add(range, records); });
  flush(records);
}

void UndoJournal::seal() {
  if (!file_) return;
  const std::int64_t position = end_;
  const UndoCommit commit{
      .nonce = nonce_, .records = count_, .position = position, .total_sum = total_sum_};
  write(position, encode(commit));
  time_.was_written();
  // The name must not reach the disk before the whole journal.
  if (durability_ == Durability::power_cut) sync();
  if (before_change_) before_change_();
  if (!file_->put_in_free_place()) fail_to_write();
  // From here on a kill leaves a journal that is rolled back.
  is_sealed_ = true;
  if (durability_ == Durability::kill) return;
  if (!sync_directory()) fail_to_write();
}

void UndoJournal::remove() {
  if (!file_) return;
  // undo.u6
  if (!unlink_own()) {
    fail(ErrorKind::file, "undo.u6", data_.name(), "the undo journal cannot be removed: {}",
         errno_text(errno));
  }
  file_.reset();
  is_sealed_ = false;
  // undo.u6
  if (durability_ == Durability::power_cut && !sync_directory()) {
    fail(ErrorKind::file, "undo.u6", data_.name(),
         "the change was made, but the directory cannot be flushed to disk: {}", errno_text(errno));
  }
}

void UndoJournal::roll_back() {
  restore(data_, file_->file(), path_.native(), OtherWriters::passed_over);
  // undo.u6
  if (!unlink_own() || !sync_directory()) {
    fail(ErrorKind::file, "undo.u6", data_.name(), "the undo journal cannot be removed: {}",
         errno_text(errno));
  }
  file_.reset();
  is_sealed_ = false;
}

ByteRange KeptRanges::in_file(ByteRange range) const {
  constexpr std::int64_t block = 4096;
  range.begin += base;
  range.end += base;
  if (durability == Durability::kill) return range;
  return {.begin = range.begin / block * block,
          .end = std::min((range.end + block - 1) / block * block, data_size)};
}

void JournalTime::was_written() { noted_ = steady_nanoseconds(); }

// Where the time cannot be set, --force is needed after a long change.
void JournalTime::note(const File& journal) {
  constexpr std::chrono::nanoseconds most = std::chrono::milliseconds(100);
  const std::int64_t now = steady_nanoseconds();
  std::int64_t before = noted_;
  if (before != 0 && now - before < most.count()) return;
  if (noted_.compare_exchange_strong(before, now)) journal.files().touch(journal.descriptor());
}

void UndoSize::keep(std::span<const ByteRange> ranges, std::vector<std::byte>&) {
  constexpr std::int64_t most = UndoRecordHead::most_bytes;
  kept_.visit(ranges, [this](ByteRange range) {
    const std::int64_t records = (range.size() + most - 1) / most;
    records_ += records * static_cast<std::int64_t>(UndoRecordHead::size) + range.size();
  });
}

std::int64_t UndoSize::bytes() const {
  constexpr std::int64_t frame = UndoHeader::size + UndoCommit::size;
  return records_ == 0 ? 0 : frame + records_;
}

void UndoJournal::fail_to_write(std::string_view got) const {
  // undo.u1
  fail(ErrorKind::file, "undo.u1", data_.name(),
       "the undo journal cannot be written beside the file (or use --no-journal): {}", got);
}

void UndoJournal::fail_to_write() const { fail_to_write(errno_text(errno)); }

void UndoJournal::create() {
  FileSystem& files = data_.files();
  constexpr mode_t owner_only = 0600;
  try {
    file_.emplace(path_, data_.name(), files, owner_only);
  } catch (const Error& error) {
    fail_to_write(got(error));
  }
  open_directory();
  const struct stat status = data_.status();
  // The file's owner must be able to roll back what root leaves behind.
  if (status.st_uid != ::geteuid()) files.fchown(descriptor(), status.st_uid, status.st_gid);
  nonce_ = random_number();
  UndoHeader header;
  header.nonce = nonce_;
  if (files.identify(data_.descriptor(), header.file) != 0) fail_to_write();
  kept_.data_size = header.file.size;
  write(0, encode(header));
  end_ = UndoHeader::size;
}

// A rollback must not lack a descriptor. A directory that the user may not read is not opened.
void UndoJournal::open_directory() {
  FileSystem& files = data_.files();
  File directory(files.open(directory_of(path_), O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0),
                 data_.name(), files);
  if (directory.descriptor() >= 0) {
    directory_.emplace(std::move(directory));
  } else if (errno != EACCES) {
    fail_to_write();
  }
}

void UndoJournal::add(ByteRange range, Records& records) {
  while (range.begin < range.end) {
    const std::int64_t length = std::min(range.size(), UndoRecordHead::most_bytes);
    const std::size_t size = UndoRecordHead::size + static_cast<std::size_t>(length);
    if (records.used + size > most_held) flush(records);
    if (records.buffer.size() < records.used + size) records.buffer.resize(records.used + size);
    const auto record = std::span(records.buffer).subspan(records.used, size);
    data_.read_at(range.begin, record.subspan(UndoRecordHead::size));
    total_sum_ += finish_record(nonce_, range.begin, record);
    ++count_;
    records.used += size;
    range.begin += length;
  }
}

void UndoJournal::flush(Records& records) {
  if (records.used == 0) return;
  const auto size = static_cast<std::int64_t>(records.used);
  const std::int64_t position = end_.fetch_add(size);
  reserve(position + size);
  write(position, std::span<const std::byte>(records.buffer).first(records.used));
  records.used = 0;
}

// Reserving space makes a long journal faster to write; if that fails, writing will report it. A
// short journal is removed before the file system has given it any space.
void UndoJournal::reserve(std::int64_t size) {
  constexpr std::int64_t shortest = std::int64_t{32} << 20U;
  std::int64_t before = reserved_;
  if (size <= std::max(before, shortest)) return;
  if (!reserved_.compare_exchange_strong(before, 2 * size)) return;
  data_.files().fallocate(descriptor(), FALLOC_FL_KEEP_SIZE, 0, 2 * size);
}

void UndoJournal::write(std::int64_t position, std::span<const std::byte> bytes) const {
  while (!bytes.empty()) {
    const ssize_t put = data_.files().pwrite(descriptor(), bytes, position);
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) fail_to_write();
    position += put;
    bytes = bytes.subspan(static_cast<std::size_t>(put));
  }
}

// One that may not be opened may be opened later, or its names cannot be flushed.
bool UndoJournal::sync_directory() const {
  FileSystem& files = data_.files();
  return directory_ ? files.fsync(directory_->descriptor()) == 0 : sync_directory_of(path_, files);
}

void UndoJournal::sync() const {
  if (data_.files().fsync(descriptor()) != 0) fail_to_write();
}

// If the file was replaced meanwhile, the name may now belong to another journal.
bool UndoJournal::unlink_own() const {
  struct stat named {};
  if (data_.files().lstat(path_, named) != 0) return errno == ENOENT;
  if (!is_same_file(named, file_->file().status())) return true;
  return data_.files().unlink(path_) == 0;
}

}  // namespace tscatter
