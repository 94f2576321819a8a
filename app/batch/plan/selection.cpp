#include "batch/plan/selection.hpp"

#include <algorithm>

#include "jobs/hash.hpp"
#include "parts/file_parts.hpp"
#include "process/environment.hpp"
#include "text/number_text.hpp"
#include "text/quoting.hpp"
#include "tscatter/core/fail.hpp"
#include "tscatter/io/files/output_file.hpp"

namespace tscatter::app {
namespace {

std::int64_t number_of_environment(const char* name, std::int64_t low, std::int64_t high) {
  const std::optional<std::string> text = variable(name);
  const auto number = text ? number_in<std::int64_t>(*text) : std::nullopt;
  // cli.c43
  if (!number || *number < low || *number > high) {
    fail(ErrorKind::usage, "cli.c43", name, "must be an integer from {} to {}, {}", low, high,
         text ? "got " + *text : "but is not set");
  }
  return *number;
}

// Whether the last run of the case leaves nothing to do. One that is not skipped any more is as
// good as new.
bool is_done(const BatchCase& each, const RunState& state) {
  const CaseRecord* last = state.find(hash_of(each.name));
  if (last == nullptr || !is_finished(last->state)) return false;
  return each.skip || last->state != CaseState::skipped;
}

// The same job with the same files. A case that is skipped says so again.
bool has_finished(const BatchCase& each, const RunState& state) {
  const CaseRecord* last = state.find(hash_of(each.name));
  if (each.error || each.skip || last == nullptr || !is_finished(last->state)) return false;
  const CaseRecord now = CasePrint(each).record(each, last->state);
  return now.job == last->job && now.files == last->files;
}

bool is_named(const BatchCase& each, const std::vector<std::string>& filters) {
  const auto matches = [&](const std::string& filter) { return matches_glob(filter, each.name); };
  return filters.empty() || std::ranges::any_of(filters, matches);
}

bool is_tagged(const BatchCase& each, const std::vector<std::string>& tags) {
  const auto has = [&](const std::string& tag) { return std::ranges::count(each.tags, tag) > 0; };
  return tags.empty() || std::ranges::any_of(tags, has);
}

}  // namespace

PartNumber parse_shard(const std::string& text) {
  const std::optional<PartNumber> number = part_number_in(text);
  // cli.c40
  if (!number) {
    fail(ErrorKind::usage, "cli.c40", "--shard", "must be K/N with 1 <= K <= N <= {}, got {}",
         most_parts, text);
  }
  return *number;
}

std::optional<PartNumber> shard_of_environment() {
  const bool has_index = variable("TEST_SHARD_INDEX").has_value();
  // cli.c43
  if (has_index && !variable("TEST_TOTAL_SHARDS")) {
    fail(ErrorKind::usage, "cli.c43", "TEST_SHARD_INDEX",
         "needs TEST_TOTAL_SHARDS, which is not set");
  }
  if (!has_index && !variable("TEST_TOTAL_SHARDS")) return std::nullopt;
  const std::int64_t total = number_of_environment("TEST_TOTAL_SHARDS", 1, most_parts);
  const std::int64_t index = number_of_environment("TEST_SHARD_INDEX", 0, total - 1);
  return PartNumber{.part = index + 1, .of = total};
}

void say_sharded() {
  if (const auto status = variable("TEST_SHARD_STATUS_FILE"))
    OutputFile(*status, Durability::kill).commit();
}

bool is_in_shard(std::string_view name, PartNumber shard) {
  return hash_of(name) % static_cast<std::uint64_t>(shard.of) ==
         static_cast<std::uint64_t>(shard.part - 1);
}

Admission Selection::admit(const BatchCase& each, const RunState& state) {
  if (!is_named(each, filters)) return Admission::left_out;
  ++named;
  if (!is_tagged(each, tags)) return Admission::left_out;
  ++tagged;
  if (only_last_failed && is_done(each, state)) return Admission::left_out;
  ++left;
  if (shard && !is_in_shard(each.name, *shard)) return Admission::left_out;
  return resumes && has_finished(each, state) ? Admission::resumed : Admission::run;
}

}  // namespace tscatter::app
