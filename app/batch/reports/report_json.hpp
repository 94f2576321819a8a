// --json: JSON Lines on stdout, an object for each case and one for the whole. Keys: docs/batch.md.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "batch/cases/case_files.hpp"
#include "batch/reports/report.hpp"
#include "batch/reports/report_output.hpp"

namespace tscatter::app {

class JsonReport final : public BatchReport {
 public:
  // `details`: how many failures are given with details.
  JsonReport(Console& console, std::int64_t details) : console_{console}, details_{details} {}

  void case_ended(const CaseResult& result) override;
  void batch_ended(const BatchSummary& summary) override;

 private:
  Console& console_;
  std::int64_t details_;  // left
};

// Reads such lines again: what a merge needs of them.
class JsonReportReader {
 public:
  explicit JsonReportReader(const CaseFiles& files);  // of the batch, which must outlive this

  // nullopt: the line is no case of the batch.
  std::optional<CaseResult> result_in(std::string_view line) const;

 private:
  const CaseFiles& batch_;
  std::map<std::string, const BatchFile*, std::less<>> files_;  // by name; "" is one that is alone
};

// nullopt: the line is none.
std::optional<BatchSummary> summary_in(std::string_view line);

inline bool is_summary(std::string_view line) { return line.starts_with("{\"summary\":"); }

}  // namespace tscatter::app
