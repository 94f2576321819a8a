#include "batch/find_case.hpp"

#include <utility>
#include <vector>

#include "batch/case_reader.hpp"
#include "batch/line_reader.hpp"
#include "process/signals.hpp"
#include "tscatter/core/fail.hpp"
#include "tscatter/core/nearest.hpp"

namespace tscatter::app {

FoundCase find_case(const std::string& name, const std::string& cases) {
  constexpr std::size_t most_names = 10000;  // of which the nearest is proposed
  auto files = std::make_shared<CaseFiles>(std::vector<std::string>{cases});
  LineReader lines(*files, InterruptScope::stop());
  CaseReader reader;
  std::vector<std::string> names;
  while (const auto line = lines.next()) {
    std::optional<BatchCase> each = reader.read(*line);
    if (!each) continue;
    if (each->name == name || name_of_line(each->line) == name) {
      if (each->error) throw Error(*each->error);
      if (each->job_error) throw Error(*each->job_error);
      return {.files = std::move(files), .each = *std::move(each)};
    }
    if (names.size() < most_names) names.push_back(each->name);
  }
  // cli.c61
  fail(ErrorKind::usage, "cli.c61", "--case", "must be the name of a case of {}{}, got {}", cases,
       nearest_hint(name, names), name);
}

}  // namespace tscatter::app
