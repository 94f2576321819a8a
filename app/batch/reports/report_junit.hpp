// --junit and Bazel's XML_OUTPUT_FILE: the report that Jenkins and GitLab read. Form:
// docs/batch.md.
#pragma once

#include <string>

#include "batch/reports/report.hpp"
#include "batch/reports/report_output.hpp"

namespace tscatter::app {

class JunitReport final : public BatchReport {
 public:
  // `suite` names the suite, and is the class name of all cases of a batch of one file: "cases".
  // Throws Error (file).
  JunitReport(const std::string& path, const std::string& suite);

  void case_ended(const CaseResult& result) override;
  void batch_ended(const BatchSummary& summary) override;

 private:
  std::string class_of(const CaseResult& result) const;
  std::string unique_name(const CaseResult& result) const;

  ReportFile file_;
  std::string suite_;  // as XML
  SpooledText cases_;
};

}  // namespace tscatter::app
