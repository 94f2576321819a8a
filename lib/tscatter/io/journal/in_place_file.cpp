#include "tscatter/io/journal/in_place_file.hpp"

#include <atomic>
#include <cassert>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>

#include "tscatter/core/fail.hpp"
#include "tscatter/core/tensor.hpp"
#include "tscatter/io/files/file.hpp"
#include "tscatter/io/files/file_names.hpp"
#include "tscatter/io/files/locked_file.hpp"
#include "tscatter/io/files/sources.hpp"
#include "tscatter/io/journal/undo_journal.hpp"
#include "tscatter/views/strided_view.hpp"

namespace tscatter {
// InPlaceSink: writes to the file that holds data, and keeps a journal if there is to be one.
class InPlaceSink final : public Sink {
 public:
  // Offset 0 is byte `base`. REQUIRES: the file outlives the sink.
  InPlaceSink(const File& file, std::int64_t base) : file_{file}, base_{base} {}

  // REQUIRES: the file is at `target`, which is not a symbolic link.
  void keep_journal(const std::filesystem::path& target, const InPlaceOptions& options) {
    journal_.emplace(file_, target, base_, options.durability, options.before_change);
  }
  std::optional<UndoJournal>& journal() { return journal_; }

  // Whether the file may have been changed.
  bool has_written() const { return has_written_; }

  void write(std::int64_t offset, std::span<const std::byte> bytes) override {
    has_written_.store(true, std::memory_order_relaxed);
    if (journal_) journal_->note_time();
    file_.write_at(base_ + offset, bytes);
  }
  bool holds_data() const override { return true; }
  std::int64_t page_offset() const override { return base_; }
  UndoLog* undo_log() override { return journal_ ? &*journal_ : nullptr; }

 private:
  const File& file_;
  std::int64_t base_;
  std::optional<UndoJournal> journal_;
  std::atomic<bool> has_written_ = false;
};

InPlaceFile::InPlaceFile(const std::filesystem::path& path, const Reader& read,
                         const InPlaceOptions& options)
    : options_{options},
      target_{follow_links(path, path.native())},
      file_{std::make_shared<FileSource>(
          open_locked(target_, path.native(), *options.files, Access::writing, options.waiting))},
      leftover_{options.recovery == Recovery::done ? roll_back(file_->file(), target_)
                                                   : find_leftover(file_->file(), target_)},
      data_{read(file_, path.native())} {
  const auto extent = data_->source().extent();
  // file.f10
  if (!extent || extent->descriptor != file().descriptor()) {
    fail(ErrorKind::file, "file.f10", path.native(),
         "must hold the elements in one piece to be changed in place (-o writes another file), got "
         "values that are stored one by one");
  }
}

InPlaceFile::~InPlaceFile() { take_back(); }

const File& InPlaceFile::file() const { return file_->file(); }

Output::Remains InPlaceFile::take_back() noexcept {
  if (sink_ == nullptr) return Remains::nothing;
  const std::unique_ptr<InPlaceSink> sink = std::move(sink_);
  if (!sink->journal()) return sink->has_written() ? Remains::change : Remains::nothing;
  if (!sink->journal()->is_sealed()) return Remains::nothing;
  try {
    sink->journal()->roll_back();
    return Remains::nothing;
  } catch (const std::exception&) {
    return Remains::journal;  // the next run in place rolls back
  }
}

std::unique_ptr<UndoSize> InPlaceFile::undo_size() const {
  if (options_.journaling == Journaling::left_out) return nullptr;
  return std::make_unique<UndoSize>(KeptRanges{.base = data_offset(),
                                               .data_size = file_->file().status().st_size,
                                               .durability = options_.durability});
}

bool InPlaceFile::is_read_by(const Tensor& tensor) const {
  const auto extent = source_behind(tensor).extent();
  struct stat other {};
  if (!extent || ::fstat(extent->descriptor, &other) != 0) return false;
  return is_same_file(file_->file().status(), other);
}

Sink& InPlaceFile::begin(const TensorHeader&, const Source&) {
  const bool is_settled = options_.recovery == Recovery::done;
  // undo.u5
  if (!is_settled && leftover_.state != UndoState::none) {
    fail(ErrorKind::file, "undo.u5", file_->file().name(),
         "an undo journal stands beside it: roll it back first (tscatter recover)");
  }
  if (options_.journaling == Journaling::done) require_one_name();
  sink_ = std::make_unique<InPlaceSink>(file_->file(), data_offset());
  if (options_.journaling == Journaling::done) sink_->keep_journal(target_, options_);
  return *sink_;
}

void InPlaceFile::commit() {
  if (options_.durability == Durability::power_cut) file_->file().sync();
  file_->file().flush();
  if (sink_->journal()) sink_->journal()->remove();
  sink_.reset();
}

std::int64_t InPlaceFile::data_offset() const {
  const auto extent = data_->source().extent();
  assert(extent);
  return extent->offset;
}

// A journal is looked for beside the given name. Through a second name a half changed file would be
// read and changed, and the journal would later be rolled back over that change.
void InPlaceFile::require_one_name() const {
  const auto names = file_->file().status().st_nlink;
  // undo.u7
  if (names > 1) {
    fail(ErrorKind::file, "undo.u7", file_->file().name(),
         "must have one name to be changed in place with an undo journal (or use --no-journal), "
         "got {} hard links",
         names);
  }
}

}  // namespace tscatter
