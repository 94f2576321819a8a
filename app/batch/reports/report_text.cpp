#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "batch/reports/reports.hpp"
#include "text/document.hpp"
#include "tscatter/core/error.hpp"

namespace tscatter::app {
namespace {

struct StateWord {
  std::string_view text;
  std::string_view color;  // of an escape sequence
};

// By CaseState. Capitals mark what needs attention.
constexpr std::array<StateWord, case_state_names.size()> state_words{
    {{.text = "ok", .color = "32"},
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
  const StateWord& word = state_words[static_cast<std::size_t>(result.state)];
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

namespace {

using Words = std::vector<FailureWords::Word>;

Table word_members(const Words& words) {
  Table table;
  for (const FailureWords::Word& each : words) {
    table.rows.push_back({{"word", each.word}, {"failed", each.failed}, {"cases", each.cases}});
  }
  return table;
}

// "f64 2 of 2, sum 2 of 3"
std::string words_text(const Words& words) {
  constexpr std::size_t most_shown = 4;
  std::vector<std::string> parts;
  for (const FailureWords::Word& each : words) {
    if (parts.size() == most_shown) break;
    parts.push_back(
        fmt::format("{} {} of {}", each.word, grouped(each.failed).text, grouped(each.cases).text));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

Document row_of(const FailureWords::Reason& each) {
  Document row;
  row.add("failed", "failures", grouped(each.failed), Align::right);
  row.add("reason", "why", text_figure(each.words));
  row.show("most often in", words_text(each.where));
  row.put("words", word_members(each.where));
  return row;
}

}  // namespace

Document ByWordReport::document() const {
  Table reasons;
  for (const FailureWords::Reason& each : words_.reasons()) reasons.rows.push_back(row_of(each));
  const Words words = words_.words();
  Document document;
  document.put("why", reasons);
  document.put("words", word_members(words));
  if (reasons.rows.size() > 1) {
    Document& all = reasons.rows.emplace_back();
    all.show("failures", grouped(words_.failed()).text, Align::right);
    all.show("why", "in all");
    all.show("most often in", words_text(words_.where()));
  }
  document.show(std::move(reasons));
  return document;
}

void ByWordReport::batch_ended(const BatchSummary&) {
  if (words_.failed() == 0) return;
  if (is_json_) {
    Document line;
    line.put("by_word", document());
    console_.print(json_line(line));
  } else {
    console_.print("\n" + document_text(document()));
  }
  console_.flush();
}

}  // namespace tscatter::app
