// Which of a batch's cases are run.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "batch/cases/batch_case.hpp"
#include "batch/plan/run_state.hpp"
#include "parts/file_parts.hpp"

namespace tscatter::app {

// "2/3" is {2, 3}. Throws Error (usage, cli.c40).
PartNumber parse_shard(const std::string& text);

// The shard that Bazel's TEST_SHARD_INDEX and TEST_TOTAL_SHARDS name. Throws Error (usage,
// cli.c43).
std::optional<PartNumber> shard_of_environment();

// Tells Bazel that sharding is supported: touches TEST_SHARD_STATUS_FILE, if set. Throws Error
// (file).
void say_sharded();

// Whether the case's name hashes to the shard. Adding or removing a case moves no other.
bool is_in_shard(std::string_view name, PartNumber shard);

enum class Admission : std::uint8_t { left_out, run, resumed };

struct Selection {
  std::vector<std::string> filters;  // patterns as in glob.hpp: a name matches one of them
  std::vector<std::string> tags;     // a case has one of them
  std::optional<PartNumber> shard;
  bool only_last_failed = false;
  bool resumes = false;

  bool takes_all() const {
    return filters.empty() && tags.empty() && !shard && !only_last_failed && !resumes;
  }

  Admission admit(const BatchCase& each, const RunState& state);

  std::int64_t named = 0;   // cases that had a wanted name
  std::int64_t tagged = 0;  // of these, that had a wanted tag
  std::int64_t left = 0;    // of these, that were not left out by --last-failed
};

}  // namespace tscatter::app
