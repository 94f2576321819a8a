// A file's bytes mapped into memory, read-only. If the file is truncated meanwhile, reading the
// mapping would end the process with SIGBUS; with guard_mappings() the missing pages read as zeros
// and is_broken() tells. Source::check_view() asks it after each tile, so that a result never has
// these zeros.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace tscatter {

// Installs a SIGBUS handler for mappings; it passes every other fault on to the previous handler.
// Until it is called, files are read, never mapped. For programs: call it once, at the start.
void guard_mappings();

class Mapping {
 public:
  // nullptr if mappings are not guarded or the file cannot be mapped: the caller then reads it.
  static std::unique_ptr<const Mapping> of(int descriptor, std::int64_t size);

  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;
  ~Mapping();

  std::span<const std::byte> bytes() const { return bytes_; }
  bool is_broken() const;  // a page was missing when it was read

 private:
  Mapping(std::span<const std::byte> bytes, std::size_t guard) : bytes_{bytes}, guard_{guard} {}

  std::span<const std::byte> bytes_;
  std::size_t guard_;
};

}  // namespace tscatter
