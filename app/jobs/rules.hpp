// Every labelled rule of the program: the rules of the command line, which are defined here, and
// the library's.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tscatter/core/error.hpp"

namespace tscatter::app {

std::vector<Rule> all_rules();

// The one with this label, or those whose labels begin with it and a dot: st.f1 with "st".
std::vector<Rule> rules_below(std::string_view prefix);

// What stands before the first dot of a label, each once, in the order of the rules.
std::vector<std::string> label_prefixes();

// The rule with this label. Throws Error (usage, cli.c8): there is none.
Rule rule_labelled(std::string_view label);

// Whether a rule has this label.
bool is_label(std::string_view text);

}  // namespace tscatter::app
