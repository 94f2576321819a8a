// What earlier runs of a batch came to, for --last-failed and --resume: a log of fixed records
// under the user's state directory. Without it, with a broken one, or where it cannot be written,
// every case counts as new, and none changes its data in place.
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
#include "tscatter/io/files/locked_file.hpp"

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

  // Where it is kept; nullopt where it is not. The file is touched by open() first, which locks it
  // until the end: runs that only add to it may do so at once, others have it for themselves.
  const std::optional<std::filesystem::path>& path() const { return path_; }
  void open();

  // Of the last run of the case that has this name.
  const CaseRecord* find(std::uint64_t name) const;

  // From any thread.
  void add(const CaseRecord& record);
  void flush();

  // The place in the file for the record of a change in place, which is not begun without one; the
  // record then goes there. nullopt where nothing is to be kept. From any thread. Throws Error
  // (file, batch.b14).
  std::optional<std::int64_t> reserve(std::uint64_t name);
  void fill(std::int64_t place, const CaseRecord& record);

  bool is_kept() const { return log_.has_value(); }  // what is added

  // Why nothing is known of earlier runs; empty if something is.
  const std::string& trouble() const { return trouble_; }

  // Whether something could not be kept that was to be; it has been said.
  bool has_lost() const { return has_lost_; }

 private:
  void open_log();
  void take_log(Sharing sharing);
  bool begins_right() const;
  void clear() const;
  void rewrite() const;
  void load();
  std::size_t load_lines(std::string_view text);
  void write_pending();
  void lose(const Error& error);

  using Clock = std::chrono::steady_clock;

  Use use_;
  std::optional<std::filesystem::path> path_;
  std::mutex mutex_;
  std::optional<File> log_;     // appended to
  std::optional<File> places_;  // the same, for what was reserved
  std::string pending_;
  Clock::time_point flushed_ = Clock::now();
  std::unordered_map<std::uint64_t, CaseRecord> records_;
  std::string trouble_;
  bool has_lost_ = false;
};

}  // namespace tscatter::app
