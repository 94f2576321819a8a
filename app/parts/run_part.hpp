// One part of a job: tscatter <Operation> … --part K/P.
#pragma once

#include <cstdint>
#include <string>

#include "jobs/job.hpp"
#include "parts/file_parts.hpp"
#include "parts/part_claim.hpp"

namespace tscatter::app {

// What parts cannot do: throws Error (usage, part.p6). `where`: the flag or key.
[[noreturn]] void refuse_parts(const std::string& where, const std::string& got);

struct PartWanted {
  PartNumber number;
  std::int64_t unit = default_unit;
  TakeOver take_over = TakeOver::refused;  // of a part in place
};

// Computes the part, unless it is done. Checks every rule, and all index entries, before anything
// is created. Throws Error (usage, part.p6; file, part.p2 and part.p7; and those of a run) and
// Cancelled.
void run_part(const Job& job, const PartWanted& wanted);

}  // namespace tscatter::app
