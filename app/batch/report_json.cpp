#include "batch/report_json.hpp"

#include <nlohmann/json.hpp>

#include "text/json_line.hpp"

namespace tscatter::app {

using nlohmann::ordered_json;

void JsonReport::case_ended(const CaseResult& result) {
  ordered_json object{{"name", result.name},
                      {"line", result.line},
                      {"state", to_string(result.state)},
                      {"seconds", result.seconds}};
  if (!result.label.empty()) object["label"] = result.label;
  if (!result.message.empty()) object["message"] = result.message;
  if (!result.census_json.empty()) object["census"] = ordered_json::parse(result.census_json);
  if (!result.verdict_json.empty()) object["verdict"] = ordered_json::parse(result.verdict_json);
  if (is_failure(result.state)) object["repeat"] = repeat_command(batch_path_, result);
  console_.print(json_line(object));
}

void JsonReport::batch_ended(const BatchSummary& summary) {
  ordered_json object{{"cases", summary.cases}, {"selected", summary.selected}};
  for (std::size_t i = 0; i < summary.counts.size(); ++i)
    object[std::string(case_state_names[i])] = summary.counts[i];
  object["unreferenced"] = summary.unreferenced;
  object["interrupted"] = summary.is_interrupted;
  object["all_read"] = summary.is_all_read;
  object["seconds"] = summary.seconds;
  console_.print(json_line({{"summary", object}}));
  console_.flush();
}

}  // namespace tscatter::app
