#include "commands/difference_report.hpp"

#include "cli/targets.hpp"
#include "jobs/result.hpp"
#include "text/document.hpp"

namespace tscatter::app {

std::vector<Flag> difference_flags(DifferenceReport& report, const std::string& what,
                                   std::int64_t& listed, int& threads) {
  const Flag list{.name = "worst",
                  .group = "Output",
                  .value = "N",
                  .help = "list the N worst elements (default 5)",
                  .into = worst(listed)};
  return joined(joined({list}, heatmap_flags(report.heatmap)),
                {json_flag([what] { return what + " as one JSON object"; },
                           set_to(report.form, ReportForm::json)),
                 threads_flag(threads)});
}

std::string report_text(const Document& document, ReportForm form) {
  return form == ReportForm::words ? document_text(document) : json_line(document);
}

void print_differences(const Document& document, const DifferenceReport& report) {
  print(report_text(document, report.form), report.heatmap.words_go());
}

}  // namespace tscatter::app
