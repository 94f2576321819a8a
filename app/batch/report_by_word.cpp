#include "batch/report_by_word.hpp"

#include <utility>

#include "text/json_line.hpp"
#include "tscatter/core/error.hpp"

namespace tscatter::app {

Document ByWordReport::document() const {
  constexpr std::size_t most_shown = 20;
  Table reasons;
  for (const FailureWords::Reason& each : words_.reasons()) {
    Document& row = reasons.rows.emplace_back();
    row.add("reason", "why", {.value = each.words, .text = escape_control(each.words)});
    row.add("failed", "failures", grouped(each.failed), Align::right);
  }
  Table words;
  for (const FailureWords::Word& each : words_.words()) {
    Document row;
    row.add("word", "word", {.value = each.word, .text = escape_control(each.word)});
    row.add("failed", "failed", grouped(each.failed), Align::right);
    row.add("cases", "of", grouped(each.cases), Align::right);
    row.show("", percent(each.failed, each.cases));
    const bool is_shown = words.rows.size() < most_shown;
    words.rows.push_back(is_shown ? std::move(row) : in_json_only(std::move(row)));
  }
  Document document;
  document.add("why", std::move(reasons));
  document.add("words", std::move(words));
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
