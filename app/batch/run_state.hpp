// The results of earlier runs of a batch, for --last-failed and --resume: a log of fixed-size
// records under the user's state directory. If it is missing, damaged or cannot be written, every
// case counts as new.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "batch/batch_case.hpp"
#include "batch/case_result.hpp"
#include "tscatter/io/files/file.hpp"

namespace tscatter::app {

struct CaseRecord {
  std::uint64_t name = 0;   // these are hashes
  std::uint64_t job = 0;    // of the line and the version
  std::uint64_t files = 0;  // of size and time of each file that the case reads or writes
  CaseState state = CaseState::not_run;
};

// The hashes of a case's line and of its files: before it runs and, for files that it changes,
// after.
class CasePrint {
 public:
  explicit CasePrint(const BatchCase& each);

  CaseRecord record(const BatchCase& each, CaseState state) const;

 private:
  std::uint64_t inputs_;
};

class RunState {
 public:
  enum class Use : std::uint8_t {
    none,    // nothing is read or written
    anew,    // all cases are run: earlier results are forgotten
    added,   // some cases are run
    looked,  // the same, chosen by earlier results
  };

  RunState(const std::string& batch_path, Use use);

  // The record of the last run of the case with this name.
  const CaseRecord* find(std::uint64_t name) const;

  // From any thread. add_now: the record is in the file when this returns.
  void add(const CaseRecord& record);
  void add_now(const CaseRecord& record);
  void flush();

  bool is_kept() const { return log_.has_value(); }  // whether added records are stored

  // Why nothing is known of earlier runs; empty if something is.
  const std::string& trouble() const { return trouble_; }

 private:
  void open(const std::filesystem::path& path, Use use);
  void load(const std::filesystem::path& path);
  std::size_t load_lines(std::string_view text);
  void write_pending();

  using Clock = std::chrono::steady_clock;

  std::mutex mutex_;
  std::optional<File> log_;
  std::string pending_;
  Clock::time_point flushed_ = Clock::now();
  std::unordered_map<std::uint64_t, CaseRecord> records_;
  std::string trouble_;
};

}  // namespace tscatter::app
