// PartsJob: what all parts of a job must agree on. It stands in the job's folder.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "parts/file_parts.hpp"

namespace tscatter::app {

struct PartsJob {
  std::uint64_t run = 0;  // a random number, by which its markers know each other
  std::int64_t parts = 1;
  std::int64_t unit = default_unit;
  std::int64_t file_bytes = 0;
  // The operation, its attributes, the operands: names and what stands for them, by which another
  // job is told from this one.
  std::vector<std::pair<std::string, std::string>> facts;

  ByteRange bytes_of(std::int64_t part) const {
    return bytes_of_part({.part = part, .of = parts}, file_bytes, unit);
  }
};

// What a marker says: that this part is done.
struct PartMarker {
  std::uint64_t run = 0;
  std::int64_t part = 1;
  ByteRange bytes;
  std::vector<std::uint64_t> sums;  // of its units
};

std::string to_json(const PartsJob& job);
std::string to_json(const PartMarker& marker);
// nullopt for text that is none.
std::optional<PartsJob> parts_job_in(const std::string& text);
std::optional<PartMarker> part_marker_in(const std::string& text);

// Whether it says that the part of the job is done: of its run, its range and all of its units.
bool is_marker_of(const PartMarker& marker, const PartsJob& job, std::int64_t part);

// Throws Error (file, part.p2) when they are not the same, but for their run; `where`: the output.
void require_same_job(const PartsJob& wanted, const PartsJob& present, const std::string& where);

}  // namespace tscatter::app
