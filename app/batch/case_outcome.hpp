// How a case came out, before it is written down.
#pragma once

#include <optional>
#include <string>

#include "batch/case_result.hpp"
#include "tscatter/compare/census.hpp"
#include "tscatter/verify/verify.hpp"

namespace tscatter::app {

struct CaseOutcome {
  CaseState state = CaseState::passed;
  std::string label = {};
  std::string message = {};
  std::optional<Census> census = {};
  std::optional<Verification> verification = {};
  std::optional<DType> dtype = {};  // of data, where the case was compared or verified
  Document values = {};             // of a small case that is not legal: its operands
  bool is_about_case = false;       // the case itself is wrong, which no xfail excuses
};

}  // namespace tscatter::app
