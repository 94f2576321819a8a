// Takes back a change in place by parts: tscatter recover.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "parts/part_claim.hpp"
#include "tscatter/io/files/waiting.hpp"
#include "tscatter/io/journal/rollback.hpp"

namespace tscatter::app {

struct PartsLeftover {
  std::int64_t parts = 0;  // that had changed something
  Leftover old_bytes;      // of all of them
};

// Finds, or rolls back what all parts have changed, and ends the job; nullopt if the file is not
// changed by parts, or the change is made. Throws Error (file): part.p8 when a part is claimed,
// unless the claim may be taken over; file.f8, file.f9 when one is being computed; undo.*.
std::optional<PartsLeftover> recover_parts(const std::string& path, Recovery recovery,
                                           TakeOver take_over,
                                           const std::optional<Waiting>& waiting,
                                           FileSystem& files = system_files());

}  // namespace tscatter::app
