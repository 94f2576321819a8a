#include "batch/report_html.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

#include "batch/html_page.hpp"
#include "batch/xml_text.hpp"

namespace tscatter::app {
namespace {

constexpr std::int64_t most_open = 10;  // failures whose details are open at first

// In the order in which the page offers them; by CaseState.
constexpr std::array<std::string_view, case_state_names.size()> titles{
    "passed",  "failed",  "expected failures", "unexpected passes",
    "updated", "written", "done earlier",      "not run"};

std::string base64(std::span<const std::byte> bytes) {
  constexpr std::string_view letters =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const auto byte = [&](std::size_t at) {
      return at < bytes.size() ? std::to_integer<std::uint32_t>(bytes[at]) : 0U;
    };
    const std::uint32_t group = byte(i) << 16U | byte(i + 1) << 8U | byte(i + 2);
    text += letters[group >> 18U];
    text += letters[group >> 12U & 63U];
    text += i + 1 < bytes.size() ? letters[group >> 6U & 63U] : '=';
    text += i + 2 < bytes.size() ? letters[group & 63U] : '=';
  }
  return text;
}

// The first line of a census is the message, which is already above it.
std::string_view without_first_line(std::string_view text) {
  const std::size_t end = text.find_first_not_of('\n', std::min(text.find('\n'), text.size()));
  return end == std::string_view::npos ? text : text.substr(end);
}

std::string figure_of(const CaseResult& result) {
  if (result.heatmap.empty()) return {};
  return fmt::format(
      "<img loading=\"lazy\" alt=\"where the elements of {} differ\" "
      "src=\"data:image/png;base64,{}\">\n",
      xml_text(result.name), base64(result.heatmap));
}

// The radio button and its label for one state with `count` cases.
std::string filter_of(std::string_view id, std::string_view title, std::int64_t count) {
  return fmt::format(
      "<input type=\"radio\" name=\"state\" id=\"show-{}\"{}><label for=\"show-{}\" "
      "class=\"{}\">{} <b>{}</b></label>\n",
      id, id == "all" ? " checked" : "", id, id, title, count);
}

std::string filters(const BatchSummary& summary) {
  std::string text = filter_of("all", "all", summary.selected);
  for (std::size_t i = 0; i < summary.counts.size(); ++i) {
    if (summary.counts[i] > 0) text += filter_of(case_state_names[i], titles[i], summary.counts[i]);
  }
  return text;
}

}  // namespace

HtmlReport::HtmlReport(const std::string& path, std::string batch_path, const std::string& title)
    : file_{path}, batch_path_{std::move(batch_path)}, title_{xml_text(title)}, cases_{path} {}

std::string HtmlReport::detail_of(const CaseResult& result) const {
  constexpr std::size_t longest_census = 8000;
  std::string text = fmt::format("<p class=\"message\">{}</p>\n", xml_text(result.message));
  if (!result.label.empty()) text += fmt::format("<p><code>{}</code></p>\n", result.label);
  if (!result.census_text.empty() || !result.heatmap.empty()) {
    text += fmt::format(
        "<div class=\"census\"><pre tabindex=\"0\">{}</pre>\n{}</div>\n",
        xml_text(without_first_line(result.census_text), XmlPlace::element, longest_census),
        figure_of(result));
  }
  if (!is_failure(result.state)) return text;
  return text + fmt::format("<p>again: <code>{}</code></p>\n",
                            xml_text(repeat_command(batch_path_, result)));
}

void HtmlReport::case_ended(const CaseResult& result) {
  const std::string row = fmt::format(
      "<span class=\"state\">{}</span> <span class=\"name\">{}</span> <span "
      "class=\"place\">{}</span> <span class=\"time\">{:.3f} s</span>",
      to_string(result.state) == "not_run" ? "not run" : to_string(result.state),
      xml_text(result.name), xml_text(result.place), result.seconds);
  const std::string_view state = to_string(result.state);
  if (result.message.empty()) {
    cases_.append(
        fmt::format("<li class=\"case {}\"><div class=\"row\">{}</div></li>\n", state, row));
    return;
  }
  const bool is_open = is_failure(result.state) && opened_++ < most_open;
  cases_.append(fmt::format(
      "<li class=\"case {}\"><details{}><summary class=\"row\">{}</summary>\n{}</details></li>\n",
      state, is_open ? " open" : "", row, detail_of(result)));
}

void HtmlReport::batch_ended(const BatchSummary& summary) {
  file_.write(fmt::format(html_front, fmt::arg("title", title_), fmt::arg("style", html_style)));
  const bool is_good = summary.failures() == 0 && !summary.is_interrupted;
  file_.write(fmt::format("<h1>{}</h1>\n<p class=\"verdict {}\">{} <span>in {:.2f} s</span></p>\n",
                          title_, is_good ? "good" : "bad", xml_text(summary_line(summary)),
                          summary.seconds));
  if (!summary.unreferenced.empty()) {
    file_.write(
        fmt::format("<p class=\"message\">{}</p>\n", xml_text(unreferenced_message(summary))));
  }
  file_.write(fmt::format("</header>\n<main>\n<fieldset><legend>show</legend>\n{}</fieldset>\n",
                          filters(summary)));
  file_.write("<ul id=\"cases\">\n");
  cases_.read([&](std::string_view text) { file_.write(text); });
  file_.write(html_end);
  file_.commit();
}

}  // namespace tscatter::app
