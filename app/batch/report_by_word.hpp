// --by-word: what the failures of a batch have in common: the words of their names, dtype,
// reduction and diagnosis, each with how many of its cases failed.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "batch/console.hpp"
#include "batch/report.hpp"
#include "text/document.hpp"

namespace tscatter::app {

// "sum", "f64", "depth-0" of "sum-f64-depth-0-0042": what spaces and any of "-/,:" separate. Short
// numbers belong to the word before them, longer ones are left out; each word once.
std::vector<std::string> words_of_name(std::string_view name);

class ByWordReport final : public BatchReport {
 public:
  ByWordReport(Console& console, bool is_json) : console_{console}, is_json_{is_json} {}

  void case_ended(const CaseResult& result) override;
  void batch_ended(const BatchSummary& summary) override;

 private:
  struct Counts {
    std::int64_t failed = 0;
    std::int64_t cases = 0;
  };
  using Words = std::map<std::string, Counts, std::less<>>;

  void count(Words& words, const std::string& word, bool is_failed);
  Document document() const;

  Console& console_;
  bool is_json_;
  Counts all_;
  Words words_;
  Words reasons_;  // of failures
};

}  // namespace tscatter::app
