// UndoJournal: keeps the old bytes of what is about to change in a file, in a journal beside it,
// until the change is complete. Invariants: docs/journal.md.
#pragma once

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <functional>
#include <mutex>
#include <optional>
#include <string_view>

#include "tscatter/core/bytes.hpp"
#include "tscatter/core/tensor.hpp"
#include "tscatter/io/files/file.hpp"
#include "tscatter/io/files/temporary_file.hpp"

namespace tscatter {

// The path of a file's journal. REQUIRES: `target` is not a symbolic link.
std::filesystem::path undo_journal_path(const std::filesystem::path& target);

// Ranges as a journal keeps them: where they are in the file. To survive power cuts a range is
// widened to whole blocks: a cut may garble the whole block that is being written.
struct KeptRanges {
  std::int64_t base = 0;       // of offset 0, in the file
  std::int64_t data_size = 0;  // of the file
  Durability durability = Durability::kill;

  ByteRange in_file(ByteRange range) const;

  // Calls visit(range) for each range of the file; ranges that touch are joined. REQUIRES: `ranges`
  // ascend.
  template <class Visit>
  void visit(std::span<const ByteRange> ranges, const Visit& visit) const {
    ByteRange next;
    for (const ByteRange each : ranges) {
      const ByteRange range = in_file(each);
      if (range.begin > next.end) {
        visit(next);
        next = range;
      }
      next.begin = std::min(next.begin, range.begin);
      next.end = std::max(next.end, range.end);
    }
    visit(next);
  }
};

// Sets a journal's time of change again while its file is written, ten times a second. If the file
// was changed much later than that, others did it (undo.u8).
class JournalTime {
 public:
  void was_written();              // the journal itself, now
  void note(const File& journal);  // before each write to the file

 private:
  std::atomic<std::int64_t> noted_{0};  // in nanoseconds of the steady clock; 0: not yet
};

// How large a journal would be; keeps nothing.
class UndoSize final : public UndoLog {
 public:
  explicit UndoSize(KeptRanges kept) : kept_{kept} {}

  void keep(std::span<const ByteRange> ranges, std::vector<std::byte>& buffer) override;
  void seal() override {}

  std::int64_t bytes() const;  // of the journal; 0 if there would be none

 private:
  KeptRanges kept_;
  std::atomic<std::int64_t> records_{0};  // their bytes
};

class UndoJournal final : public UndoLog {
 public:
  // Creates nothing until the first range is kept. Offset 0 is byte `base` of `data`, which is at
  // `target`. REQUIRES: data is locked and outlives the journal.
  // `before_change` is called once, before the journal gets its name; the first change follows.
  UndoJournal(const File& data, const std::filesystem::path& target, std::int64_t base,
              Durability durability, std::function<void()> before_change = {});

  // Throw Error (file, undo.u1).
  void keep(std::span<const ByteRange> ranges, std::vector<std::byte>& buffer) override;

  // Gives the journal its name. Until then, a kill or a failure leaves none.
  void seal() override;

  // Called before each change.
  void note_time() {
    if (file_) time_.note(file_->file());
  }

  // Whether the file may have been changed; it must then be rolled back unless remove() is called.
  bool is_sealed() const { return is_sealed_; }

  // Called when the change is complete, and on the disk if it is to survive a power cut. Throws
  // Error (file, undo.u6).
  void remove();

  // Restores the file and removes the journal, with the descriptors that it has: none may be left.
  // Throws Error (file, undo.*). REQUIRES: is_sealed().
  void roll_back();

 private:
  void create();
  void open_directory();
  [[noreturn]] void fail_to_write(std::string_view got) const;
  [[noreturn]] void fail_to_write() const;  // with errno's text

  // Records that are not written yet, in the front of the caller's buffer.
  struct Records {
    std::vector<std::byte>& buffer;
    std::size_t used = 0;
  };
  void add(ByteRange range, Records& records);
  void flush(Records& records);
  void reserve(std::int64_t size);
  void write(std::int64_t position, std::span<const std::byte> bytes) const;
  void sync() const;
  bool sync_directory() const;
  int descriptor() const { return file_->file().descriptor(); }
  bool unlink_own() const;

  const File& data_;
  std::filesystem::path path_;
  KeptRanges kept_;
  Durability durability_;
  std::function<void()> before_change_;
  std::once_flag created_;
  std::optional<TemporaryFile> file_;
  std::optional<File> directory_;  // of its name
  std::uint64_t nonce_ = 0;
  std::atomic<std::int64_t> end_{0};
  std::atomic<std::int64_t> reserved_{0};
  std::atomic<std::int64_t> count_{0};  // of records
  std::atomic<std::uint64_t> total_sum_{0};
  JournalTime time_;
  bool is_sealed_ = false;
};

extern const std::span<const Rule> undo_rules;

}  // namespace tscatter
