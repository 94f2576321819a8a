// Makes what a killed run in place leaves.
#pragma once

#include <filesystem>
#include <vector>

#include "tscatter/io/files/locked_file.hpp"
#include "tscatter/io/journal/undo_journal.hpp"

namespace tscatter {

inline std::filesystem::path journal_of(const std::filesystem::path& file) {
  return undo_journal_path(file);
}

// Writes a committed journal of the file's ranges as they are now. Locks nothing.
inline void leave_journal(const std::filesystem::path& file, const std::vector<ByteRange>& ranges) {
  const File data = open_locked(file, file.native(), system_files());
  UndoJournal journal(data, file, 0, Durability::kill);
  std::vector<std::byte> buffer;
  journal.keep(ranges, buffer);
  journal.seal();
}

}  // namespace tscatter
