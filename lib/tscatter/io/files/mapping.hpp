// A file's bytes mapped into memory, read-only. A mapping of a file that is cut meanwhile would end
// the process with SIGBUS; with guard_mappings() the missing pages read as zeros and the mapping
// says that it is broken.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace tscatter {

// Installs a SIGBUS handler that looks after mappings and leaves every other fault to what was
// there before. Before it was called, files are never mapped, but read. For programs; call it once,
// at the start.
void guard_mappings();

class Mapping {
 public:
  // nullptr where nothing is guarded, or the file cannot be mapped: the caller reads it instead.
  static std::unique_ptr<const Mapping> of(int descriptor, std::int64_t size);

  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;
  ~Mapping();

  std::span<const std::byte> bytes() const { return bytes_; }
  bool is_broken() const;  // a page was not there when it was read

 private:
  Mapping(std::span<const std::byte> bytes, std::size_t guard) : bytes_{bytes}, guard_{guard} {}

  std::span<const std::byte> bytes_;
  std::size_t guard_;
};

}  // namespace tscatter
