// Which of a batch's cases are run.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "batch/batch_case.hpp"
#include "batch/run_state.hpp"

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
  std::optional<std::string> filter;  // a pattern as in glob.hpp
  std::optional<Shard> shard;
  bool only_last_failed = false;
  bool resumes = false;

  bool takes_all() const { return !filter && !shard && !only_last_failed && !resumes; }

  Admission admit(const BatchCase& each, const RunState& state);

  // How many cases were left before sharding.
  std::int64_t left() const { return left_; }

 private:
  bool has_finished(const BatchCase& each, const RunState& state) const;

  std::int64_t left_ = 0;
};

}  // namespace tscatter::app
