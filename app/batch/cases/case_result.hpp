// The result of one case.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "batch/cases/batch_case.hpp"
#include "text/figure.hpp"

namespace tscatter::app {

enum class CaseState : std::uint8_t {
  passed,    // as asserted
  failed,    // not as asserted, or the case itself is wrong
  xfailed,   // fails, as its xfail says
  xpassed,   // passes, although its xfail says that it fails
  updated,   // failed, and its golden was rewritten
  written,   // asserts nothing, and its output was written
  resumed,   // an earlier run has finished it
  not_run,   // the run ended first
  skipped,   // as its skip says
  to_write,  // with --dry-run: its golden, or its output, would be written
};

inline constexpr std::array<std::string_view, 10> case_state_names{
    "passed",  "failed",  "xfailed", "xpassed", "updated",
    "written", "resumed", "not_run", "skipped", "to_write"};

constexpr std::string_view name_of(CaseState state) {
  return case_state_names[static_cast<std::size_t>(state)];
}

// As people read it.
constexpr std::string_view words_of(CaseState state) {
  if (state == CaseState::not_run) return "not run";
  return state == CaseState::to_write ? "to write" : name_of(state);
}

constexpr bool is_failure(CaseState state) {
  return state == CaseState::failed || state == CaseState::xpassed;
}

// Whether a later run can skip it.
constexpr bool is_finished(CaseState state) {
  return !is_failure(state) && state != CaseState::not_run;
}

// Names and texts, as people read them.
using Facts = std::vector<std::pair<std::string, std::string>>;

struct CaseResult {
  const BatchFile* file = nullptr;
  std::int64_t line = 0;   // of the file
  std::string place = {};  // "cases.jsonl:12"
  std::string name = {};
  bool is_unnamed = false;              // it is named after its line
  bool repeats_name = false;            // of a case before it
  std::string judge = {};               // the command that shows its whole verdict: verify, compare
  std::vector<std::string> words = {};  // its operation, dtype and reduction, if wanted
  std::string reason = {};              // of a failure, in two or three words: "values differ"
  std::vector<std::string> reasons = {};  // why it is not legal: each explains as much of it
  std::string why = {};                   // the same in a line
  std::int64_t elements = 0;              // that were judged; 0: none, or unknown
  CaseState state = CaseState::passed;
  bool is_about_case = false;  // the case itself is wrong, which no xfail excuses
  double seconds = 0;
  std::string label = {};         // of the broken rule; empty if there is none
  std::string message = {};       // one line: what is wrong, why it is expected, what was written
  std::string repeat = {};        // of a failure: the command line that repeats it
  Facts facts = {};               // of a failure: the operation, by how much it differs, its files
  WrittenJson details = {};       // of a failure: the operation, its files
  std::string census_text = {};   // if elements differ, or a result is not legal: the tables
  WrittenJson census_json = {};   // if elements differ
  std::string heatmap = {};       // an SVG element of where they differ, or are wrong
  Facts values = {};              // of a small case that is not legal: its operands
  WrittenJson verdict_json = {};  // if a result is not legal
};

// Says whose result it is.
inline void set_case(CaseResult& result, const BatchCase& each) {
  result.file = each.file;
  result.line = each.line;
  result.place = each.place;
  result.name = each.name;
  result.is_unnamed = each.is_unnamed;
  result.repeats_name = each.repeats_name;
}

// "values differ [batch.b7]"
inline std::string labelled_reason(const CaseResult& result) {
  const std::string label = result.label.empty() ? std::string() : "[" + result.label + "]";
  if (result.reason.empty()) return label.empty() ? "no label" : label;
  return label.empty() ? result.reason : result.reason + " " + label;
}

}  // namespace tscatter::app
