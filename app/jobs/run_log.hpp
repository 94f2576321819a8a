// The log (-v and -vv) of operands and runs: how each is read, what the engine decided, where the
// time went.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "tscatter/apply.hpp"

namespace tscatter::app {

// "data: float32 [3, 4], C order, little-endian, 48 bytes from x.npy (mapped)"
void log_tensor(std::string_view name, const Tensor& tensor);
void log_arguments(const Arguments& arguments);

// Logs its lifetime when destroyed, unless by an error.
class LoggedTime {
 public:
  LoggedTime() = default;
  LoggedTime(const LoggedTime&) = delete;
  LoggedTime& operator=(const LoggedTime&) = delete;
  ~LoggedTime();

  double seconds() const;

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point begin_ = Clock::now();
};

// Logs a run.
class RunLog final : public RunObserver {
 public:
  // `words`: how the log describes the output.
  RunLog(const Operation& operation, Placement placement, const Output& output, std::string words);

  // The observer of a run; nullptr if nothing is logged.
  RunObserver* observer();

  // Logs the counts, and the time of each phase.
  void end(const tscatter::Report& report);

  void begins(RunPhase phase) override;
  void decided(const RunDecisions& decisions) override;
  void kept(std::int64_t bytes) override;
  void ended(const WorkerFigures& worker) override;

 private:
  using Clock = std::chrono::steady_clock;
  double seconds_in_phase() const;
  void end_phase();

  const Operation& operation_;
  Placement placement_;
  const Output& output_;
  std::string words_;
  std::optional<RunPhase> phase_;
  Clock::time_point phase_begin_;
  std::string times_;  // "check 0.000012 s, lower 0.000104 s"
};

}  // namespace tscatter::app
