// The first line of a shard's report with --json: which shard of which batch it is.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tscatter::app {

// A checksum of all lines of a batch, in whatever order its files are read.
struct BatchDigest {
  std::int64_t lines = 0;
  std::uint64_t sum = 0;

  void add(std::string_view line);
  friend bool operator==(const BatchDigest&, const BatchDigest&) = default;
};

struct ShardHeading {
  std::int64_t shard = 1;  // from 1
  std::int64_t of = 1;
  BatchDigest batch;
  std::string version;  // of the program

  bool is_of_same_run(const ShardHeading& other) const {
    return of == other.of && batch == other.batch && version == other.version;
  }
};

std::string to_json_line(const ShardHeading& heading);
// nullopt: the line is none.
std::optional<ShardHeading> shard_heading_in(std::string_view line);

}  // namespace tscatter::app
