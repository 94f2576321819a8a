// Which of a batch's cases are run.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "batch/cases/batch_case.hpp"
#include "batch/plan/run_state.hpp"

namespace tscatter::app {

// One of `total` parts of a batch.
struct Shard {
  std::uint64_t index = 0;  // from 0
  std::uint64_t total = 1;
};

// "2/3" is {1, 3}. Throws Error (usage, cli.c40).
Shard parse_shard(const std::string& text);

// The shard that Bazel's TEST_SHARD_INDEX and TEST_TOTAL_SHARDS name. Throws Error (usage,
// cli.c43).
std::optional<Shard> shard_of_environment();

// Tells Bazel that sharding is supported: touches TEST_SHARD_STATUS_FILE, if set. Throws Error
// (file).
void say_sharded();

// Whether the case's name hashes to the shard. Adding or removing a case moves no other.
bool is_in_shard(std::string_view name, const Shard& shard);

enum class Admission : std::uint8_t { left_out, run, resumed };

class Selection {
 public:
  std::vector<std::string> filters;  // patterns as in glob.hpp: a name matches one of them
  std::vector<std::string> tags;     // a case has one of them
  std::optional<Shard> shard;
  bool only_last_failed = false;
  bool resumes = false;

  bool takes_all() const {
    return filters.empty() && tags.empty() && !shard && !only_last_failed && !resumes;
  }

  Admission admit(const BatchCase& each, const RunState& state);

  // How many cases had a wanted name; of these, a wanted tag; of these, were not left out by
  // --last-failed.
  std::int64_t named() const { return named_; }
  std::int64_t tagged() const { return tagged_; }
  std::int64_t left() const { return left_; }

 private:
  bool is_named(const BatchCase& each) const;
  bool is_tagged(const BatchCase& each) const;

  std::int64_t named_ = 0;
  std::int64_t tagged_ = 0;
  std::int64_t left_ = 0;
};

}  // namespace tscatter::app
