// The shells that can complete: their scripts, and how each is given candidates.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/completion.hpp"

namespace tscatter::app {

struct Shell {
  std::string_view name;
  std::string_view script;       // asks `tscatter __complete SHELL LINE` at each key
  bool takes_help = false;       // of a candidate, after a tab
  std::string_view breaks = {};  // characters after which a word begins anew
};

// nullptr: not among them.
const Shell* find_shell(std::string_view name);

std::vector<std::string> shell_names();

// A line for each candidate. `word` is the one that they complete.
std::string candidate_lines(const Shell& shell, std::string_view word,
                            std::span<const Candidate> candidates);

}  // namespace tscatter::app
