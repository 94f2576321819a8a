#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "batch/reports/reports.hpp"
#include "tscatter/core/error.hpp"

namespace tscatter::app {
namespace {

struct Word {
  std::string_view text;
  std::string_view color;  // of an escape sequence
};

// By CaseState. Capitals mark what needs attention.
constexpr std::array<Word, case_state_names.size()> words{{{.text = "ok", .color = "32"},
                                                           {.text = "FAILED", .color = "1;31"},
                                                           {.text = "xfail", .color = "33"},
                                                           {.text = "XPASS", .color = "1;31"},
                                                           {.text = "updated", .color = "36"},
                                                           {.text = "written", .color = "32"},
                                                           {.text = "resumed", .color = "2"},
                                                           {.text = "not run", .color = "33"},
                                                           {.text = "skipped", .color = "33"},
                                                           {.text = "to write", .color = "36"}}};

// Each line of the text, indented.
std::string indented(std::string_view text) {
  std::string lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    lines += fmt::format("  {}", text.substr(0, end));
    text.remove_prefix(end);
  }
  return lines;
}

std::string duration_of(const CaseResult& result) {
  constexpr double slow = 1;  // seconds
  return result.seconds < slow ? std::string() : fmt::format("  ({:.1f} s)", result.seconds);
}

}  // namespace

std::string TextReport::line_of(const CaseResult& result) const {
  const Word& word = words[static_cast<std::size_t>(result.state)];
  constexpr std::size_t width = 8;
  std::string state = fmt::format("{:<{}}", word.text, width);
  if (options_.is_colored) state = fmt::format("\x1b[{}m{}\x1b[0m", word.color, state);
  std::string line = fmt::format("{} {}", state, escape_control(result.name));
  if (is_failure(result.state)) line += "  " + escape_control(result.place);
  if (!result.message.empty()) {
    const std::string_view before = is_failure(result.state) ? ": " : "  ";
    line += std::string(before) + labelled_message(result);
  }
  return line + duration_of(result) + "\n";
}

void TextReport::case_ended(const CaseResult& result) {
  const bool is_failed = is_failure(result.state);
  const bool is_shown = result.state != CaseState::not_run && !options_.only_failures;
  if (is_failed || is_shown) {
    console_.print(line_of(result));
    has_lines_ = true;
  }
  if (is_failed) failures_.append(failure_of(result));
}

std::string TextReport::failure_of(const CaseResult& result) {
  const bool is_detailed = detailed_ < options_.details;
  if (is_detailed) ++detailed_;
  const std::string why =
      result.why.empty() ? "" : fmt::format("  why: {}\n", escape_control(result.why));
  return fmt::format("\n{}  {}\n  {}\n{}  {}\n", escape_control(result.name),
                     escape_control(result.place), labelled_message(result),
                     is_detailed ? indented(facts_text(result.facts)) : why,
                     escape_control(result.repeat));
}

void TextReport::batch_ended(const BatchSummary& summary) {
  if (summary.failures() > 0 && !failures_.trouble()) {
    console_.print(fmt::format("\n{}:\n", failures_line(summary)));
    failures_.read([&](std::string_view text) { console_.print(text); });
    if (detailed_ > 0 && detailed_ < summary.failures()) {
      console_.print(fmt::format("\n--details {} has those of all failures\n", summary.failures()));
    }
  }
  console_.print(fmt::format("{}{}\n", has_lines_ ? "\n" : "", summary_line(summary)));
  console_.flush();
  if (failures_.trouble()) throw Error(*failures_.trouble());
}

}  // namespace tscatter::app
