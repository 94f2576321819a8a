// The reports of a batch's shards (JSON Lines of --json), as one report.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "batch/cases/case_files.hpp"
#include "batch/cases/case_list.hpp"
#include "batch/reports/reports.hpp"
#include "parts/file_parts.hpp"

namespace tscatter::app {

// The first line of a shard's report with --json: which shard of which batch it is.
struct ShardHeading {
  PartNumber shard;
  BatchDigest batch;
  std::string version;  // of the program

  bool is_of_same_run(const ShardHeading& other) const {
    return shard.of == other.shard.of && batch == other.batch && version == other.version;
  }
};

std::string to_json_line(const ShardHeading& heading);
// nullopt: the line is none.
std::optional<ShardHeading> shard_heading_in(std::string_view line);

struct MergedFile {
  bool is_report = false;               // of a shard, not cases
  std::optional<ShardHeading> heading;  // nullopt: of a shard that ended before it was on the disk
};

// What a word of a merge names. An empty file, and one that begins with zeros, are what a shard
// leaves that is killed, or whose machine is.
MergedFile merged_file(const std::string& path);

class ShardReports {
 public:
  ShardReports(const CaseFiles& files, BatchDigest batch) : reader_{files}, batch_{batch} {}

  // If a shard has several reports, the newest complete one counts. Reads it: throws Error (file).
  void add(const std::string& path, const ShardHeading& heading);

  // What is wrong with reports that were added: each of another batch, or of another number of
  // shards.
  const std::vector<std::string>& foreign() const { return foreign_; }
  // The shards without a whole report; after merge() also those whose report is not what its own
  // summary says.
  std::vector<std::int64_t> missing() const;
  // Those with several whole ones.
  std::vector<std::int64_t> doubled() const { return {doubled_.begin(), doubled_.end()}; }

  // Calls take(result) for all cases, in the order of the batch: holds one line of each report, and
  // a piece of its file. Returns the sum of the summaries. Throws Error (file; format, batch.b18).
  BatchSummary merge(const std::function<void(const CaseResult&)>& take);

 private:
  struct Report {
    std::string path;
    std::filesystem::file_time_type time;
    BatchSummary summary;
    bool is_whole = false;
    BatchSummary found = {};  // only its counts

    // What was found; it is not whole if its own summary says something else.
    void add_to(BatchSummary& sum);
  };
  class Cases;

  JsonReportReader reader_;
  BatchDigest batch_;
  std::optional<ShardHeading> first_;
  std::map<std::int64_t, Report> reports_;  // by shard
  std::vector<std::string> foreign_;
  std::set<std::int64_t> doubled_;
  std::set<std::string> unreferenced_;
};

}  // namespace tscatter::app
