// What the failures of a batch have in common: the words of their names, dtype, reduction and
// diagnosis, each with how many of its cases failed.
// Which reason each group of failures is counted under, where several explain it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "batch/run/case_result.hpp"

namespace tscatter::app {

// Failures that have the same reasons.
struct ReasonGroup {
  std::vector<std::string> reasons;
  std::int64_t failed = 0;
};

// The reason that most failures share, with the places of all groups that have it; then that which
// most of the others share; and so on. Of equal ones that of the earlier group, its first one
// first.
//   {a, b}: 1, {b}: 2, {c}: 1 -> b: {0, 1}, c: {2}
// REQUIRES: each group has a reason, none twice.
struct SharedReason {
  std::string reason;
  std::int64_t failed = 0;
  std::vector<std::size_t> groups;
};
std::vector<SharedReason> shared_reasons(const std::vector<const ReasonGroup*>& groups);

// "sum", "f64", "depth-0" of "sum-f64-depth-0-0042": what spaces and any of "-/,:" separate. Short
// numbers belong to the word before them, longer ones are left out; each word once.
std::vector<std::string> words_of_name(std::string_view name);

// The words of a case: of its name, its operation, dtype and reduction; each once.
std::vector<std::string> words_of(const CaseResult& result);

// Why a case failed: what explains its verdict, or the label of its rule.
std::vector<std::string> reasons_of(const CaseResult& result);

class FailureWords {
 public:
  struct Word {
    std::string word;
    std::int64_t failed = 0;
    std::int64_t cases = 0;
  };
  struct Reason {
    std::string words;
    std::int64_t failed = 0;
    std::vector<std::int64_t> groups = {};  // what take() returned for them
    std::vector<Word> where = {};           // the words that it meets more often than the others
    std::string smallest = {};              // the failure of fewest elements
    std::int64_t elements = 0;              // that it has; 0: unknown
    std::int64_t of_case = 0;               // its number among the cases
  };

  // Returns the number of those that failed for the same reasons; -1 for a case that did not fail,
  // or beyond 100,000 groups.
  std::int64_t take(const CaseResult& result);

  std::int64_t taken() const { return taken_; }
  std::int64_t failed() const { return all_.failed; }
  // Each failure once, though several reasons may explain it: under the one that most failures
  // share. Most failures first.
  std::vector<Reason> reasons() const;
  // Of more than one case, the largest share of failures first; where(): those of which a larger
  // share failed than of all cases.
  std::vector<Word> words() const;
  std::vector<Word> where() const;

 private:
  // A word in the table of all words.
  using Counted = std::map<std::string, Word, std::less<>>::value_type;
  struct Group {
    ReasonGroup reasons;
    std::map<const Counted*, std::int64_t> words = {};  // how many of its failures have them
    std::string smallest = {};
    std::int64_t elements = 0;
    std::int64_t of_case = 0;
  };

  const Counted* count(const std::string& word, bool is_failed);
  Group* group_of(const CaseResult& result);
  Reason reason_of(const SharedReason& shared) const;
  bool is_met_more(const Word& word, std::int64_t failed) const;

  Word all_;
  std::int64_t taken_ = 0;
  std::size_t words_of_groups_ = 0;
  std::map<std::string, Word, std::less<>> words_;
  std::map<std::vector<std::string>, std::int64_t> numbers_;  // of groups, by their reasons
  std::deque<Group> groups_;
};

}  // namespace tscatter::app
