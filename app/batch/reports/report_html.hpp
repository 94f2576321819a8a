// --html: one self-contained file for people. It opens on what failed, grouped by why; CSS alone
// filters by state and by group and enlarges pictures, a script only adds a search by name.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "batch/reports/failure_words.hpp"
#include "batch/reports/report.hpp"
#include "batch/reports/report_output.hpp"

namespace tscatter::app {

struct HtmlHeading {
  std::string title;  // the batch's name
  std::string date;
  std::string shard = {};  // "2/4"; empty: the whole batch
};

class HtmlReport final : public BatchReport {
 public:
  // Throws Error (file).
  HtmlReport(const std::string& path, const HtmlHeading& heading);

  void case_ended(const CaseResult& result) override;
  void batch_ended(const BatchSummary& summary) override;

 private:
  std::string rule_of(const std::string& label) const;
  std::string detail_of(const CaseResult& result) const;
  std::string header_of(const BatchSummary& summary) const;

  ReportFile file_;
  std::string title_;                                           // as HTML
  std::string about_;                                           // as HTML: version, date, shard
  std::map<std::string, std::string_view, std::less<>> rules_;  // by label
  SpooledText cases_;
  FailureWords words_;
  std::int64_t opened_ = 0;
};

}  // namespace tscatter::app
