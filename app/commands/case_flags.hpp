// --case NAME CASES: a case of a batch in the place of an operation and its operands.
#pragma once

#include <optional>
#include <string>

#include "batch/cases/line_reader.hpp"
#include "cli/command.hpp"

namespace tscatter::app {

struct CaseWords {
  std::optional<std::string> name;
  std::optional<std::string> cases;
};

Flag case_flag(CaseWords& words);
Argument cases_argument(CaseWords& words);

// Throws Error as find_case(). REQUIRES: the words were parsed: both are given.
FoundCase open_case(const CaseWords& words);

}  // namespace tscatter::app
