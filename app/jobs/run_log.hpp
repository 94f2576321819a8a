// The log (-v and -vv) of operands and runs: how each is read, what the engine decided, where the
// time went.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "process/log.hpp"
#include "tscatter/apply/apply.hpp"
#include "tscatter/io/files/locked_file.hpp"
#include "tscatter/verify/verify.hpp"

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

  double seconds() const { return clock_.seconds(); }

 private:
  StepClock clock_;
};

// Tells of what was read into a spool. Nothing if nothing is logged.
TellStep spool_log();

// Tells of what a file has that is not read. Nothing if nothing is logged.
TellStep file_notes();

// How long each of several phases took, one after another.
class PhaseTimes {
 public:
  // A phase begins when the previous one ends. `name` stays valid.
  void begin(std::string_view name);
  void end();
  double seconds() const { return clock_.seconds(); }  // of the one that lasts

  // "time: check 0.000012 s, lower 0.000104 s"
  void log() const { log_info("time: {}", words_); }

 private:
  std::optional<std::string_view> name_;
  StepClock clock_;
  std::string words_;
};

// Logs the phases of verify() with its lifetime, unless by an error.
class VerifyLog {
 public:
  VerifyLog() = default;
  VerifyLog(const VerifyLog&) = delete;
  VerifyLog& operator=(const VerifyLog&) = delete;
  ~VerifyLog();

  // Nothing if nothing is logged.
  std::function<void(VerifyPhase)> observer();

 private:
  PhaseTimes times_;
};

// Logs a run.
class RunLog final : public RunObserver {
 public:
  // `words`: how the log describes the output.
  RunLog(const Operation& operation, Placement placement, const Output& output, std::string words);

  // The observer of a run; nullptr if nothing is logged.
  RunObserver* observer();

  // Logs the counts, and the time of each phase.
  void end(const tscatter::Report& report, Counting counting = Counting::done);

  void begins(RunPhase phase) override;
  void decided(const RunDecisions& decisions) override;
  void kept(std::int64_t bytes) override;
  void ended(const WorkerFigures& worker) override;

 private:
  const Operation& operation_;
  Placement placement_;
  const Output& output_;
  std::string words_;
  PhaseTimes times_;
};

}  // namespace tscatter::app
