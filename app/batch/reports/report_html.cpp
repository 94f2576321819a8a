#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "batch/reports/reports.hpp"
#include "jobs/rules.hpp"
#include "text/figure.hpp"
#include "text/quoting.hpp"

namespace tscatter::app {
namespace {

// ---- The frame of the report, around its cases

// A format of title and style.
constexpr std::string_view html_front = R"(<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="data:,">
<title>{title}: tscatter {command}</title>
<style>{style}</style>
</head>
<body>
<header>
)";

// The filter: the checked radio button hides the cases of the other states.
constexpr std::string_view html_style = R"(
:root { --back: #fff; --text: #1c2128; --dim: #57606a; --line: #d0d7de; --panel: #f6f8fa; --shade: #1c212840;
  --passed: #116329; --failed: #a40e26; --xfailed: #7d4e00; --updated: #0550ae; --dimmed: #57606a; }
@media (prefers-color-scheme: dark) { :root { --back: #0d1117; --text: #e6edf3; --dim: #9198a1;
  --line: #3d444d; --panel: #151b23; --shade: #e6edf366; --passed: #56d364; --failed: #ff7b72; --xfailed: #e3b341;
  --updated: #79c0ff; --dimmed: #9198a1; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 75rem; padding: 1rem; background: var(--back); color: var(--text);
  font: 1rem/1.5 system-ui, sans-serif; }
h1 { font-size: 1.4rem; margin: 0; overflow-wrap: anywhere; }
p { margin: .3rem 0; overflow-wrap: anywhere; }
code, pre { font: .85rem/1.45 ui-monospace, monospace; }
.verdict { font-weight: 600; } .verdict span, .about { color: var(--dim); font-weight: 400; }
.verdict.good { color: var(--passed); } .verdict.bad { color: var(--failed); }
fieldset { border: 0; margin: .5rem 0 0; padding: .5rem 0; position: sticky; top: 0; z-index: 1; background: var(--back); display: flex; flex-wrap: wrap; gap: .4rem; }
legend { position: absolute; clip-path: inset(50%); width: 1px; height: 1px; overflow: hidden; }
fieldset input[type=radio] { position: absolute; opacity: 0; }
fieldset label { border: 1px solid var(--line); border-radius: 1rem; padding: .25rem .75rem; cursor: pointer; }
fieldset input:checked + label { background: var(--text); color: var(--back); border-color: var(--text); }
fieldset input:focus-visible + label { outline: 3px solid var(--updated); outline-offset: 2px; }
#search { flex: 1 1 12rem; min-width: 0; border: 1px solid var(--line); border-radius: 1rem; padding: .25rem .75rem;
  font: inherit; background: var(--back); color: var(--text); }
.groups { display: flex; flex-wrap: wrap; gap: .5rem 2rem; align-items: flex-start; margin: 0 0 1rem; }
.groups table { border-collapse: collapse; font-size: .9rem; } .groups th { text-align: left; color: var(--dim); font-weight: 400; }
.groups td, .groups th { padding: .2rem .6rem .2rem 0; vertical-align: baseline; overflow-wrap: anywhere; }
.groups .count { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
.groups tbody tr { border-top: 1px solid var(--line); }
.why { flex: 3 1 32rem; } .words { flex: 1 1 16rem; }
.why td:first-child { padding-left: 1.6rem; text-indent: -1.6rem; min-width: 15rem; }
.why input { accent-color: var(--failed); width: 1rem; margin: 0 .6rem 0 0; } .why label { cursor: pointer; font-weight: 500; }
.smallest a { color: var(--updated); } .smallest span { color: var(--dim); }
.share { width: 6rem; } .share i { display: block; height: .6rem; border-radius: .2rem; background: var(--failed); opacity: .7; }
button.word { all: unset; cursor: pointer; color: var(--updated); text-decoration: underline; } button.word:focus-visible { outline: 3px solid var(--updated); }
main:has(#show-all:checked, #show-passed:checked) .groups { display: none; }
#cases { list-style: none; margin: 0; padding: 0; border-top: 1px solid var(--line); }
.case { border-bottom: 1px solid var(--line); content-visibility: auto; contain-intrinsic-size: auto 2.2rem; }
.row { display: grid; grid-template-columns: 7rem 1fr auto auto; gap: 0 .75rem; padding: .3rem .25rem; align-items: baseline; }
.state::before { content: ""; display: inline-block; width: 1rem; }
summary .state::before { content: "\25b8"; color: var(--dim); } details[open] > summary .state::before { content: "\25be"; }
summary.row { cursor: pointer; } summary.row:hover { background: var(--panel); }
.name { overflow-wrap: anywhere; white-space: pre-wrap; font-weight: 500; }
.place, .time { color: var(--dim); font-size: .85rem; } .time { text-align: right; min-width: 4.5rem; }
.state { font-weight: 600; }
.passed .state, .written .state { color: var(--passed); }
.failed .state, .xpassed .state { color: var(--failed); }
.xfailed .state { color: var(--xfailed); } .updated .state, .to_write .state { color: var(--updated); }
.resumed .state, .not_run .state, .skipped .state { color: var(--dimmed); }
details > :not(summary) { margin-left: 8rem; margin-right: .25rem; }
details[open] { padding-bottom: .75rem; }
.message { font-weight: 500; } .rule, .again { color: var(--dim); }
.rule code, .again code, dd { color: var(--text); } .again code { user-select: all; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 0 1rem; margin: .5rem 0; }
dt { color: var(--dim); } dd { margin: 0; overflow-wrap: anywhere; }
.values dd { font: .85rem/1.6 ui-monospace, monospace; } .values { border-left: 3px solid var(--line); padding-left: .75rem; }
.case:target { box-shadow: inset 3px 0 0 var(--updated); display: block !important; }
.census { display: flex; flex-wrap: wrap; gap: .75rem; align-items: flex-start; }
.census pre { flex: 0 1 auto; max-width: 100%; margin: .3rem 0; padding: .6rem;
  border-radius: .4rem; overflow-x: auto; }
.census pre { background: linear-gradient(to right, var(--panel) 1rem, transparent 2rem),
  linear-gradient(to left, var(--panel) 1rem, transparent 2rem) 100% 0,
  linear-gradient(to right, var(--shade), transparent .6rem), linear-gradient(to left, var(--shade), transparent .6rem) 100% 0,
  var(--panel); background-attachment: local, local, scroll, scroll, scroll; }
.picture { flex: 0 1 auto; min-width: 0; max-width: 100%; margin-top: .3rem; cursor: zoom-in; }
.picture input { position: absolute; opacity: 0; }
.picture span { display: block; max-width: 28rem; border: 1px solid var(--line); overflow-x: auto; }
.picture::after { content: "click to enlarge"; color: var(--dim); font-size: .85rem; }
.picture:has(:checked)::after { content: "click to shrink"; }
.picture svg { display: block; max-width: 100%; height: auto; }
.picture input:checked + span { max-width: none; cursor: zoom-out; }
.picture input:checked + span svg { max-width: none; width: max(100%, 48rem); }
.picture input:focus-visible + span { outline: 3px solid var(--updated); outline-offset: 2px; }
main:has(#show-failures:checked) .case:not(.failed, .xpassed),
main:has(#show-passed:checked) .case:not(.passed), main:has(#show-xfailed:checked) .case:not(.xfailed),
main:has(#show-updated:checked) .case:not(.updated), main:has(#show-written:checked) .case:not(.written),
main:has(#show-resumed:checked) .case:not(.resumed), main:has(#show-not_run:checked) .case:not(.not_run),
main:has(#show-skipped:checked) .case:not(.skipped), main:has(#show-to_write:checked) .case:not(.to_write),
.case.hidden { display: none; }
@media (max-width: 40rem) { body { padding: .6rem; } .row { grid-template-columns: 1fr auto; }
  .name { grid-column: 1 / -1; grid-row: 2; } .place { text-align: right; } .time { grid-row: 1; grid-column: 2; }
  .place { grid-row: 3; grid-column: 1 / -1; text-align: left; } .state { grid-row: 1; }
  fieldset { position: static; } details > :not(summary) { margin-left: .25rem; }
  .census pre { font-size: .7rem; }
  .why thead { display: none; } .why tr { display: grid; grid-template-columns: 1fr auto; } .smallest { grid-column: 1 / -1; }
  .groups .smallest { padding-top: 0; } .groups, .why, .words { width: 100%; } dl { grid-template-columns: 1fr; } dd { margin-bottom: .2rem; } }
@media print { fieldset { display: none; } }
)";

// The search box exists only if scripts run.
constexpr std::string_view html_end = R"(</ul>
</main>
<script>
const box = document.createElement("input");
box.type = "search";
box.id = "search";
box.placeholder = "part of a name";
box.setAttribute("aria-label", "show only names with");
document.querySelector("fieldset").append(box);
const cases = [...document.querySelectorAll(".case")].map(
  item => [item, `${item.querySelector(".name").textContent} ${item.dataset.words ?? ""}`.toLowerCase()]);
box.addEventListener("input", () => {
  const part = box.value.toLowerCase();
  for (const [item, name] of cases) item.classList.toggle("hidden", !name.includes(part));
});
for (const word of document.querySelectorAll("span.word")) {
  const button = document.createElement("button");
  button.className = "word";
  button.textContent = word.textContent;
  button.addEventListener("click", () => { box.value = word.textContent; box.dispatchEvent(new Event("input")); });
  word.replaceWith(button);
}
const unfold = () => document.getElementById(location.hash.slice(1))?.querySelector("details")?.setAttribute("open", "");
addEventListener("hashchange", unfold);
</script>
</body>
</html>
)";

// ---- The cases

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
