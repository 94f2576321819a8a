#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "batch/cases/case_reader.hpp"
#include "batch/reports/reports.hpp"
#include "jobs/job_json.hpp"
#include "jobs/rules.hpp"
#include "text/document.hpp"

namespace tscatter::app {
namespace {

using nlohmann::ordered_json;

std::int64_t count_field(const ordered_json& value) {
  return integer_field(value, 0, std::numeric_limits<std::int64_t>::max());
}

CaseState state_field(const ordered_json& value) {
  const auto* const name = std::ranges::find(case_state_names, value.get_ref<const std::string&>());
  if (name == case_state_names.end()) throw WrongField();
  return static_cast<CaseState>(name - case_state_names.begin());
}

double seconds_field(const ordered_json& value) {
  constexpr double most = 1e9;
  const auto seconds = value.get<double>();
  if (seconds < 0 || seconds > most) throw WrongField();
  return seconds;
}

// That of a rule; empty if there is none.
std::string label_in(const ordered_json& object) {
  if (!object.contains("label")) return {};
  std::string label = object.at("label").get<std::string>();
  if (!is_label(label)) throw WrongField();
  return label;
}

// The command that shows its whole verdict.
std::string judge_in(const ordered_json& object) {
  if (object.contains("verdict")) return "verify";
  return object.contains("census") ? "compare" : "";
}

}  // namespace

void JsonReport::case_ended(const CaseResult& result) {
  Document document{{"name", result.name}};
  if (!result.file->is_alone) document.put("file", result.file->name);
  if (result.file->source != CaseSource::pairs) document.put("line", result.line);
  document.put({{"state", name_of(result.state)}, {"seconds", result.seconds}});
  if (!result.label.empty()) document.put("label", result.label);
  if (!result.reason.empty()) document.put("reason", result.reason);
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
  if (summary.has_failed_unreferenced()) members.put("fails_unreferenced", true);
  if (summary.ignores_unreferenced) members.put("ignores_unreferenced", true);
  Document document;
  document.put("summary", std::move(members));
  console_.print(json_line(document));
  console_.flush();
}

JsonReportReader::JsonReportReader(const CaseFiles& files) : batch_{files} {
  for (std::size_t i = 0; i < files.size(); ++i)
    files_.emplace(files[i].is_alone ? "" : files[i].name, &files[i]);
}

std::optional<CaseResult> JsonReportReader::result_in(std::string_view line) const {
  return read_fields(line, [&](const ordered_json& object) {
    known_fields(object, {"name", "file", "line", "state", "seconds", "label", "reason", "message",
                          "census", "verdict", "details", "repeat"});
    const auto text = [&](const char* key) { return object.value(key, std::string()); };
    const auto file = files_.find(text("file"));
    if (file == files_.end()) throw WrongField();
    CaseResult result{
        .file = file->second,
        .line = integer_field(object.at("line"), 1, std::numeric_limits<std::int64_t>::max()),
        .place = {},
        .name = object.at("name").get<std::string>()};
    result.state = state_field(object.at("state"));
    result.place = result.file->name + ":" + std::to_string(result.line);
    result.seconds = seconds_field(object.at("seconds"));
    result.label = label_in(object);
    result.reason = text("reason");
    result.message = text("message");
    result.is_unnamed = result.name == name_without_one(*result.file, result.line);
    result.repeats_name = result.label == "batch.b3";
    result.judge = judge_in(object);
    if (is_failure(result.state)) result.repeat = repeat_command(batch_, result);
    return result;
  });
}

std::optional<BatchSummary> summary_in(std::string_view line) {
  return read_fields(line, [](const ordered_json& object) {
    const ordered_json& summary = object.at("summary");
    BatchSummary read;
    for (std::size_t i = 0; i < case_state_names.size(); ++i)
      read.counts[i] = count_field(summary.at(std::string(case_state_names[i])));
    read.cases = count_field(summary.at("cases"));
    read.selected = count_field(summary.at("selected"));
    read.unreferenced = summary.at("unreferenced").get<std::vector<std::string>>();
    read.is_interrupted = summary.at("interrupted").get<bool>();
    read.is_all_read = summary.at("all_read").get<bool>();
    read.fails_unreferenced = summary.value("fails_unreferenced", false);
    read.ignores_unreferenced = summary.value("ignores_unreferenced", false);
    read.seconds = seconds_field(summary.at("seconds"));
    return read;
  });
}

}  // namespace tscatter::app
