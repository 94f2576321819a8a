#include "commands/case_flags.hpp"

#include "cli/targets.hpp"

namespace tscatter::app {

Flag case_flag(CaseWords& words) {
  return {.name = "case",
          .group = "Operands",
          .value = "NAME",
          .help = "the case of CASES whose operation, operands and files are taken",
          .into = text(words.name),
          .presence = Presence::required};
}

Argument cases_argument(CaseWords& words) {
  return {.name = "CASES",
          .help = "a file of JSON Lines, one case a line; - for stdin",
          .into = text(words.cases)};
}

FoundCase open_case(const CaseWords& words) { return find_case(*words.name, *words.cases); }

}  // namespace tscatter::app
