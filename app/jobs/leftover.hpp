// Messages about what a killed run in place left: for recover, and for the next run in place.
#pragma once

#include <string>

#include "tscatter/io/journal/rollback.hpp"

namespace tscatter::app {

std::string leftover_words(const Leftover& leftover, Recovery recovery);

// Reports on stderr what a run in place found, if anything. `path`: as the user wrote it.
void report_leftover(const std::string& path, const Leftover& leftover, Recovery recovery);

}  // namespace tscatter::app
