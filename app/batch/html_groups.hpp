// The part of an HTML report that groups the failures: by why they failed, each with its smallest
// case, and by the words of their names.
#pragma once

#include <cstdint>
#include <string>

#include "batch/failure_words.hpp"

namespace tscatter::app {

// The class in the list of cases of those that failed for the same reasons: "why-3".
std::string group_class(std::int64_t group);

// Two tables and the style that lets them choose; empty without failures.
std::string html_groups(const FailureWords& words);

}  // namespace tscatter::app
