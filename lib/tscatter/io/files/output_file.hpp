// OutputFile: a file that appears under its name only when it is complete. Regular files are
// written to a temporary file, which is put in place at the end; devices and pipes are written
// directly, front to back.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tscatter/core/bytes.hpp"
#include "tscatter/core/progress.hpp"
#include "tscatter/core/tensor.hpp"
#include "tscatter/io/files/file.hpp"
#include "tscatter/io/files/locked_file.hpp"
#include "tscatter/io/files/temporary_file.hpp"

namespace tscatter {

// The open descriptor that /dev/stdout, /dev/fd/N or /proc/self/fd/N means; nullopt for other
// paths.
std::optional<int> named_descriptor(const std::string& path);

class OutputFile {
 public:
  // A symbolic link is followed: its target is replaced and the link stays. An existing file keeps
  // its permissions and attributes, a new one follows the umask. /dev/stdout and the like mean the
  // open descriptor. Throws Error (file.f4 or file.f7).
  // Waiting for the reader of a pipe throws Cancelled when *stop becomes true.
  OutputFile(const std::filesystem::path& path, Durability durability,
             FileSystem& files = system_files(), StopFlag stop = nullptr);

  // An open descriptor that stays the caller's, such as stdout.
  OutputFile(int descriptor, std::string name);

  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  ~OutputFile() = default;  // without commit(): nothing is left

  // From now on commit() waits until no other run is at work on the file that is replaced.
  void take_turn(OutputTurn turn) { turn_ = std::move(turn); }
  // Waits now, before what is there is read. Throws Error (file.f4, file.f9) and Cancelled.
  void lock();

  // Whether it may be written in any order; if not, each write begins where the last one ended.
  bool is_random_access() const { return temporary_.has_value(); }

  // Reserves space for `size` bytes, where the file system can. Throws Error (file.f5) when there
  // is too little.
  void reserve(std::int64_t size);

  void write(std::int64_t offset, std::span<const std::byte> bytes);

  // Reads back what was written. REQUIRES: is_random_access().
  void read(std::int64_t offset, std::span<std::byte> into) const { file().read_at(offset, into); }

  // What is replaced at the end, with all links resolved. REQUIRES: is_random_access().
  const std::filesystem::path& target() const { return temporary_->target(); }

  // Empty while the file has no name, and for devices and pipes.
  std::string temporary_name() const;

  // Shares the content of another open file without copying it, where the file system can and the
  // file has this size. Returns whether it did; if not, nothing has changed.
  bool clone_from(int descriptor, std::int64_t size);

  // Puts the file under its name. Throws Error (file.f5 or file.f6) and as lock().
  void commit();

 private:
  void open_replacement(const std::filesystem::path& target);
  void open_stream(const std::filesystem::path& path, StopFlag stop);
  void share_descriptor(int descriptor);
  const File& file() const { return temporary_ ? temporary_->file() : *stream_; }

  FileSystem& files_;
  std::string name_;  // as the user wrote it
  std::optional<TemporaryFile> temporary_;
  std::optional<File> stream_;  // instead, for a device or a pipe
  Durability durability_ = Durability::kill;
  std::optional<OutputTurn> turn_;
};

// A part of an output file as a sink: byte 0 of the sink is byte `base` of the file.
class OutputFileSink final : public Sink {
 public:
  // `front` is what precedes the part; it is written at once.
  OutputFileSink(OutputFile& file, std::vector<std::byte> front);

  void write(std::int64_t offset, std::span<const std::byte> bytes) override {
    file_.write(base() + offset, bytes);
  }
  bool is_random_access() const override { return file_.is_random_access(); }
  bool holds_data() const override { return holds_data_; }
  std::int64_t page_offset() const override { return base(); }
  std::int64_t write_unit() const override { return holds_data_ ? page : 1; }

  // Clones data's file if data begins at the same byte as the part, and ends the file.
  bool adopt(const Source& data) override;

 private:
  static constexpr std::int64_t page = 4096;

  std::int64_t base() const { return static_cast<std::int64_t>(front_.size()); }

  OutputFile& file_;
  std::vector<std::byte> front_;
  bool holds_data_ = false;
};

}  // namespace tscatter
