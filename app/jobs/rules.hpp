// Every labelled rule of the program: those of the command line, defined here, and those of the
// library.
#pragma once

#include <string_view>
#include <vector>

#include "tscatter/core/error.hpp"

namespace tscatter::app {

std::vector<Rule> all_rules();

// Whether a rule has this label.
bool is_label(std::string_view text);

}  // namespace tscatter::app
