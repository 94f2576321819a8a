#include "batch/html_groups.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "text/figure.hpp"
#include "text/xml_text.hpp"

namespace tscatter::app {
namespace {

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
  const std::string elements = each.elements > 0 ? ", " + counted(each.elements, "element") : "";
  return fmt::format(
      "<tr>{}<td class=\"smallest\"><a href=\"#case-{}\">{}</a><span>{}</span></td></tr>\n",
      choice_of(id_of(each), each.words, each.failed, ""), each.of_case, xml_text(each.smallest),
      elements);
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

}  // namespace

std::string group_class(std::int64_t group) { return fmt::format("why-{}", group); }

std::string html_groups(const FailureWords& words) {
  if (words.failed() == 0) return {};
  return fmt::format("<div class=\"groups\">\n{}{}</div>\n", reasons_of(words), words_table(words));
}

}  // namespace tscatter::app
