// What GitHub Actions shows of a batch: annotations at the lines of failed cases, and a summary of
// the step. Both come by the environment, without a flag. docs/ci.md
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "batch/reports/report.hpp"
#include "process/environment.hpp"

namespace tscatter::app {

// The value of a workflow command, "%0A" for a line break, and that of a property, where also : and
// , are escaped. https://docs.github.com/actions/reference/workflow-commands-for-github-actions
std::string command_value(std::string_view text);
std::string command_property(std::string_view text);

// Text as Markdown that shows it as it is, also in a table's cell.
std::string markdown_text(std::string_view text);

class GithubReport final : public BatchReport {
 public:
  // `title` is the batch's name.
  GithubReport(GithubStep step, std::string title)
      : step_{std::move(step)}, title_{std::move(title)} {}

  void case_ended(const CaseResult& result) override;
  void batch_ended(const BatchSummary& summary) override;

 private:
  std::string place_of(const CaseResult& result) const;
  std::string summary_text(const BatchSummary& summary, std::size_t room) const;
  void append_summary(const BatchSummary& summary) const;

  GithubStep step_;
  std::string title_;
  std::vector<std::string> annotations_;
  std::vector<std::string> rows_;  // of the summary, as many as it can have
  std::size_t row_bytes_ = 0;
};

}  // namespace tscatter::app
