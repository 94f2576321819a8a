#include "batch/report_json.hpp"

#include <utility>

#include "text/json_line.hpp"

namespace tscatter::app {

void JsonReport::case_ended(const CaseResult& result) {
  Document document{{"name", result.name}};
  if (!result.file->is_alone) document.put("file", result.file->name);
  document.put(
      {{"line", result.line}, {"state", to_string(result.state)}, {"seconds", result.seconds}});
  if (!result.label.empty()) document.put("label", result.label);
  if (!result.message.empty()) document.put("message", result.message);
  if (!result.census_json.text.empty()) document.put("census", result.census_json);
  if (!result.verdict_json.text.empty()) document.put("verdict", result.verdict_json);
  if (is_failure(result.state)) {
    if (details_-- > 0) document.put("details", result.details);
    document.put("repeat", result.repeat);
  }
  console_.print(json_line(document));
}

void JsonReport::batch_ended(const BatchSummary& summary) {
  Document members{{"cases", summary.cases}, {"selected", summary.selected}};
  for (std::size_t i = 0; i < summary.counts.size(); ++i)
    members.put(case_state_names[i], summary.counts[i]);
  members.put({{"unreferenced", summary.unreferenced},
               {"interrupted", summary.is_interrupted},
               {"all_read", summary.is_all_read},
               {"seconds", summary.seconds}});
  Document document;
  document.put("summary", std::move(members));
  console_.print(json_line(document));
  console_.flush();
}

}  // namespace tscatter::app
