// The results of earlier runs of a batch, for --last-failed and --resume: a log of fixed-size
// records under the user's state directory, or where --state says; of each shard one of its own. If
// it is missing, damaged or cannot be written, every case counts as new; if it cannot be written,
// no case changes its data in place.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "batch/cases/batch_case.hpp"
#include "batch/cases/case_result.hpp"
#include "tscatter/io/files/file.hpp"
#include "tscatter/io/files/locked_file.hpp"

namespace tscatter::app {

struct CaseRecord {
  std::uint64_t name = 0;   // these are hashes
  std::uint64_t job = 0;    // of the line and the version
  std::uint64_t files = 0;  // of size and time of each file that the case reads or writes; of the
                            // file that it changes in place, of size and inode
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

struct StatePlace {
  std::optional<std::string> word = std::nullopt;  // of --state
  std::string shard = {};                          // "3-of-200"; empty: none
};

class RunState {
 public:
  enum class Use : std::uint8_t {
    none,    // nothing is read or written
    anew,    // all cases are run: earlier results are forgotten
    added,   // some cases are run
    looked,  // the same, chosen by earlier results
  };

  // `words`: the files and folders that CASES names, in any order.
  RunState(const std::vector<std::string>& words, Use use, const StatePlace& place);

  // Where it is kept; nullopt if it is not. The file is not touched before open(), which locks it
  // until the end: runs that only add to it may share it, others have it alone.
  const std::optional<std::filesystem::path>& path() const { return path_; }
  void open();

  // The record of the last run of the case with this name.
  const CaseRecord* find(std::uint64_t name) const;

  // From any thread.
  void add(const CaseRecord& record);
  void flush();

  // Reserves the place in the file where fill() writes the record of a change in place. nullopt if
  // nothing is to be kept. From any thread. Throws Error (file, batch.b14): then the change is not
  // begun.
  std::optional<std::int64_t> reserve(std::uint64_t name);
  void fill(std::int64_t place, const CaseRecord& record);

  bool is_kept() const { return log_.has_value(); }  // whether added records are stored

  // Why nothing is known of earlier runs; empty if something is.
  const std::string& trouble() const { return trouble_; }

  // Whether a record could not be kept; a message has said so.
  bool has_lost() const { return has_lost_; }

 private:
  using Timed = std::pair<std::filesystem::file_time_type, std::filesystem::path>;

  void open_log();
  void take_log(Sharing sharing);
  std::string front() const;
  void clear() const;
  void rewrite() const;
  void forget_shards() const;
  std::vector<Timed> present() const;
  std::optional<std::string> name_of(const std::vector<std::string>& words);
  void load(const std::filesystem::path& path);
  std::size_t load_lines(std::string_view text);
  void write_pending();
  void lose(const Error& error);

  using Clock = std::chrono::steady_clock;

  Use use_;
  std::filesystem::path base_;  // of the run without shards
  std::optional<std::filesystem::path> path_;
  std::mutex mutex_;
  std::optional<File> log_;     // appended to
  std::optional<File> places_;  // the same file, for reserved places
  std::string pending_;
  Clock::time_point flushed_ = Clock::now();
  std::unordered_map<std::uint64_t, CaseRecord> records_;
  std::string trouble_;
  bool has_lost_ = false;
};

}  // namespace tscatter::app
