// --json: JSON Lines on stdout, an object for each case and one for the whole. Keys: docs/batch.md.
#pragma once

#include <cstdint>

#include "batch/console.hpp"
#include "batch/report.hpp"

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

}  // namespace tscatter::app
