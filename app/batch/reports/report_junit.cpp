#include <fmt/format.h>

#include <algorithm>

#include "batch/reports/reports.hpp"
#include "text/quoting.hpp"

namespace tscatter::app {
namespace {

// Limits in bytes of XML: 10,000 failures stay below 30 MB, GitLab's limit.
constexpr std::size_t longest_suite = 200;
constexpr std::size_t longest_name = 500;
constexpr std::size_t longest_message = 400;
constexpr std::size_t longest_body = 1600;

constexpr std::string_view unreferenced_name = "--unreferenced";

std::string skipped(std::string_view type, const std::string& message) {
  return fmt::format(R"(<skipped type="{}" message="{}"/>)", type,
                     xml_text(message, XmlPlace::attribute, longest_message));
}

// Takes a number off the end of the name, and what stands before it.
bool take_number_after(std::string_view& name, std::string_view before) {
  const std::string_view front = name.substr(0, name.find_last_not_of("0123456789") + 1);
  if (!front.ends_with(before)) return false;
  name = front.substr(0, front.size() - before.size());
  return true;
}

// Whether the name looks like one that the report makes itself.
bool is_taken(std::string_view name) {
  if (name == unreferenced_name) return true;
  if (!name.ends_with(')')) return false;
  name.remove_suffix(1);
  take_number_after(name, " of file ");
  return take_number_after(name, " (line ");
}

// Unique in the batch.
std::string line_suffix(const CaseResult& result) {
  if (result.file->is_alone) return fmt::format(" (line {})", result.line);
  return fmt::format(" (line {} of file {})", result.line, result.file->number);
}

std::string failure_of(const CaseResult& result) {
  const std::string body =
      fmt::format("{}: {}\n{}\n\n{}\n{}", result.place, labelled_message(result), result.repeat,
                  facts_text(result.facts), result.census_text);
  return fmt::format(R"(<failure type="{}" message="{}">{}</failure>)",
                     xml_text(labelled_reason(result), XmlPlace::attribute),
                     xml_text(result.message, XmlPlace::attribute, longest_message),
                     xml_text(body, XmlPlace::element, longest_body));
}

bool is_skipped(CaseState state) {
  return state == CaseState::xfailed || state == CaseState::not_run || state == CaseState::skipped;
}

std::int64_t skipped_count(const BatchSummary& summary) {
  std::int64_t count = 0;
  for (std::size_t i = 0; i < summary.counts.size(); ++i) {
    if (is_skipped(static_cast<CaseState>(i))) count += summary.counts[i];
  }
  return count;
}

}  // namespace

JunitReport::JunitReport(const std::string& path, const std::string& suite)
    : file_{path}, suite_{xml_text(suite, XmlPlace::attribute, longest_suite)}, cases_{path} {}

// "golden/rows/cases" for the cases of golden/rows/cases.jsonl, where there are several files.
std::string JunitReport::class_of(const CaseResult& result) const {
  if (result.file->is_alone) return suite_;
  std::string_view name = result.file->name;
  if (name.ends_with(".jsonl")) name.remove_suffix(std::string_view(".jsonl").size());
  return xml_text(name, XmlPlace::attribute, longest_suite);
}

// Adds the line to a name that XML cannot write, that is escaped or truncated, that is repeated, or
// that looks like one that the report makes itself.
std::string JunitReport::unique_name(const CaseResult& result) const {
  const std::string xml = xml_text(result.name, XmlPlace::attribute, longest_name);
  const bool has_lost = xml.ends_with("…") || xml.find("\xef\xbf\xbd") != std::string::npos;
  const bool is_escaped = std::ranges::count(xml, '\\') > std::ranges::count(result.name, '\\');
  const bool is_told = has_lost || is_escaped || result.repeats_name || is_taken(result.name);
  return is_told ? xml + line_suffix(result) : xml;
}

void JunitReport::case_ended(const CaseResult& result) {
  cases_.append(fmt::format(R"(<testcase classname="{}" name="{}" time="{:.3f}")", class_of(result),
                            unique_name(result), result.seconds));
  if (is_failure(result.state)) {
    cases_.append(fmt::format(">{}</testcase>\n", failure_of(result)));
  } else if (is_skipped(result.state)) {
    cases_.append(fmt::format(">{}</testcase>\n", skipped(name_of(result.state), result.message)));
  } else {
    cases_.append("/>\n");
  }
}

void JunitReport::batch_ended(const BatchSummary& summary) {
  const std::int64_t extra = summary.has_failed_unreferenced() ? 1 : 0;
  const std::string counts = fmt::format(R"(name="{}" tests="{}" failures="{}" errors="0")", suite_,
                                         summary.selected + extra, summary.failures() + extra);
  file_.write(fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites {} time=\"{:.3f}\">\n<testsuite {} "
      "skipped=\"{}\" time=\"{:.3f}\">\n",
      counts, summary.seconds, counts, skipped_count(summary), summary.seconds));
  if (!summary.is_all_read) {
    file_.write(
        "<properties><property name=\"interrupted\" value=\"the rest of the batch was not read\"/>"
        "</properties>\n");
  }
  cases_.read([&](std::string_view text) { file_.write(text); });
  if (summary.has_failed_unreferenced()) {
    file_.write(
        fmt::format("<testcase classname=\"{}\" name=\"{}\" time=\"0.000\"><failure "
                    "type=\"batch.b11\" message=\"{}\"/></testcase>\n",
                    suite_, unreferenced_name,
                    xml_text(unreferenced_message(summary), XmlPlace::attribute, longest_message)));
  }
  file_.write("</testsuite>\n</testsuites>\n");
  file_.commit();
}

}  // namespace tscatter::app
