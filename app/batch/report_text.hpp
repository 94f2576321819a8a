// What a batch prints for people: a line for each case, the failures again, a summary.
#pragma once

#include <string>

#include "batch/console.hpp"
#include "batch/report.hpp"
#include "batch/spooled_text.hpp"

namespace tscatter::app {

struct TextReportOptions {
  std::string batch_path;  // as the user wrote it
  bool only_failures = false;
  bool is_colored = false;
};

class TextReport final : public BatchReport {
 public:
  TextReport(Console& console, TextReportOptions options)
      : console_{console}, options_{std::move(options)} {}

  void case_ended(const CaseResult& result) override;
  void batch_ended(const BatchSummary& summary) override;

 private:
  std::string line_of(const CaseResult& result) const;

  Console& console_;
  TextReportOptions options_;
  SpooledText failures_{"the list of failures"};
  bool has_lines_ = false;  // something is above the summary
};

}  // namespace tscatter::app
