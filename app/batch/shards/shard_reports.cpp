#include "batch/shards/shard_reports.hpp"

#include <algorithm>
#include <fstream>
#include <limits>
#include <memory>
#include <queue>
#include <span>
#include <utility>

#include "batch/cases/case_list.hpp"
#include "jobs/hash.hpp"
#include "jobs/job_json.hpp"
#include "text/document.hpp"
#include "tscatter/core/fail.hpp"
#include "tscatter/io/files/file.hpp"

namespace tscatter::app {
namespace {

constexpr std::size_t largest_piece = std::size_t{1} << 18U;
constexpr std::size_t smallest_piece = 512;
constexpr std::size_t longest_heading = std::size_t{1} << 20U;
constexpr std::size_t all_pieces = std::size_t{1} << 26U;

// The lines of a file that is open only while a piece of it is read, so that any number of files
// can be read side by side.
class ClosedLines {
 public:
  // Reads at least so many bytes at once.
  ClosedLines(std::string path, std::size_t piece) : path_{std::move(path)}, piece_{piece} {}

  // The next line, without its end; valid until the next call. nullopt: no further line has an end.
  // Throws Error (file; format, batch.b18 for a line that is longer than any).
  std::optional<std::string_view> next();

  // What follows the last line that has an end. REQUIRES: next() has returned nullopt.
  std::string_view rest() const { return std::string_view(held_).substr(begin_); }

 private:
  bool read_more();

  std::string path_;
  std::size_t piece_;
  std::int64_t offset_ = 0;  // of what was not read yet
  std::string held_;
  std::size_t begin_ = 0;     // of the next line, in what is held
  std::size_t searched_ = 0;  // has no line's end from there
};

std::optional<std::string_view> ClosedLines::next() {
  for (;;) {
    const std::size_t end = held_.find('\n', searched_);
    if (end != std::string::npos) {
      const std::size_t begin = begin_;
      begin_ = searched_ = end + 1;
      return std::string_view(held_).substr(begin, end - begin);
    }
    searched_ = held_.size();
    if (!read_more()) return std::nullopt;
  }
}

bool ClosedLines::read_more() {
  const File file = File::open_for_reading(path_);
  const std::int64_t left = std::int64_t{file.status().st_size} - offset_;
  if (left <= 0) return false;
  held_.erase(0, begin_);
  searched_ -= begin_;
  begin_ = 0;
  const std::size_t before = held_.size();
  // Of a case's line, which may be as long, a result has its name and the words that repeat it.
  constexpr std::size_t most = 4 * longest_line;
  // batch.b18
  if (before >= most) {
    fail(ErrorKind::format, "batch.b18", path_,
         "this is no report of a shard of this batch: it has a line of {} bytes and more", most);
  }
  const std::int64_t count =
      std::min(left, static_cast<std::int64_t>(std::max(piece_, before)));  // a line may be long
  held_.resize(before + static_cast<std::size_t>(count));
  file.read_at(offset_, std::as_writable_bytes(std::span(held_)).subspan(before));
  offset_ += count;
  return true;
}

[[noreturn]] void refuse_line(const std::string& path, std::string_view line) {
  // batch.b18
  fail(ErrorKind::format, "batch.b18", path,
       "this is no report of a shard of this batch: it has the line {}", line);
}

// The summary, behind which only --by-word has a line. nullopt if the report was cut off.
std::optional<BatchSummary> summary_of(const std::string& path) {
  ClosedLines lines(path, largest_piece);
  std::optional<BatchSummary> summary;
  const auto take = [&](std::string_view line) {
    if (summary && !line.empty() && !line.starts_with("{\"by_word\":")) refuse_line(path, line);
    if (is_summary(line)) summary = summary_in(line);
  };
  while (const std::optional<std::string_view> line = lines.next()) take(*line);
  take(lines.rest());
  return summary;
}

}  // namespace

std::string to_json_line(const ShardHeading& heading) {
  Document document;
  document.put("shard", Document{{"k", heading.shard.part},
                                 {"n", heading.shard.of},
                                 {"lines", heading.batch.lines},
                                 {"digest", hex_text(heading.batch.sum)},
                                 {"version", heading.version}});
  return json_line(document);
}

std::optional<ShardHeading> shard_heading_in(std::string_view line) {
  return read_fields(line, [](const nlohmann::ordered_json& object) {
    const nlohmann::ordered_json& shard = known_fields(known_fields(object, {"shard"}).at("shard"),
                                                       {"k", "n", "lines", "digest", "version"});
    ShardHeading heading{.shard = {.of = integer_field(shard.at("n"), 1, most_parts)},
                         .batch = {.lines = integer_field(shard.at("lines"), 0,
                                                          std::numeric_limits<std::int64_t>::max()),
                                   .sum = hex_field(shard.at("digest"))},
                         .version = shard.at("version").get<std::string>()};
    heading.shard.part = integer_field(shard.at("k"), 1, heading.shard.of);
    return heading;
  });
}

MergedFile merged_file(const std::string& path) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return {};
  std::ifstream in(path, std::ios::binary);
  constexpr std::string_view begin = "{\"shard\":";
  std::string line(begin.size(), '\0');
  in.read(line.data(), static_cast<std::streamsize>(line.size()));
  line.resize(static_cast<std::size_t>(in.gcount()));
  if (line != begin)
    return {.is_report = begin.starts_with(line) || line.front() == '\0', .heading = {}};
  std::string piece(smallest_piece, '\0');
  while (in && line.size() < longest_heading && line.find('\n') == std::string::npos) {
    in.read(piece.data(), static_cast<std::streamsize>(piece.size()));
    line.append(piece, 0, static_cast<std::size_t>(in.gcount()));
  }
  return {.is_report = true, .heading = shard_heading_in(line.substr(0, line.find('\n')))};
}

void ShardReports::add(const std::string& path, const ShardHeading& heading) {
  const bool is_of_batch = heading.batch == batch_;
  if (is_of_batch && !first_) first_ = heading;
  if (!is_of_batch || !heading.is_of_same_run(*first_)) {
    foreign_.push_back(path);
    return;
  }
  BatchSummary none;
  none.is_all_read = false;
  std::error_code ignored;
  Report report{.path = path,
                .time = std::filesystem::last_write_time(path, ignored),
                .summary = summary_of(path).value_or(none)};
  report.is_whole = report.summary.is_all_read && !report.summary.is_interrupted;
  unreferenced_.insert(report.summary.unreferenced.begin(), report.summary.unreferenced.end());
  report.summary.unreferenced.clear();
  const auto [present, is_new] = reports_.emplace(heading.shard.part, report);
  if (is_new) return;
  if (present->second.is_whole && report.is_whole) doubled_.insert(heading.shard.part);
  const auto rank = [](const Report& each) { return std::pair(each.is_whole, each.time); };
  if (rank(present->second) < rank(report)) present->second = std::move(report);
}

std::vector<std::int64_t> ShardReports::missing() const {
  std::vector<std::int64_t> missing;
  for (std::int64_t shard = 1; first_ && shard <= first_->shard.of; ++shard) {
    const auto report = reports_.find(shard);
    if (report == reports_.end() || !report->second.is_whole) missing.push_back(shard);
  }
  return missing;
}

void ShardReports::Report::add_to(BatchSummary& sum) {
  is_whole = is_whole && found.counts == summary.counts && found.selected == summary.selected;
  sum.cases = std::max(sum.cases, summary.cases);
  sum.seconds = std::max(sum.seconds, summary.seconds);
  sum.selected += found.selected;
  for (std::size_t i = 0; i < sum.counts.size(); ++i) sum.counts[i] += found.counts[i];
  sum.fails_unreferenced = sum.fails_unreferenced || summary.fails_unreferenced;
  sum.ignores_unreferenced = sum.ignores_unreferenced || summary.ignores_unreferenced;
}

// The cases of one report.
class ShardReports::Cases {
 public:
  Cases(const JsonReportReader& reader, Report& report, std::size_t piece)
      : reader_{reader}, report_{report}, lines_{report.path, piece} {
    lines_.next();  // the heading
  }

  // False after the last case.
  bool next() {
    const std::optional<std::string_view> line = lines_.next();
    if (!line || is_summary(*line)) return false;
    std::optional<CaseResult> result = reader_.result_in(*line);
    if (!result) refuse_line(report_.path, *line);
    result_ = *std::move(result);
    return true;
  }
  Report& report() { return report_; }
  const CaseResult& result() const { return result_; }
  std::pair<std::size_t, std::int64_t> place() const {
    return {result_.file->number, result_.line};
  }

 private:
  const JsonReportReader& reader_;
  Report& report_;
  ClosedLines lines_;
  CaseResult result_;
};

BatchSummary ShardReports::merge(const std::function<void(const CaseResult&)>& take) {
  std::vector<std::unique_ptr<Cases>> all;
  const auto is_later = [](const Cases* a, const Cases* b) { return a->place() > b->place(); };
  std::priority_queue<Cases*, std::vector<Cases*>, decltype(is_later)> next(is_later);
  const std::size_t piece = std::clamp(all_pieces / std::max<std::size_t>(reports_.size(), 1),
                                       smallest_piece, largest_piece);
  for (auto& [shard, report] : reports_) {
    all.push_back(std::make_unique<Cases>(reader_, report, piece));
    if (all.back()->next()) next.push(all.back().get());
  }
  std::pair<std::size_t, std::int64_t> last{0, 0};
  while (!next.empty()) {
    Cases* const cases = next.top();
    next.pop();
    take(cases->result());
    BatchSummary& found = cases->report().found;
    ++found.counts[static_cast<std::size_t>(cases->result().state)];
    ++found.selected;
    // The order of a report, and one report for each case.
    const auto place = std::exchange(last, cases->place());
    if (place >= last) cases->report().is_whole = false;
    if (cases->next()) next.push(cases);
  }
  BatchSummary sum;
  for (auto& [shard, report] : reports_) report.add_to(sum);
  sum.unreferenced.assign(unreferenced_.begin(), unreferenced_.end());
  sum.is_all_read = foreign_.empty() && missing().empty();
  return sum;
}

}  // namespace tscatter::app
