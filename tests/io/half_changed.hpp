// A file that a run in place was killed over, with its undo journal.
#pragma once

#include <filesystem>
#include <string>

#include "io/files.hpp"
#include "io/left_journal.hpp"
#include "tscatter/io/journal/rollback.hpp"

namespace tscatter {

// x.npy with a committed journal of its last four bytes, which have since changed.
struct HalfChanged {
  // As it was.
  inline static const std::string file =
      npy_file("{'descr': '|u1', 'fortran_order': False, 'shape': (6,)}", "abcdef");

  TemporaryDirectory directory;
  std::filesystem::path path = directory / "x.npy";
  std::filesystem::path journal = journal_of(path);
  std::string changed = file.substr(0, file.size() - 4) + "CDEF";

  HalfChanged() {
    const auto size = static_cast<std::int64_t>(file.size());
    write_file(path, file);
    leave_journal(path, {{.begin = size - 4, .end = size - 2}, {.begin = size - 1, .end = size}});
    // The third of the four was kept by nobody.
    changed[changed.size() - 2] = 'e';
    write_in_place(changed);
  }

  void write_in_place(const std::string& text) const {
    const File data = open_locked(path, path.native(), system_files());
    data.write_at(0, bytes_of(text));
  }
  void damage(std::size_t at) const {
    std::string bytes = read_file(journal);
    bytes[at] = static_cast<char>(bytes[at] ^ 1);
    write_file(journal, bytes);
  }
  std::string refused() const {
    return refusal([&] { recover(path); });
  }
};

}  // namespace tscatter
