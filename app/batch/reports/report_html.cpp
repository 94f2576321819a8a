#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "batch/reports/html_page.hpp"
#include "batch/reports/reports.hpp"
#include "jobs/rules.hpp"
#include "text/figure.hpp"
#include "text/xml_text.hpp"

namespace tscatter::app {
namespace {

// The class in the list of cases of those that failed for the same reasons: "why-3".
std::string group_class(std::int64_t group) { return fmt::format("why-{}", group); }

constexpr std::size_t most_reasons = 100;
constexpr std::size_t most_words = 12;

std::string choice_of(std::string_view id, std::string_view text, std::int64_t failed,
                      std::string_view chosen) {
  return fmt::format(
      "<td><input type=\"radio\"{} name=\"why\" id=\"{}\"><label for=\"{}\">{}</label></td><td "
      "class=\"count\">{}</td>",
      chosen, id, id, xml_text(text), grouped(failed).text);
}

std::string id_of(const FailureWords::Reason& each) {
  return fmt::format("reason-{}", each.groups.front());
}

std::string reason_row(const FailureWords::Reason& each) {
  const std::string elements =
      each.smallest.elements > 0 ? ", " + counted(each.smallest.elements, "element") : "";
  return fmt::format(
      "<tr>{}<td class=\"smallest\"><a href=\"#case-{}\">{}</a><span>{}</span></td></tr>\n",
      choice_of(id_of(each), each.words, each.failed, ""), each.smallest.of_case,
      xml_text(each.smallest.name), elements);
}

std::string style_of(const std::vector<FailureWords::Reason>& reasons) {
  std::string style;
  for (const FailureWords::Reason& each : reasons) {
    std::vector<std::string> classes(each.groups.size());
    std::ranges::transform(each.groups, classes.begin(), group_class);
    style += fmt::format("main:has(#{}:checked) .case:not(.{}) {{ display: none; }}\n", id_of(each),
                         fmt::join(classes, ", ."));
  }
  return fmt::format("<style>\n{}</style>\n", style);
}

std::string reasons_of(const FailureWords& words) {
  std::vector<FailureWords::Reason> reasons = words.reasons();
  const std::size_t all = reasons.size();
  if (all > most_reasons) reasons.resize(most_reasons);
  std::string rows = fmt::format("<tr>{}<td></td></tr>\n",
                                 choice_of("reason-any", "any", words.failed(), " checked"));
  for (const FailureWords::Reason& each : reasons) rows += reason_row(each);
  if (all > most_reasons)
    rows += fmt::format("<tr><td colspan=\"3\">{} more</td></tr>\n",
                        grouped(static_cast<std::int64_t>(all - most_reasons)).text);
  return style_of(reasons) +
         fmt::format(
             "<table class=\"why\"><thead><tr><th>why</th><th class=\"count\">failures</th>"
             "<th>smallest case</th></tr></thead>\n<tbody>\n{}</tbody></table>\n",
             rows);
}

std::string word_row(const FailureWords::Word& each) {
  return fmt::format(
      "<tr><td><span class=\"word\">{}</span></td><td class=\"count\">{}</td><td "
      "class=\"count\">{}</td><td class=\"count\">{}</td><td class=\"share\"><i "
      "style=\"width:{}%\"></i></td></tr>\n",
      xml_text(each.word), grouped(each.failed).text, grouped(each.cases).text,
      percent(each.failed, each.cases), 100 * each.failed / each.cases);
}

std::string words_table(const FailureWords& words) {
  std::vector<FailureWords::Word> some = words.words();
  if (some.empty()) return {};
  if (some.size() > most_words) some.resize(most_words);
  std::string rows;
  for (const FailureWords::Word& each : some) rows += word_row(each);
  return fmt::format(
      "<table class=\"words\"><thead><tr><th>word</th><th class=\"count\">failed</th><th "
      "class=\"count\">of</th><th></th><th></th></tr></thead>\n<tbody>\n{}</tbody></table>\n",
      rows);
}

// Two tables and the style that lets them choose; empty without failures.
std::string html_groups(const FailureWords& words) {
  if (words.failed() == 0) return {};
  return fmt::format("<div class=\"groups\">\n{}{}</div>\n", reasons_of(words), words_table(words));
}

constexpr std::int64_t most_open = 10;  // failures whose details are open at first

// States whose cases the page can show alone, in its order.
constexpr std::array shown_states{CaseState::passed,  CaseState::xfailed, CaseState::updated,
                                  CaseState::written, CaseState::resumed, CaseState::not_run,
                                  CaseState::skipped, CaseState::to_write};

std::string_view title_of(CaseState state) {
  if (state == CaseState::xfailed) return "expected failures";
  return state == CaseState::resumed ? "done earlier" : words_of(state);
}

std::string list_of(const Facts& facts, std::string_view of_class = "") {
  std::string items;
  for (const auto& [name, text] : facts)
    items += fmt::format("<dt>{}</dt><dd>{}</dd>\n", xml_text(name), xml_text(text));
  return items.empty() ? items : fmt::format("<dl{}>\n{}</dl>\n", of_class, items);
}

// A picture whose click enlarges it.
std::string picture_of(const CaseResult& result) {
  if (result.heatmap.empty()) return {};
  return fmt::format(
      "<label class=\"picture\" title=\"click to enlarge\"><input type=\"checkbox\" "
      "aria-label=\"enlarge the picture\"><span>{}</span></label>\n",
      result.heatmap);
}

std::string census_of(const CaseResult& result) {
  constexpr std::size_t longest = 8000;
  if (result.census_text.empty() && result.heatmap.empty()) return {};
  return fmt::format("<div class=\"census\"><pre tabindex=\"0\">{}</pre>\n{}</div>\n",
                     xml_text(result.census_text, XmlPlace::element, longest), picture_of(result));
}

// Choices of what the page shows. The first one that has cases is chosen.
std::string filters_of(const BatchSummary& summary) {
  std::string text;
  const auto add = [&](std::string_view id, std::string_view title, std::int64_t count) {
    if (count == 0) return;
    text += fmt::format(
        "<input type=\"radio\" name=\"state\" id=\"show-{}\"{}><label for=\"show-{}\">{} "
        "<b>{}</b></label>\n",
        id, text.empty() ? " checked" : "", id, title, grouped(count).text);
  };
  add("failures", "failures", summary.failures());
  add("all", "all", summary.selected);
  for (const CaseState state : shown_states)
    add(name_of(state), title_of(state), summary.count(state));
  return text;
}

std::string about_of(const HtmlHeading& heading) {
  const std::string about =
      fmt::format("tscatter {} · {}{}", TSCATTER_VERSION, heading.date,
                  heading.shard.empty() ? std::string() : " · shard " + heading.shard);
  return xml_text(about);
}

std::string html_row(const CaseResult& result) {
  return fmt::format(
      "<span class=\"state\">{}</span> <span class=\"name\">{}</span> <span "
      "class=\"place\">{}</span> <span class=\"time\">{}</span>",
      words_of(result.state), xml_text(result.name), xml_text(result.place),
      duration(result.seconds));
}

}  // namespace

HtmlReport::HtmlReport(const std::string& path, const HtmlHeading& heading)
    : file_{path}, title_{xml_text(heading.title)}, about_{about_of(heading)}, cases_{path} {
  for (const Rule& rule : all_rules()) rules_.emplace(rule.label, rule.text);
}

std::string HtmlReport::rule_of(const std::string& label) const {
  const auto rule = rules_.find(label);
  if (rule == rules_.end()) return {};
  return fmt::format("<p class=\"rule\"><code>{}</code> {}</p>\n", label, xml_text(rule->second));
}

std::string HtmlReport::detail_of(const CaseResult& result) const {
  std::string text = fmt::format("<p class=\"message\">{}</p>\n", xml_text(result.message)) +
                     rule_of(result.label) + list_of(result.facts) +
                     list_of(result.values, " class=\"values\"") + census_of(result);
  if (!is_failure(result.state)) return text;
  return text + fmt::format("<p class=\"again\">Run it again: <code>{}</code></p>\n",
                            xml_text(result.repeat));
}

void HtmlReport::case_ended(const CaseResult& result) {
  const std::int64_t group = words_.take(result);
  std::string state = fmt::format("{}{}\" id=\"case-{}", name_of(result.state),
                                  group < 0 ? "" : " " + group_class(group), words_.taken());
  if (group >= 0)
    state +=
        fmt::format("\" data-words=\"{}", xml_text(fmt::to_string(fmt::join(result.words, " "))));
  if (result.message.empty()) {
    cases_.append(fmt::format("<li class=\"case {}\"><div class=\"row\">{}</div></li>\n", state,
                              html_row(result)));
    return;
  }
  const bool is_open = is_failure(result.state) && opened_++ < most_open;
  cases_.append(fmt::format(
      "<li class=\"case {}\"><details{}><summary class=\"row\">{}</summary>\n{}</details></li>\n",
      state, is_open ? " open" : "", html_row(result), detail_of(result)));
}

std::string HtmlReport::header_of(const BatchSummary& summary) const {
  const bool is_good = !summary.has_failed() && !summary.is_interrupted;
  std::string text = fmt::format(
      "<h1>{}</h1>\n<p class=\"verdict {}\">{} <span>in {}</span></p>\n<p class=\"about\">{}</p>\n",
      title_, is_good ? "good" : "bad", xml_text(summary_line(summary)), duration(summary.seconds),
      about_);
  if (summary.unreferenced.empty()) return text;
  return text +
         fmt::format("<p class=\"message\">{}</p>\n", xml_text(unreferenced_message(summary))) +
         rule_of("batch.b11");
}

void HtmlReport::batch_ended(const BatchSummary& summary) {
  file_.write(fmt::format(html_front, fmt::arg("title", title_),
                          fmt::arg("command", summary.is_of_pairs ? "compare" : "batch"),
                          fmt::arg("style", html_style)));
  file_.write(header_of(summary));
  file_.write(fmt::format("</header>\n<main>\n<fieldset><legend>show</legend>\n{}</fieldset>\n",
                          filters_of(summary)));
  file_.write(html_groups(words_));
  file_.write("<ul id=\"cases\">\n");
  cases_.read([&](std::string_view text) { file_.write(text); });
  file_.write(html_end);
  file_.commit();
}

}  // namespace tscatter::app
