#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <utility>
#include <vector>

#include "batch/reports/reports.hpp"
#include "text/document.hpp"

namespace tscatter::app {

namespace {

using Words = std::vector<FailureWords::Word>;

Table word_members(const Words& words) {
  Table table;
  for (const FailureWords::Word& each : words) {
    table.rows.push_back({{"word", each.word}, {"failed", each.failed}, {"cases", each.cases}});
  }
  return table;
}

// "f64 2 of 2, sum 2 of 3"
std::string words_text(const Words& words) {
  constexpr std::size_t most_shown = 4;
  std::vector<std::string> parts;
  for (const FailureWords::Word& each : words) {
    if (parts.size() == most_shown) break;
    parts.push_back(
        fmt::format("{} {} of {}", each.word, grouped(each.failed).text, grouped(each.cases).text));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

Document row_of(const FailureWords::Reason& each) {
  Document row;
  row.add("failed", "failures", grouped(each.failed), Align::right);
  row.add("reason", "why", text_figure(each.words));
  row.show("most often in", words_text(each.where));
  row.put("words", word_members(each.where));
  return row;
}

}  // namespace

Document ByWordReport::document() const {
  Table reasons;
  for (const FailureWords::Reason& each : words_.reasons()) reasons.rows.push_back(row_of(each));
  const Words words = words_.words();
  Document document;
  document.put("why", reasons);
  document.put("words", word_members(words));
  if (reasons.rows.size() > 1) {
    Document& all = reasons.rows.emplace_back();
    all.show("failures", grouped(words_.failed()).text, Align::right);
    all.show("why", "in all");
    all.show("most often in", words_text(words_.where()));
  }
  document.show(std::move(reasons));
  return document;
}

void ByWordReport::batch_ended(const BatchSummary&) {
  if (words_.failed() == 0) return;
  if (is_json_) {
    Document line;
    line.put("by_word", document());
    console_.print(json_line(line));
  } else {
    console_.print("\n" + document_text(document()));
  }
  console_.flush();
}

}  // namespace tscatter::app
