#include "batch/shard_reports.hpp"

#include <algorithm>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <queue>
#include <utility>

#include "tscatter/core/fail.hpp"

namespace tscatter::app {
namespace {

using nlohmann::json;

// nullopt: the line is none.
std::optional<BatchSummary> summary_in(const std::string& line) {
  try {
    const json summary = json::parse(line).at("summary");
    BatchSummary read;
    for (std::size_t i = 0; i < case_state_names.size(); ++i)
      read.counts[i] = summary.at(std::string(case_state_names[i])).get<std::int64_t>();
    read.cases = summary.at("cases").get<std::int64_t>();
    read.selected = summary.at("selected").get<std::int64_t>();
    read.unreferenced = summary.at("unreferenced").get<std::vector<std::string>>();
    read.is_interrupted = summary.at("interrupted").get<bool>();
    read.is_all_read = summary.at("all_read").get<bool>();
    read.seconds = summary.at("seconds").get<double>();
    return read;
  } catch (const json::exception&) {
    return std::nullopt;
  }
}

// Of a report that was cut off: nullopt.
std::optional<BatchSummary> summary_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::string last;
  for (std::string line; std::getline(in, line);) std::swap(last, line);
  return in.eof() ? summary_in(last) : std::nullopt;
}

}  // namespace

std::optional<ShardHeading> heading_of_report(const std::string& path) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return std::nullopt;
  std::ifstream in(path, std::ios::binary);
  constexpr std::string_view begin = "{\"shard\":";
  std::string line(begin.size(), '\0');
  in.read(line.data(), static_cast<std::streamsize>(line.size()));
  if (line != begin) return std::nullopt;
  std::string rest;
  std::getline(in, rest);
  return shard_heading_in(line + rest);
}

void ShardReports::add(const std::string& path, const ShardHeading& heading) {
  const bool is_of_batch = heading.batch == batch_;
  if (is_of_batch && !first_) first_ = heading;
  if (!is_of_batch || !heading.is_of_same_run(*first_)) {
    foreign_.push_back(path);
    return;
  }
  const std::optional<BatchSummary> summary = summary_of(path);
  std::error_code ignored;
  Report report{.path = path,
                .time = std::filesystem::last_write_time(path, ignored),
                .summary = summary.value_or(BatchSummary()),
                .is_whole = summary && summary->is_all_read && !summary->is_interrupted};
  const auto [present, is_new] = reports_.emplace(heading.shard, report);
  const auto rank = [](const Report& each) { return std::pair(each.is_whole, each.time); };
  if (!is_new && rank(present->second) < rank(report)) present->second = std::move(report);
}

std::vector<std::int64_t> ShardReports::missing() const {
  std::vector<std::int64_t> missing;
  for (std::int64_t shard = 1; first_ && shard <= first_->of; ++shard) {
    const auto report = reports_.find(shard);
    if (report == reports_.end() || !report->second.is_whole) missing.push_back(shard);
  }
  return missing;
}

CaseResult ShardReports::result_in(const std::string& path, const std::string& line) const {
  try {
    const json object = json::parse(line);
    const auto text = [&](const char* key) { return object.value(key, std::string()); };
    const std::string state = text("state");
    const auto* const name = std::ranges::find(case_state_names, state);
    const BatchFile* file = &files_[0];
    for (std::size_t i = 0; object.contains("file") && i < files_.size(); ++i)
      if (files_[i].name == text("file")) file = &files_[i];
    if (name != case_state_names.end()) {
      CaseResult result{.file = file,
                        .line = object.at("line").get<std::int64_t>(),
                        .place = {},
                        .name = text("name")};
      result.state = static_cast<CaseState>(name - case_state_names.begin());
      result.place = file->name + ":" + std::to_string(result.line);
      result.seconds = object.at("seconds").get<double>();
      result.label = text("label");
      result.message = text("message");
      result.repeat = text("repeat");
      result.repeats_name = result.label == "batch.b3";
      return result;
    }
  } catch (const json::exception&) {
    // is refused below
  }
  // batch.b18
  fail(ErrorKind::format, "batch.b18", path,
       "what is merged must be reports of shards of this batch, got the line {}", line);
}

// The cases of one report.
class ShardReports::Lines {
 public:
  Lines(const ShardReports& reports, const std::string& path)
      : reports_{reports}, path_{path}, in_{path, std::ios::binary} {
    std::getline(in_, line_);  // the heading
  }

  // False after the last case.
  bool next() {
    if (!std::getline(in_, line_) || in_.eof() || line_.starts_with("{\"summary\":")) return false;
    result_ = reports_.result_in(path_, line_);
    return true;
  }
  const CaseResult& result() const { return result_; }
  std::pair<std::size_t, std::int64_t> place() const {
    return {result_.file->number, result_.line};
  }

 private:
  const ShardReports& reports_;
  const std::string& path_;
  std::ifstream in_;
  std::string line_;
  CaseResult result_;
};

BatchSummary ShardReports::merge(const std::function<void(const CaseResult&)>& take) const {
  BatchSummary sum;
  std::vector<std::unique_ptr<Lines>> all;
  const auto is_later = [](const Lines* a, const Lines* b) { return a->place() > b->place(); };
  std::priority_queue<Lines*, std::vector<Lines*>, decltype(is_later)> next(is_later);
  for (const auto& [shard, report] : reports_) {
    all.push_back(std::make_unique<Lines>(*this, report.path));
    if (all.back()->next()) next.push(all.back().get());
    sum.cases = std::max(sum.cases, report.summary.cases);
    sum.seconds = std::max(sum.seconds, report.summary.seconds);
  }
  while (!next.empty()) {
    Lines* const lines = next.top();
    next.pop();
    take(lines->result());
    ++sum.selected;
    ++sum.counts[static_cast<std::size_t>(lines->result().state)];
    if (lines->next()) next.push(lines);
  }
  sum.is_all_read = foreign_.empty() && missing().empty();
  return sum;
}

}  // namespace tscatter::app
