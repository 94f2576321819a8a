// InPlaceSink: writes to the file that holds data, and keeps a journal if there is to be one. Not
// part of the installed interface.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>

#include "tscatter/core/output.hpp"
#include "tscatter/io/files/file.hpp"
#include "tscatter/io/journal/undo_journal.hpp"

namespace tscatter {

class InPlaceSink final : public Sink {
 public:
  // Offset 0 is byte `base`. REQUIRES: the file outlives the sink.
  InPlaceSink(const File& file, std::int64_t base) : file_{file}, base_{base} {}

  // REQUIRES: the file is at `target`, which is not a symbolic link.
  void keep_journal(const std::filesystem::path& target, Durability durability) {
    journal_.emplace(file_, target, base_, durability);
  }
  std::optional<UndoJournal>& journal() { return journal_; }

  // Whether the file may have been changed.
  bool has_written() const { return has_written_; }

  void write(std::int64_t offset, std::span<const std::byte> bytes) override {
    has_written_.store(true, std::memory_order_relaxed);
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

}  // namespace tscatter
