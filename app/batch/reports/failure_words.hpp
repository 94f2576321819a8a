// What the failures of a batch have in common: why they failed, and the words of their cases, each
// with how many of its cases failed.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "batch/cases/case_result.hpp"

namespace tscatter::app {

// "sum", "f64", "depth-0" of "sum-f64-depth-0-0042": what spaces and any of "-/,:" separate. Short
// numbers belong to the word before them, longer ones are left out; each word once.
std::vector<std::string> words_of_name(std::string_view name);

class FailureWords {
 public:
  struct Word {
    std::string word;
    std::int64_t failed = 0;
    std::int64_t cases = 0;
  };
  // The failure of fewest elements.
  struct Smallest {
    std::string name = {};
    std::int64_t elements = 0;  // 0: unknown
    std::int64_t of_case = 0;   // its number among the cases
  };
  struct Reason {
    std::string words;
    std::int64_t failed = 0;
    std::vector<std::int64_t> groups = {};  // what take() returned for them
    std::vector<Word> where = {};           // the words that it meets more often than the others
    Smallest smallest = {};
  };

  // Returns the number of those that failed for the same reasons; -1 for a case that did not fail,
  // or beyond 100,000 groups.
  std::int64_t take(const CaseResult& result);

  std::int64_t taken() const { return taken_; }
  std::int64_t failed() const { return all_.failed; }
  // Each failure once, though several reasons may explain it: under the one that most failures
  // share. Among equals the reason that came first counts. Most failures first.
  //   failed for a or b: 1, for b: 2, for c: 1 -> b: 3, c: 1
  std::vector<Reason> reasons() const;
  // Words of more than one case, the largest share of failures first. where(): only words whose
  // share is larger than the whole batch's.
  std::vector<Word> words() const;
  std::vector<Word> where() const;

 private:
  // Failures that have the same reasons.
  struct Group {
    std::vector<std::string> reasons;
    std::int64_t failed = 0;
    std::map<std::string, std::int64_t> words = {};  // how many of its failures have them
    Smallest smallest = {};
  };

  std::int64_t group_of(const CaseResult& result);
  void count_words(const CaseResult& result, Group* group);
  std::string most_shared(const std::vector<bool>& is_taken) const;
  Reason take_reason(const std::string& words, std::vector<bool>& is_taken) const;
  bool is_met_more(const Word& word, std::int64_t failed) const;

  Word all_;
  std::int64_t taken_ = 0;
  std::size_t words_of_groups_ = 0;
  std::map<std::string, Word> words_;
  std::map<std::vector<std::string>, std::int64_t> numbers_;  // of groups, by their reasons
  std::vector<Group> groups_;
};

}  // namespace tscatter::app
