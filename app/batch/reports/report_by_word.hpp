// --by-word: what the failures of a batch have in common, as a table: why they fail, and which
// words that meets most often.
#pragma once

#include "batch/reports/failure_words.hpp"
#include "batch/reports/report.hpp"
#include "batch/reports/report_output.hpp"
#include "text/document.hpp"

namespace tscatter::app {

class ByWordReport final : public BatchReport {
 public:
  ByWordReport(Console& console, bool is_json) : console_{console}, is_json_{is_json} {}

  void case_ended(const CaseResult& result) override { words_.take(result); }
  void batch_ended(const BatchSummary& summary) override;

 private:
  Document document() const;

  Console& console_;
  bool is_json_;
  FailureWords words_;
};

}  // namespace tscatter::app
