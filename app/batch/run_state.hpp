// What earlier runs of a batch came to, for --last-failed and --resume: a log of fixed records
// under the user's state directory. Without it, with a broken one, or where it cannot be written,
// every case counts as new.
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

// The hashes of a case's line and of its files, before it is run and, of what it changes, after.
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
    anew,    // all cases are run: what was known is forgotten
    added,   // some cases are run
    looked,  // and which ones depends on what is known
  };

  RunState(const std::string& batch_path, Use use);

  // Of the last run of the case that has this name.
  const CaseRecord* find(std::uint64_t name) const;

  // From any thread. add_now: the file has it when this returns.
  void add(const CaseRecord& record);
  void add_now(const CaseRecord& record);
  void flush();

  bool is_kept() const { return log_.has_value(); }  // what is added

  // Why nothing is known of earlier runs; empty where it is.
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
