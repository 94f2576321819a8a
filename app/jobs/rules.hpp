// Every labelled rule of the program: the rules of the command line, which are defined here, and
// the library's.
#pragma once

#include <string_view>
#include <vector>

#include "tscatter/core/error.hpp"

namespace tscatter::app {

std::vector<Rule> all_rules();

// Whether a rule has this label.
bool is_label(std::string_view text);

}  // namespace tscatter::app
