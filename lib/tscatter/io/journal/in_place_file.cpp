#include "tscatter/io/journal/in_place_file.hpp"

#include <cassert>

#include "tscatter/core/fail.hpp"
#include "tscatter/io/files/file_source.hpp"
#include "tscatter/io/files/locked_file.hpp"
#include "tscatter/io/files/path.hpp"
#include "tscatter/io/journal/in_place_sink.hpp"

namespace tscatter {
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
  const auto extent = tensor.source().extent();
  struct stat other {};
  if (!extent || ::fstat(extent->descriptor, &other) != 0) return false;
  const struct stat own = file_->file().status();
  return own.st_dev == other.st_dev && own.st_ino == other.st_ino;
}

Sink& InPlaceFile::begin(const TensorHeader&, const Source&) {
  const bool is_settled = options_.recovery == Recovery::done;
  // undo.u5
  if (!is_settled && leftover_.state != UndoState::none) {
    fail(ErrorKind::file, "undo.u5", file_->file().name(),
         "must be rolled back before it is changed, got an undo journal beside it");
  }
  if (options_.journaling == Journaling::done) require_one_name();
  sink_ = std::make_unique<InPlaceSink>(file_->file(), data_offset());
  if (options_.journaling == Journaling::done) sink_->keep_journal(target_, options_.durability);
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
