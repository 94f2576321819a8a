// --json: JSON Lines on stdout, an object for each case and one for the whole. Keys: docs/batch.md.
#pragma once

#include <string>

#include "batch/console.hpp"
#include "batch/report.hpp"

namespace tscatter::app {

class JsonReport final : public BatchReport {
 public:
  JsonReport(Console& console, std::string batch_path)
      : console_{console}, batch_path_{std::move(batch_path)} {}

  void case_ended(const CaseResult& result) override;
  void batch_ended(const BatchSummary& summary) override;

 private:
  Console& console_;
  std::string batch_path_;
};

}  // namespace tscatter::app
