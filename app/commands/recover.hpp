// tscatter recover FILE: rolls back what a killed run in place left. The same is done, and said on
// stderr, by the next run in place.
#pragma once

#include <string>

#include "tscatter/io/journal/rollback.hpp"

namespace tscatter::app {

struct RecoverFlags {
  bool is_dry_run = false;
  bool wants_report = false;  // --json
};

// Nothing to do is success. Throws Error.
void recover_file(const std::string& path, const RecoverFlags& flags);

// Says on stderr what a run in place found left, where it found something. `path`: as the user
// wrote it.
void report_leftover(const std::string& path, const Leftover& leftover, Recovery recovery);

}  // namespace tscatter::app
