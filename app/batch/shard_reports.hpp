// The reports of a batch's shards (JSON Lines of --json), as one report.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "batch/case_files.hpp"
#include "batch/report.hpp"
#include "batch/shard_heading.hpp"

namespace tscatter::app {

// The heading of a file that is a shard's report; nullopt for any other file.
std::optional<ShardHeading> heading_of_report(const std::string& path);

class ShardReports {
 public:
  ShardReports(const CaseFiles& files, BatchDigest batch) : files_{files}, batch_{batch} {}

  // Of several reports of one shard the newest whole one counts.
  void add(const std::string& path, const ShardHeading& heading);

  // What is wrong with reports that were added: each of another batch, or of another number of
  // shards.
  const std::vector<std::string>& foreign() const { return foreign_; }
  // The shards without a whole report.
  std::vector<std::int64_t> missing() const;

  // Calls take(result) for all cases, in the order of the batch: holds one line of each report.
  // Returns the sum of the summaries. Throws Error (format, batch.b18).
  BatchSummary merge(const std::function<void(const CaseResult&)>& take) const;

 private:
  struct Report {
    std::string path;
    std::filesystem::file_time_type time;
    BatchSummary summary;
    bool is_whole = false;
  };
  class Lines;

  CaseResult result_in(const std::string& path, const std::string& line) const;

  const CaseFiles& files_;
  BatchDigest batch_;
  std::optional<ShardHeading> first_;
  std::map<std::int64_t, Report> reports_;  // by shard
  std::vector<std::string> foreign_;
};

}  // namespace tscatter::app
