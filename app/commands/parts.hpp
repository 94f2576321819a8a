// tscatter parts, finish and digest: what becomes of a job that is computed by parts.
#pragma once

#include <cstdint>
#include <string>

#include "cli/command.hpp"
#include "parts/parts_folder.hpp"

namespace tscatter::app {

struct Finishing {
  bool checks = false;     // reads all parts, and compares their checksums
  std::int64_t wait = 60;  // seconds, for parts that come late
};

// Whether an earlier finish was killed when the result had its name: only the folder is left.
bool is_finished(const PartsFolder& folder);

// Gives the result of all parts its name, and removes the folder. Returns the digest. Throws Error
// (file, part.p3 and file.f6; format, part.p4) and Cancelled.
std::string finish(const PartsFolder& folder, const Finishing& finishing);

Flag unit_flag(std::int64_t& unit);

Command parts_command();
Command finish_command();
Command digest_command();

}  // namespace tscatter::app
