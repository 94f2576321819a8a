#include "batch/report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "batch/glob.hpp"
#include "batch/shell_word.hpp"
#include "tscatter/core/error.hpp"

namespace tscatter::app {

std::string summary_line(const BatchSummary& summary) {
  const std::string of_all =
      summary.selected == summary.cases ? std::string() : fmt::format(" of {}", summary.cases);
  const std::int64_t last = summary.selected == summary.cases ? summary.selected : summary.cases;
  std::string text = fmt::format("{}{} {}", summary.selected, of_all, last == 1 ? "case" : "cases");
  std::string_view before = ": ";
  for (std::size_t i = 0; i < summary.counts.size(); ++i) {
    if (summary.counts[i] == 0) continue;
    const auto state = static_cast<CaseState>(i);
    text += fmt::format("{}{} {}", before, summary.counts[i],
                        state == CaseState::not_run ? "not run" : to_string(state));
    before = ", ";
  }
  if (summary.is_interrupted) text += "; interrupted";
  if (!summary.is_all_read) text += ", the rest was not read";
  return text;
}

std::string unreferenced_message(const BatchSummary& summary) {
  constexpr std::size_t most = 20;
  const std::vector<std::string>& files = summary.unreferenced;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < std::min(files.size(), most); ++i)
    names.push_back(escape_control(files[i]));
  if (files.size() > most) names.push_back(fmt::format("and {} more", files.size() - most));
  return fmt::format("every golden must be one that a case refers to, got {}",
                     fmt::join(names, ", "));
}

std::string repeat_command(const std::string& path, const CaseResult& result) {
  const bool is_flag = path.starts_with('-') && path != "-";
  const std::string batch = shell_word(is_flag ? "./" + path : path);
  // Two cases disagree there: one alone would write the golden.
  if (result.label == "batch.b10") return fmt::format("tscatter batch {} --update-golden", batch);
  return fmt::format("tscatter batch {} --filter {}", batch, shell_word(escaped_glob(result.name)));
}

std::string labelled_message(const CaseResult& result) {
  const std::string message = escape_control(result.message);
  return result.label.empty() ? message : fmt::format("{} [{}]", message, result.label);
}

}  // namespace tscatter::app
