// What the failures of a batch have in common: the words of their names, dtype, reduction and
// diagnosis, each with how many of its cases failed.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "batch/case_result.hpp"

namespace tscatter::app {

// "sum", "f64", "depth-0" of "sum-f64-depth-0-0042": what spaces and any of "-/,:" separate. Short
// numbers belong to the word before them, longer ones are left out; each word once.
std::vector<std::string> words_of_name(std::string_view name);

// The words of a case: of its name, its operation, dtype and reduction.
std::vector<std::string> words_of(const CaseResult& result);

// Why a case failed: its diagnosis without the numbers of entries, or the label of its rule.
std::string reason_of(const CaseResult& result);

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
    std::int64_t number = 0;    // in the order in which the reasons came
    std::string smallest = {};  // the failure of fewest elements
    std::int64_t elements = 0;  // that it has; 0: unknown
    std::int64_t of_case = 0;   // its number among the cases
  };

  // Returns the number of a failure's reason; -1 for another case, or beyond 100,000 reasons.
  std::int64_t take(const CaseResult& result);

  std::int64_t taken() const { return taken_; }
  std::int64_t failed() const { return all_.failed; }
  // Most failures first.
  std::vector<Reason> reasons() const;
  // Of more than one case, the largest share of failures first.
  std::vector<Word> words() const;

 private:
  void count(const std::string& word, bool is_failed);
  std::int64_t take_reason(const CaseResult& result);

  Word all_;
  std::int64_t taken_ = 0;
  std::map<std::string, Word, std::less<>> words_;
  std::map<std::string, Reason, std::less<>> reasons_;
};

}  // namespace tscatter::app
