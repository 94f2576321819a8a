// Bytes of files that cases change in place through operands that say where they lie: no two of
// them may share a byte, and no file is changed under two formats.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <unordered_map>

#include "tscatter/io/formats/format.hpp"

namespace tscatter::app {

class ChangedRanges {
 public:
  // The line of an earlier change that this one would meet; nullopt: there is none, and this one is
  // noted. `file`: its identity. A range that cannot be told meets nothing: its case fails by
  // itself.
  std::optional<std::uint32_t> meet(std::uint64_t file, const MemberName& member,
                                    std::uint32_t line);

 private:
  struct Change {
    std::int64_t end;
    std::uint32_t line;
  };
  struct ChangedFile {
    const Format* format;
    std::uint32_t line;                      // that changes it first
    std::map<std::int64_t, Change> changes;  // by their first byte; none overlap
  };

  std::unordered_map<std::uint64_t, ChangedFile> files_;
};

}  // namespace tscatter::app
