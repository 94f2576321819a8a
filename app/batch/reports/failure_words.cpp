#include "batch/reports/failure_words.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

namespace tscatter::app {
namespace {

// The reasons of the groups that are left.
class Ballot {
 public:
  explicit Ballot(const std::vector<const ReasonGroup*>& groups)
      : groups_{groups}, is_taken_(groups.size()) {
    for (std::size_t i = 0; i < groups.size(); ++i) {
      for (const std::string& reason : groups[i]->reasons) {
        Votes& votes = votes_.try_emplace(reason, Votes{.came = votes_.size()}).first->second;
        votes.failed += groups[i]->failed;
        votes.groups.push_back(i);
      }
    }
    for (const auto& [reason, votes] : votes_) order_.insert(rank_of(reason, votes));
  }

  bool is_empty() const { return order_.empty(); }

  SharedReason take_most() {
    const std::string_view reason = std::get<std::string_view>(*order_.begin());
    const Votes& votes = votes_.find(reason)->second;
    SharedReason shared{.reason = std::string(reason), .failed = votes.failed, .groups = {}};
    for (const std::size_t group : votes.groups) {
      if (is_taken_[group]) continue;
      shared.groups.push_back(group);
      take(group);
    }
    return shared;
  }

 private:
  struct Votes {
    std::size_t came;  // its number among the reasons
    std::int64_t failed = 0;
    std::vector<std::size_t> groups = {};
  };
  using Rank = std::tuple<std::int64_t, std::size_t, std::string_view>;

  static Rank rank_of(std::string_view reason, const Votes& votes) {
    return {-votes.failed, votes.came, reason};
  }

  // A reason without groups is no longer in the order.
  void take(std::size_t group) {
    is_taken_[group] = true;
    for (const std::string& reason : groups_[group]->reasons) {
      Votes& votes = votes_.find(reason)->second;
      order_.erase(rank_of(reason, votes));
      votes.failed -= groups_[group]->failed;
      if (votes.failed > 0) order_.insert(rank_of(reason, votes));
    }
  }

  const std::vector<const ReasonGroup*>& groups_;
  std::vector<bool> is_taken_;
  std::map<std::string_view, Votes> votes_;
  std::set<Rank> order_;
};

constexpr std::size_t most_counted = 100'000;  // words, and reasons

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

std::vector<std::string> each_once(std::vector<std::string> words) {
  std::ranges::sort(words);
  words.erase(std::unique(words.begin(), words.end()), words.end());
  return words;
}

}  // namespace

std::vector<SharedReason> shared_reasons(const std::vector<const ReasonGroup*>& groups) {
  std::vector<SharedReason> shared;
  for (Ballot ballot(groups); !ballot.is_empty();) shared.push_back(ballot.take_most());
  return shared;
}

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
  return each_once(std::move(words));
}

std::vector<std::string> words_of(const CaseResult& result) {
  std::vector<std::string> words = words_of_name(result.is_unnamed ? "" : result.name);
  words.insert(words.end(), result.words.begin(), result.words.end());
  return each_once(std::move(words));
}

std::vector<std::string> reasons_of(const CaseResult& result) {
  if (!result.reasons.empty()) return result.reasons;
  return {result.label.empty() ? "no label" : "[" + result.label + "]"};
}

const FailureWords::Counted* FailureWords::count(const std::string& word, bool is_failed) {
  if (words_.size() >= most_counted && !words_.contains(word)) return nullptr;
  Counted& counted = *words_.try_emplace(word, Word{.word = word}).first;
  ++counted.second.cases;
  if (is_failed) ++counted.second.failed;
  return &counted;
}

// The group that has the reasons of this failure; nullptr if there are too many.
FailureWords::Group* FailureWords::group_of(const CaseResult& result) {
  std::vector<std::string> reasons = reasons_of(result);
  if (groups_.size() >= most_counted && !numbers_.contains(reasons)) return nullptr;
  const auto next = static_cast<std::int64_t>(groups_.size());
  const auto [found, is_new] = numbers_.try_emplace(reasons, next);
  if (is_new) groups_.push_back({.reasons = {.reasons = std::move(reasons)}});
  return &groups_[static_cast<std::size_t>(found->second)];
}

std::int64_t FailureWords::take(const CaseResult& result) {
  ++taken_;
  if (result.state == CaseState::not_run || result.state == CaseState::skipped) return -1;
  const bool is_failed = is_failure(result.state);
  ++all_.cases;
  if (is_failed) ++all_.failed;
  Group* const group = is_failed ? group_of(result) : nullptr;
  for (const std::string& word : words_of(result)) {
    const Counted* counted = count(word, is_failed);
    if (group == nullptr || counted == nullptr || words_of_groups_ >= most_counted) continue;
    if (group->words[counted]++ == 0) ++words_of_groups_;
  }
  if (group == nullptr) return -1;
  const bool is_first = group->reasons.failed++ == 0;
  const bool is_smaller =
      result.elements > 0 && (group->elements == 0 || result.elements < group->elements);
  if (is_first || is_smaller) {
    group->smallest = result.name;
    group->elements = result.elements;
    group->of_case = taken_;
  }
  return numbers_.at(group->reasons.reasons);
}

// Whether several failures have the word, and a larger share of its cases failed than of all cases,
// of which `failed` did.
bool FailureWords::is_met_more(const Word& word, std::int64_t failed) const {
  return word.failed > 1 && word.failed * all_.cases > failed * word.cases;
}

FailureWords::Reason FailureWords::reason_of(const SharedReason& shared) const {
  Reason reason{.words = shared.reason, .failed = shared.failed};
  std::map<const Counted*, std::int64_t> words;
  for (const std::size_t number : shared.groups) {
    const Group& group = groups_[number];
    reason.groups.push_back(static_cast<std::int64_t>(number));
    for (const auto& [counted, failed] : group.words) words[counted] += failed;
    const bool is_smaller =
        group.elements > 0 && (reason.elements == 0 || group.elements < reason.elements);
    if (!reason.smallest.empty() && !is_smaller) continue;
    reason.smallest = group.smallest;
    reason.elements = group.elements;
    reason.of_case = group.of_case;
  }
  for (const auto& [counted, failed] : words) {
    Word word = counted->second;
    word.failed = failed;
    if (is_met_more(word, reason.failed)) reason.where.push_back(std::move(word));
  }
  std::ranges::sort(reason.where, {}, &Word::word);
  sort_by_share(reason.where);
  return reason;
}

std::vector<FailureWords::Reason> FailureWords::reasons() const {
  std::vector<const ReasonGroup*> groups;
  for (const Group& each : groups_) groups.push_back(&each.reasons);
  std::vector<Reason> reasons;
  for (const SharedReason& each : shared_reasons(groups)) reasons.push_back(reason_of(each));
  return reasons;
}

std::vector<FailureWords::Word> FailureWords::words() const {
  std::vector<Word> sorted;
  for (const auto& each : words_) {
    const bool is_of_one = each.second.cases == 1 && all_.cases > 1;  // a name by itself
    if (each.second.failed > 0 && !is_of_one) sorted.push_back(each.second);
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
