// tscatter parts, finish and digest: what becomes of a job that is computed by parts.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "jobs/written_file.hpp"
#include "parts/dealt_parts.hpp"
#include "parts/parts_folder.hpp"

namespace tscatter::app {

struct Finishing {
  bool checks = false;     // reads all parts, and compares their checksums
  std::int64_t wait = 60;  // seconds, for parts that come late
  Replacing replacing = Replacing::same_kind;
};

// Gives the result of all parts its name, and removes the folder. Returns the digest. Throws Error
// (file, part.p3 and file.f6; format, part.p4; usage, cli.c17 and cli.c81) and Cancelled.
std::string finish(const PartsFolder& folder, const Finishing& finishing);

Flag unit_flag(std::int64_t& unit);
// --parts and --segment, which tscatter-mpi has
std::vector<Flag> dealing_flags(Dealing& dealing);

Command parts_command();
Command finish_command();
Command digest_command();

}  // namespace tscatter::app
