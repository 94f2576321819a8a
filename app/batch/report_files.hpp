// Where the reports of a batch go: --junit, --html and XML_OUTPUT_FILE.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "jobs/result.hpp"
#include "jobs/written_file.hpp"

namespace tscatter::app {

struct ReportPlace {
  std::string name;  // of the flag or variable
  std::string word;  // - is stdout
  const FileKind* kind;

  bool is_stdout() const { return word == "-"; }
};

std::vector<ReportPlace> report_places(const std::optional<std::string>& junit,
                                       const std::optional<std::string>& html);

// Throws Error (usage, cli.c14) if two reports want stdout.
void require_one_on_stdout(const std::vector<ReportPlace>& reports);

// Throws Error (usage, cli.c16 and cli.c17).
void require_place(const ReportPlace& report, Replacing replacing);

// Where the words of a batch with these reports go.
WordsGo words_beside(const std::vector<ReportPlace>& reports);

}  // namespace tscatter::app
