#include "batch/report_by_word.hpp"

#include <algorithm>
#include <utility>

#include "text/json_line.hpp"
#include "tscatter/core/error.hpp"

namespace tscatter::app {
namespace {

constexpr std::size_t most_words = 100'000;  // that are counted
constexpr std::size_t most_shown = 20;

bool is_number(std::string_view word) {
  return std::ranges::all_of(word, [](char each) { return each >= '0' && each <= '9'; });
}

// The diagnosis without the numbers of its entries, so that those of many cases are one.
std::string without_entries(std::string words) {
  const std::size_t colon = words.find(": ");
  if (colon != std::string::npos) words.resize(colon);
  for (std::size_t at = words.find('['); at != std::string::npos; at = words.find('[', at + 1)) {
    const std::size_t end = words.find(']', at);
    if (end != std::string::npos) words.replace(at + 1, end - at - 1, "…");
  }
  return words;
}

}  // namespace

std::vector<std::string> words_of_name(std::string_view name) {
  constexpr std::string_view between = " -/,:";
  constexpr std::size_t longest_number = 2;
  std::vector<std::string> words;
  bool goes_on = false;  // the word before may take a number
  while (!name.empty()) {
    const std::size_t end = std::min(name.find_first_of(between), name.size());
    const std::string word(name.substr(0, end));
    name.remove_prefix(std::min(end + 1, name.size()));
    if (word.empty()) continue;
    const bool joins = is_number(word) && word.size() <= longest_number && goes_on;
    if (joins) words.back() += "-" + word;
    goes_on = !is_number(word);
    if (goes_on) words.push_back(word);
  }
  std::ranges::sort(words);
  words.erase(std::unique(words.begin(), words.end()), words.end());
  return words;
}

void ByWordReport::count(Words& words, const std::string& word, bool is_failed) {
  if (words.size() >= most_words && !words.contains(word)) return;
  Counts& counts = words[word];
  ++counts.cases;
  if (is_failed) ++counts.failed;
}

void ByWordReport::case_ended(const CaseResult& result) {
  if (result.state == CaseState::not_run || result.state == CaseState::skipped) return;
  const bool is_failed = is_failure(result.state);
  ++all_.cases;
  if (is_failed) ++all_.failed;
  for (const std::string& word : words_of_name(result.is_unnamed ? "" : result.name))
    count(words_, word, is_failed);
  for (const std::string& word : result.words) count(words_, word, is_failed);
  if (!is_failed) return;
  const std::string reason = result.diagnosis.empty()
                                 ? result.label.empty() ? "no label" : "[" + result.label + "]"
                                 : without_entries(result.diagnosis);
  count(reasons_, reason, true);
}

Document ByWordReport::document() const {
  // Those of which the largest share failed first.
  const auto sorted = [this](const Words& words) {
    std::vector<std::pair<std::string, Counts>> rows;
    for (const auto& each : words) {
      const bool is_of_one = each.second.cases == 1 && all_.cases > 1;  // a name by itself
      if (each.second.failed > 0 && (&words == &reasons_ || !is_of_one)) rows.emplace_back(each);
    }
    std::ranges::stable_sort(rows, [](const auto& a, const auto& b) {
      const std::int64_t left = a.second.failed * b.second.cases;
      const std::int64_t right = b.second.failed * a.second.cases;
      return left != right ? left > right : a.second.failed > b.second.failed;
    });
    return rows;
  };
  Document document;
  Table reasons;
  for (const auto& [reason, counts] : sorted(reasons_)) {
    Document& row = reasons.rows.emplace_back();
    row.add("reason", "why", {.value = reason, .text = escape_control(reason)});
    row.add("failed", "failures", grouped(counts.failed), Align::right);
  }
  Table words;
  for (const auto& [word, counts] : sorted(words_)) {
    Document row;
    row.add("word", "word", {.value = word, .text = escape_control(word)});
    row.add("failed", "failed", grouped(counts.failed), Align::right);
    row.add("cases", "of", grouped(counts.cases), Align::right);
    row.show("", percent(counts.failed, counts.cases));
    const bool is_shown = words.rows.size() < most_shown;
    words.rows.push_back(is_shown ? std::move(row) : in_json_only(std::move(row)));
  }
  document.add("why", std::move(reasons));
  document.add("words", std::move(words));
  return document;
}

void ByWordReport::batch_ended(const BatchSummary&) {
  if (all_.failed == 0) return;
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
