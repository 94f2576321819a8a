// What a batch prints for people: a line for each case, the failures again, a summary.
#pragma once

#include <cstdint>
#include <string>

#include "batch/reports/report.hpp"
#include "batch/reports/report_output.hpp"

namespace tscatter::app {

struct TextReportOptions {
  std::int64_t details = 0;  // how many failures are printed with details
  bool only_failures = false;
  bool is_colored = false;
};

class TextReport final : public BatchReport {
 public:
  TextReport(Console& console, TextReportOptions options) : console_{console}, options_{options} {}

  void case_ended(const CaseResult& result) override;
  void batch_ended(const BatchSummary& summary) override;

 private:
  std::string line_of(const CaseResult& result) const;
  std::string failure_of(const CaseResult& result);

  Console& console_;
  TextReportOptions options_;
  SpooledText failures_{"the list of failures"};
  std::int64_t detailed_ = 0;  // failures with details so far
  bool has_lines_ = false;     // something is above the summary
};

}  // namespace tscatter::app
