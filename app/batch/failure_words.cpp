#include "batch/failure_words.hpp"

#include <algorithm>
#include <utility>

namespace tscatter::app {
namespace {

constexpr std::size_t most_counted = 100'000;  // words, and reasons

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

std::vector<std::string> words_of(const CaseResult& result) {
  std::vector<std::string> words = words_of_name(result.is_unnamed ? "" : result.name);
  words.insert(words.end(), result.words.begin(), result.words.end());
  return words;
}

std::string reason_of(const CaseResult& result) {
  if (!result.diagnosis.empty()) return without_entries(result.diagnosis);
  return result.label.empty() ? "no label" : "[" + result.label + "]";
}

void FailureWords::count(const std::string& word, bool is_failed) {
  if (words_.size() >= most_counted && !words_.contains(word)) return;
  Word& counted = words_[word];
  ++counted.cases;
  if (is_failed) ++counted.failed;
}

std::int64_t FailureWords::take_reason(const CaseResult& result) {
  const std::string words = reason_of(result);
  if (reasons_.size() >= most_counted && !reasons_.contains(words)) return -1;
  const auto number = static_cast<std::int64_t>(reasons_.size());
  Reason& reason =
      reasons_.try_emplace(words, Reason{.words = words, .number = number}).first->second;
  const bool is_first = reason.failed++ == 0;
  const bool is_smaller =
      result.elements > 0 && (reason.elements == 0 || result.elements < reason.elements);
  if (!is_first && !is_smaller) return reason.number;
  reason.smallest = result.name;
  reason.elements = result.elements;
  reason.of_case = taken_;
  return reason.number;
}

std::int64_t FailureWords::take(const CaseResult& result) {
  ++taken_;
  if (result.state == CaseState::not_run || result.state == CaseState::skipped) return -1;
  const bool is_failed = is_failure(result.state);
  ++all_.cases;
  if (is_failed) ++all_.failed;
  for (const std::string& word : words_of(result)) count(word, is_failed);
  return is_failed ? take_reason(result) : -1;
}

std::vector<FailureWords::Reason> FailureWords::reasons() const {
  std::vector<Reason> sorted;
  for (const auto& each : reasons_) sorted.push_back(each.second);
  std::ranges::stable_sort(sorted, std::ranges::greater{}, &Reason::failed);
  return sorted;
}

std::vector<FailureWords::Word> FailureWords::words() const {
  std::vector<Word> sorted;
  for (const auto& [word, counted] : words_) {
    const bool is_of_one = counted.cases == 1 && all_.cases > 1;  // a name by itself
    if (counted.failed > 0 && !is_of_one)
      sorted.push_back({.word = word, .failed = counted.failed, .cases = counted.cases});
  }
  std::ranges::stable_sort(sorted, [](const Word& a, const Word& b) {
    const std::int64_t left = a.failed * b.cases;
    const std::int64_t right = b.failed * a.cases;
    return left != right ? left > right : a.failed > b.failed;
  });
  return sorted;
}

}  // namespace tscatter::app
