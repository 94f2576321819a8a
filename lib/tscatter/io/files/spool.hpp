// Spool: stores a stream of unknown length so that it can be read in any order. A short one stays
// in memory; a longer one goes to a temporary file without a name, in which zeros take no space.
#pragma once

#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "tscatter/core/bytes.hpp"
#include "tscatter/io/files/file.hpp"
#include "tscatter/io/files/sources.hpp"

namespace tscatter {

class Spool final : public Source {
 public:
  // `directory` holds the temporary file, `name` is used in messages.
  Spool(std::filesystem::path directory, std::string name);

  // Throws Error (file.f4 or file.f5) when the temporary file cannot be created or written.
  void append(std::span<const std::byte> bytes);

  // Reads on from `file` until the spool has `size` bytes. Returns false if the file ends before.
  bool fill_from(const File& file, std::int64_t size);

  std::int64_t size() const override { return size_; }
  void read(std::int64_t offset, std::span<std::byte> into) const override;
  // Maps the file at the first call, and anew if the spool has grown.
  std::optional<std::span<const std::byte>> view() const override;

 private:
  void move_to_file();
  void store(std::span<const std::byte> bytes);

  std::filesystem::path directory_;
  std::string name_;
  std::int64_t size_ = 0;
  std::vector<std::byte> memory_;
  std::optional<File> file_;
  std::int64_t stored_ = 0;  // bytes of the file; zeros follow them
  mutable std::mutex mapping_lock_;
  mutable std::unique_ptr<const Mapping> mapping_;
};

// A spool as a sink that is written front to back.
class SpoolSink final : public Sink {
 public:
  explicit SpoolSink(Spool& spool) : spool_{spool} {}
  void write(std::int64_t, std::span<const std::byte> bytes) override { spool_.append(bytes); }
  bool is_random_access() const override { return false; }

 private:
  Spool& spool_;
};

}  // namespace tscatter
