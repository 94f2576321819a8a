#include "batch/reports/failure_words.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace tscatter::app {
namespace {

constexpr std::size_t most_counted = 100'000;  // words, and groups

bool is_number(std::string_view word) {
  return std::ranges::all_of(word, [](char each) { return each >= '0' && each <= '9'; });
}

// Words by the share of them that failed, the largest first.
void sort_by_share(std::vector<FailureWords::Word>& words) {
  std::ranges::stable_sort(words, [](const auto& a, const auto& b) {
    const std::int64_t left = a.failed * b.cases;
    const std::int64_t right = b.failed * a.cases;
    return left != right ? left > right : a.failed > b.failed;
  });
}

// What explains its verdict, or why it failed: "values differ [batch.b7]".
std::vector<std::string> reasons_of(const CaseResult& result) {
  if (!result.reasons.empty()) return result.reasons;
  return {labelled_reason(result)};
}

void take_smaller(FailureWords::Smallest& known, const FailureWords::Smallest& other) {
  const bool is_smaller =
      other.elements > 0 && (known.elements == 0 || other.elements < known.elements);
  if (known.of_case == 0 || is_smaller) known = other;
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
  const std::set<std::string> each_once(words.begin(), words.end());
  return {each_once.begin(), each_once.end()};
}

std::int64_t FailureWords::take(const CaseResult& result) {
  ++taken_;
  if (result.state == CaseState::not_run || result.state == CaseState::skipped) return -1;
  const bool is_failed = is_failure(result.state);
  ++all_.cases;
  if (is_failed) ++all_.failed;
  const std::int64_t number = is_failed ? group_of(result) : -1;
  Group* const group = number < 0 ? nullptr : &groups_[static_cast<std::size_t>(number)];
  count_words(result, group);
  if (group == nullptr) return number;
  ++group->failed;
  take_smaller(group->smallest,
               {.name = result.name, .elements = result.elements, .of_case = taken_});
  return number;
}

// The number of the group that has the reasons of this failure; -1 if there are too many.
std::int64_t FailureWords::group_of(const CaseResult& result) {
  std::vector<std::string> reasons = reasons_of(result);
  if (groups_.size() >= most_counted && !numbers_.contains(reasons)) return -1;
  const auto [found, is_new] = numbers_.try_emplace(reasons, std::ssize(groups_));
  if (is_new) groups_.push_back({.reasons = std::move(reasons)});
  return found->second;
}

// The words of its name, its operation, dtype and reduction; each once.
void FailureWords::count_words(const CaseResult& result, Group* group) {
  const std::vector<std::string> of_name = words_of_name(result.is_unnamed ? "" : result.name);
  std::set<std::string> words(of_name.begin(), of_name.end());
  words.insert(result.words.begin(), result.words.end());
  for (const std::string& word : words) {
    if (words_.size() >= most_counted && !words_.contains(word)) continue;
    Word& counted = words_.try_emplace(word, Word{.word = word}).first->second;
    ++counted.cases;
    if (is_failure(result.state)) ++counted.failed;
    if (group == nullptr || words_of_groups_ >= most_counted) continue;
    if (group->words[word]++ == 0) ++words_of_groups_;
  }
}

// Whether several failures have the word, and it has a larger share of failures than all cases,
// `failed` of them.
bool FailureWords::is_met_more(const Word& word, std::int64_t failed) const {
  return word.failed > 1 && word.failed * all_.cases > failed * word.cases;
}

std::vector<FailureWords::Reason> FailureWords::reasons() const {
  std::vector<Reason> reasons;
  std::vector<bool> is_taken(groups_.size());
  while (std::ranges::count(is_taken, false) > 0)
    reasons.push_back(take_reason(most_shared(is_taken), is_taken));
  return reasons;
}

std::string FailureWords::most_shared(const std::vector<bool>& is_taken) const {
  struct Votes {
    std::string_view reason;
    std::int64_t failed = 0;
  };
  std::vector<Votes> votes;  // in the order in which the reasons came
  std::map<std::string_view, std::size_t> places;
  for (std::size_t i = 0; i < groups_.size(); ++i) {
    for (const std::string& reason : groups_[i].reasons) {
      const auto [place, is_new] = places.try_emplace(reason, votes.size());
      if (is_new) votes.push_back({.reason = reason});
      if (!is_taken[i]) votes[place->second].failed += groups_[i].failed;
    }
  }
  return std::string(std::ranges::max_element(votes, {}, &Votes::failed)->reason);
}

// All groups that have the reason and are not taken yet.
FailureWords::Reason FailureWords::take_reason(const std::string& words,
                                               std::vector<bool>& is_taken) const {
  Reason reason{.words = words};
  std::map<std::string, std::int64_t> failed_with;  // a word
  for (std::size_t i = 0; i < groups_.size(); ++i) {
    const Group& group = groups_[i];
    if (is_taken[i] || std::ranges::count(group.reasons, words) == 0) continue;
    is_taken[i] = true;
    reason.failed += group.failed;
    reason.groups.push_back(static_cast<std::int64_t>(i));
    take_smaller(reason.smallest, group.smallest);
    for (const auto& [word, failed] : group.words) failed_with[word] += failed;
  }
  for (const auto& [name, failed] : failed_with) {
    const Word word{.word = name, .failed = failed, .cases = words_.at(name).cases};
    if (is_met_more(word, reason.failed)) reason.where.push_back(word);
  }
  sort_by_share(reason.where);
  return reason;
}

std::vector<FailureWords::Word> FailureWords::words() const {
  std::vector<Word> sorted;
  for (const auto& [name, word] : words_) {
    const bool is_of_one = word.cases == 1 && all_.cases > 1;  // a name by itself
    if (word.failed > 0 && !is_of_one) sorted.push_back(word);
  }
  sort_by_share(sorted);
  return sorted;
}

std::vector<FailureWords::Word> FailureWords::where() const {
  std::vector<Word> some = words();
  std::erase_if(some, [&](const Word& each) { return !is_met_more(each, all_.failed); });
  return some;
}

}  // namespace tscatter::app
