#include "batch/report_files.hpp"

#include <algorithm>

#include "process/environment.hpp"
#include "tscatter/core/fail.hpp"

namespace tscatter::app {

std::vector<ReportPlace> report_places(const std::optional<std::string>& junit,
                                       const std::optional<std::string>& html) {
  std::vector<ReportPlace> reports;
  const auto add = [&](const char* name, const std::optional<std::string>& word,
                       std::string_view ending) {
    if (word) reports.push_back({.name = name, .word = *word, .kind = kind_with_ending(ending)});
  };
  add("--junit", junit, ".xml");
  add("XML_OUTPUT_FILE", variable("XML_OUTPUT_FILE"), ".xml");
  add("--html", html, ".html");
  return reports;
}

void require_one_on_stdout(const std::vector<ReportPlace>& reports) {
  const ReportPlace* first = nullptr;
  for (const ReportPlace& each : reports) {
    if (!each.is_stdout()) continue;
    // cli.c14
    if (first != nullptr) {
      fail(ErrorKind::usage, "cli.c14", each.name, "must be another file than {}, got -",
           first->name);
    }
    first = &each;
  }
}

void require_place(const ReportPlace& report, Replacing replacing) {
  if (report.is_stdout()) return;
  const WrittenFile file{
      .name = report.name, .word = report.word, .kind = *report.kind, .options = {.format = {}}};
  require_ending(file);
  require_replaceable(file, replacing);
}

WordsGo words_beside(const std::vector<ReportPlace>& reports) {
  const bool is_taken = std::ranges::any_of(reports, &ReportPlace::is_stdout);
  return is_taken ? WordsGo::to_stderr : WordsGo::to_stdout;
}

}  // namespace tscatter::app
