#include "tscatter/io/journal/rollback.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <string>
#include <vector>

#include "tscatter/core/fail.hpp"
#include "tscatter/io/files/file_names.hpp"
#include "tscatter/io/files/locked_file.hpp"
#include "tscatter/io/files/sources.hpp"
#include "tscatter/io/journal/undo_format.hpp"
#include "tscatter/io/journal/undo_journal.hpp"

namespace tscatter {
namespace {

// A journal that somebody else could have made must not change the file.
bool is_trusted(const struct stat& journal, const struct stat& data) {
  constexpr mode_t writable_by_others = S_IWGRP | S_IWOTH;
  const bool is_own = journal.st_uid == data.st_uid || journal.st_uid == ::geteuid();
  return (is_own || journal.st_uid == 0) && (journal.st_mode & writable_by_others) == 0;
}

// The errors that mean that nothing has this name; a name that is too long cannot exist.
bool means_nothing(int error) {
  return error == ENOENT || error == ENOTDIR || error == ENAMETOOLONG;
}

// nullopt if there is none.
std::optional<File> open_journal(const File& data, const std::filesystem::path& path) {
  FileSystem& files = data.files();
  File journal = open_unfollowed(path, O_RDONLY, files);
  if (journal.descriptor() < 0 && means_nothing(errno)) return std::nullopt;
  // undo.u2
  if (journal.descriptor() < 0) {
    fail(ErrorKind::file, "undo.u2", data.name(), "its undo journal, {}, cannot be opened: {}",
         path.native(), errno_text(errno));
  }
  const struct stat status = journal.status();
  // undo.u2
  if (!S_ISREG(status.st_mode) || !is_trusted(status, data.status())) {
    fail(ErrorKind::file, "undo.u2", data.name(),
         "its undo journal, {}, must be a regular file of the user or of the file's owner that "
         "nobody else may write to, got {} of user {} with mode {:o}",
         path.native(), S_ISREG(status.st_mode) ? "one" : "another kind", status.st_uid,
         status.st_mode & 07777U);
  }
  return journal;
}

void require_own(const UndoReader& reader, const File& data, const std::string& journal) {
  FileIdentity own;
  const bool is_known = data.files().identify(data.descriptor(), own) == 0;
  // undo.u3
  if (!is_known || reader.file() != own) {
    fail(ErrorKind::file, "undo.u3", data.name(),
         "its undo journal, {}, belongs to another file, of inode {} and {} bytes, not inode {} "
         "and {} bytes (remove the journal if the file is intact)",
         journal, reader.file().inode, reader.file().size, own.inode, own.size);
  }
}

// The journal has the time of the last write of the run, or of a rollback that was killed.
void require_unchanged_since(const File& journal, const File& data, const std::string& name) {
  constexpr std::int64_t most = 5;  // that a write may come later, on a busy machine
  const std::int64_t later = data.status().st_mtim.tv_sec - journal.status().st_mtim.tv_sec;
  // undo.u8
  if (later > most) {
    fail(ErrorKind::file, "undo.u8", data.name(),
         "was changed {} s after a run in place was killed, whose undo journal is {} (remove the "
         "journal if the file is intact; tscatter recover --force rolls back)",
         later, name);
  }
}

// A file that stays its owner's.
class OpenFileSource final : public Source {
 public:
  explicit OpenFileSource(const File& file) : file_{file} {}
  std::int64_t size() const override { return file_.status().st_size; }
  void read(std::int64_t offset, std::span<std::byte> into) const override {
    file_.read_at(offset, into);
  }

 private:
  const File& file_;
};

Leftover total(const UndoReader& reader) {
  Leftover leftover{.state = UndoState::committed};
  reader.visit([&](std::int64_t, std::span<const std::byte> old_bytes) {
    ++leftover.ranges;
    leftover.bytes += static_cast<std::int64_t>(old_bytes.size());
  });
  return leftover;
}

void write_all(const File& data, std::int64_t offset, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t put = data.files().pwrite(data.descriptor(), bytes, offset);
    if (put < 0 && errno == EINTR) continue;
    // undo.u6
    if (put < 0) {
      fail(ErrorKind::file, "undo.u6", data.name(), "the old bytes cannot be restored: {}",
           errno_text(errno));
    }
    offset += put;
    bytes = bytes.subspan(static_cast<std::size_t>(put));
  }
}

// Writes only blocks that have changed: others may be holes, which would take space if written.
void write_back(const File& data, std::int64_t offset, std::span<const std::byte> bytes) {
  constexpr std::size_t block = 4096;
  std::vector<std::byte> found(bytes.size());
  data.read_at(offset, found);
  const std::size_t before = static_cast<std::uint64_t>(offset) % block;
  const auto end_of_block = [&](std::size_t at) {
    return std::min((before + at) / block * block + block - before, bytes.size());
  };
  const auto differs = [&](std::size_t begin, std::size_t end) {
    return !std::equal(&bytes[begin], &bytes[begin] + (end - begin), &found[begin]);
  };
  std::size_t begin = 0;
  for (std::size_t at = 0; at < bytes.size();) {
    const std::size_t end = end_of_block(at);
    if (!differs(at, end)) {
      write_all(data, offset + static_cast<std::int64_t>(begin), bytes.subspan(begin, at - begin));
      begin = end;
    }
    at = end;
  }
  write_all(data, offset + static_cast<std::int64_t>(begin), bytes.subspan(begin));
}

void remove_journal(const File& data, const std::filesystem::path& path) {
  // undo.u6
  if (data.files().unlink(path) != 0) {
    fail(ErrorKind::file, "undo.u6", data.name(), "its undo journal, {}, cannot be removed: {}",
         path.native(), errno_text(errno));
  }
  // undo.u6
  if (!sync_directory_of(path, data.files())) {
    fail(ErrorKind::file, "undo.u6", data.name(),
         "the removal of its undo journal, {}, cannot be flushed to disk: {}", path.native(),
         errno_text(errno));
  }
}

// Whoever holds the file's lock is changing it.
bool is_being_changed(const std::filesystem::path& path) {
  const File file(system_files().open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC, 0), path.native());
  return is_locked_by_another(file, Access::reading);
}

}  // namespace

Leftover find_leftover(const File& data, const std::filesystem::path& target, OtherWriters others) {
  const std::filesystem::path path = undo_journal_path(target);
  const auto journal = open_journal(data, path);
  if (!journal) return {};
  const OpenFileSource source(*journal);
  const UndoReader reader(source, path.native());
  require_own(reader, data, path.native());
  const Leftover leftover = total(reader);
  if (others == OtherWriters::refused) require_unchanged_since(*journal, data, path.native());
  return leftover;
}

// Every record is checked before the first one is applied.
Leftover restore(const File& data, const File& journal, const std::string& name,
                 OtherWriters others) {
  const OpenFileSource source(journal);
  const UndoReader reader(source, name);
  require_own(reader, data, name);
  const Leftover leftover = total(reader);
  if (others == OtherWriters::refused) require_unchanged_since(journal, data, name);
  JournalTime time;
  reader.visit([&](std::int64_t offset, std::span<const std::byte> old_bytes) {
    time.note(journal);
    write_back(data, offset, old_bytes);
  });
  // undo.u6
  if (data.files().fsync(data.descriptor()) != 0) {
    fail(ErrorKind::file, "undo.u6", data.name(), "old bytes cannot be flushed to disk: {}",
         errno_text(errno));
  }
  return leftover;
}

Leftover roll_back(const File& data, const std::filesystem::path& target, OtherWriters others) {
  const std::filesystem::path path = undo_journal_path(target);
  const auto journal = open_journal(data, path);
  if (!journal) return {};
  const Leftover leftover = restore(data, *journal, path.native(), others);
  remove_journal(data, path);
  return leftover;
}

Leftover recover(const std::filesystem::path& path, Recovery recovery, FileSystem& files,
                 const std::optional<Waiting>& waiting, OtherWriters others) {
  const std::filesystem::path target = follow_links(path, path.native());
  {
    const File data = open_locked(target, path.native(), files, Access::reading, waiting);
    if (recovery == Recovery::checked) return find_leftover(data, target, others);
    // If there is nothing to do, the file need not be writable.
    if (!open_journal(data, undo_journal_path(target))) return {};
  }
  return roll_back(open_locked(target, path.native(), files, Access::writing, waiting), target,
                   others);
}

void require_settled(const std::filesystem::path& path, const std::string& name,
                     LockHolder holder) {
  const std::filesystem::path target = follow_links(path, name);
  const std::filesystem::path journal = undo_journal_path(target);
  struct stat status {};
  const bool has_journal = ::lstat(journal.c_str(), &status) == 0;
  if (!has_journal && means_nothing(errno)) return;
  // Only regular files are changed in place, and this must not wait for a pipe.
  if (::stat(target.c_str(), &status) == 0 && !S_ISREG(status.st_mode)) return;
  // undo.u5
  if (!has_journal) {
    fail(ErrorKind::file, "undo.u5", name,
         "it cannot be seen whether it has an undo journal, {}: {}", journal.native(),
         errno_text(errno));
  }
  // undo.u5
  if (holder == LockHolder::anybody && is_being_changed(target)) {
    fail(ErrorKind::file, "undo.u5", name,
         "is being changed in place by another tscatter, whose undo journal is {}",
         journal.native());
  }
  // undo.u5
  if (holder == LockHolder::caller && ::stat(target.c_str(), &status) != 0) {
    fail(ErrorKind::file, "undo.u5", name,
         "the undo journal of an earlier file of this name stands beside it (remove it): {}",
         journal.native());
  }
  const File data = File::open_for_reading(target);
  // undo.u5
  if (find_leftover(data, target).state == UndoState::committed) {
    fail(ErrorKind::file, "undo.u5", name,
         "is half changed: a run in place was killed (tscatter recover rolls back), and its undo "
         "journal is {}",
         journal.native());
  }
}

File open_settled(const std::filesystem::path& path, const std::string& name, LockHolder holder,
                  StopFlag stop) {
  File file = File::open_for_reading(path, system_files(), stop);
  require_settled(path, name, holder);
  return file;
}

}  // namespace tscatter
