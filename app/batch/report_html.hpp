// --html: one self-contained file for people. CSS alone filters by state; a script only adds a
// search by name.
#pragma once

#include <string>

#include "batch/report.hpp"
#include "batch/spooled_text.hpp"

namespace tscatter::app {

class HtmlReport final : public BatchReport {
 public:
  // `title` is the batch's name. Throws Error (file).
  HtmlReport(const std::string& path, std::string batch_path, const std::string& title);

  void case_ended(const CaseResult& result) override;
  void batch_ended(const BatchSummary& summary) override;

 private:
  std::string detail_of(const CaseResult& result) const;

  ReportFile file_;
  std::string batch_path_;
  std::string title_;  // as HTML
  SpooledText cases_;
  std::int64_t opened_ = 0;
};

}  // namespace tscatter::app
