// What a killed run in place left beside its file, and how the file is restored. Invariants:
// docs/journal.md.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "tscatter/core/bytes.hpp"
#include "tscatter/core/progress.hpp"
#include "tscatter/io/files/file.hpp"
#include "tscatter/io/files/locked_file.hpp"

namespace tscatter {

enum class UndoState : std::uint8_t {
  none,       // there is no journal: the file is not half changed
  committed,  // the file may be half changed
};

struct Leftover {
  UndoState state = UndoState::none;
  std::int64_t ranges = 0;  // of old bytes
  std::int64_t bytes = 0;

  friend bool operator==(const Leftover&, const Leftover&) = default;
};

// What happens if the file was changed after the run. If it was written anew, say, a rollback would
// put bytes of the old one into it.
enum class OtherWriters : bool { refused, passed_over };

// Finds the journal beside `data`, which is at `target`; changes nothing. Throws Error: undo.u2
// when the journal cannot be read or trusted, undo.u3 when it belongs to another file, undo.u4 when
// it is damaged, undo.u8 when the file was changed later. REQUIRES: data is locked; `target` is not
// a symbolic link.
Leftover find_leftover(const File& data, const std::filesystem::path& target,
                       OtherWriters others = OtherWriters::refused);

// The same, and restores the file: writes the old bytes back, and removes the journal when they are
// on the disk. Throws Error: as above, and undo.u6. REQUIRES: data is open for writing.
Leftover roll_back(const File& data, const std::filesystem::path& target,
                   OtherWriters others = OtherWriters::refused);

// The same for an open journal, which is called `name` in messages and stays: needs no descriptor.
Leftover restore(const File& data, const File& journal, const std::string& name,
                 OtherWriters others);

enum class Recovery : bool { checked, done };

// Opens and locks the file, and finds or rolls back what was left beside it. Throws Error: file.f1,
// file.f2, file.f4, file.f8 (if it is to wait: file.f9), and those above.
Leftover recover(const std::filesystem::path& path, Recovery recovery = Recovery::done,
                 FileSystem& files = system_files(), const std::optional<Waiting>& waiting = {},
                 OtherWriters others = OtherWriters::refused);

// Who may have locked a file that is read.
enum class LockHolder : bool { anybody, caller };

// Throws Error (file, undo.u5) when a run in place that is still going or was killed may
// have left this file half changed.
void require_settled(const std::filesystem::path& path, const std::string& name,
                     LockHolder holder = LockHolder::anybody);

// Opens a file to read it, as whoever reads or copies tensors does. Throws Error and
// Cancelled as File::open_for_reading() and require_settled() do.
File open_settled(const std::filesystem::path& path, const std::string& name,
                  LockHolder holder = LockHolder::anybody, StopFlag stop = nullptr);

}  // namespace tscatter
