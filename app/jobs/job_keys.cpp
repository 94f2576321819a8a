#include "jobs/job_keys.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "jobs/casts.hpp"
#include "jobs/format_words.hpp"
#include "jobs/job.hpp"
#include "jobs/job_json.hpp"
#include "jobs/memory.hpp"
#include "process/environment.hpp"
#include "tscatter/core/fail.hpp"

namespace tscatter::app {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr int max_threads = 1024;

int read_threads(const json& value, const std::string& where) {
  const bool is_valid = value.is_number_unsigned() && value.get<std::uint64_t>() <= max_threads;
  // job.j5
  if (!is_valid) {
    fail(ErrorKind::usage, "job.j5", where, "must be an integer from 0 to {}, got {}", max_threads,
         json_text(value));
  }
  return value.get<int>();
}

const Format* read_format(const json& value, const std::string& where) {
  const std::string name = read_string(value, where);
  const std::vector<std::string> names = stdout_names();
  // job.j5
  if (std::ranges::count(names, name) == 0) {
    fail(ErrorKind::usage, "job.j5", where, "must be one of {}, got {}", fmt::join(names, ", "),
         name);
  }
  return find_format(name);
}

Missing read_missing(const json& value, const std::string& where) {
  const std::string word = read_string(value, where);
  // job.j5
  if (word != "nan") fail(ErrorKind::usage, "job.j5", where, "must be nan, got {}", word);
  return Missing::nan;
}

std::optional<DType> read_dtype(const json& value, const std::string& where) {
  return parse_dtype(read_string(value, where), "job.j5", "dtype");
}

CastPolicy read_cast(const json& value, const std::string& where) {
  return parse_cast(read_string(value, where), "job.j5", where);
}

std::int64_t read_memory(const json& value, const std::string& where) {
  return parse_memory(read_string(value, where), where, "job.j5");
}

// How a key is read: into this member; or, if it is true, as this value of it.
template <auto member, auto read>
void read_into(Job& job, const json& value, const std::string& where) {
  job.*member = read(value, where);
}
template <auto member, auto on>
void read_switch(Job& job, const json& value, const std::string& where) {
  if (read_boolean(value, where)) job.*member = on;
}

ordered_json text_schema(const std::string& description) {
  return {{"description", description}, {"type", "string"}};
}

ordered_json switch_schema(std::string_view description) {
  return {{"description", description}, {"type", "boolean"}, {"default", false}};
}

constexpr std::array table_of_keys{
    JobKey{"output", read_into<&Job::output, read_path>,
           [] { return text_schema(output_forms() + " or -; left out: printed"); },
           /*is_path=*/true},
    JobKey{"format", read_into<&Job::format, read_format>,
           [] {
             return ordered_json{{"description", "of the output, whatever its name"},
                                 {"enum", stdout_names()}};
           }},
    JobKey{"force", read_switch<&Job::replacing, Replacing::any_kind>,
           [] { return switch_schema("the output may replace a file of another kind"); }},
    JobKey{"compress", read_switch<&Job::compression, Compression::deflated>,
           [] { return switch_schema("with an output of x.npz:name: deflate the member"); }},
    JobKey{"dtype", read_into<&Job::dtype, read_dtype>,
           [] { return text_schema("dtype of data (and so of updates) that names none"); }},
    JobKey{"cast", read_into<&Job::cast, read_cast>,
           [] {
             return ordered_json{
                 {"description", "which casts of updates to data's dtype are allowed"},
                 {"enum", {"no", "safe", "same-kind", "same_kind", "unsafe"}},
                 {"default", "no"}};
           }},
    JobKey{"missing", read_into<&Job::missing, read_missing>,
           [] {
             return ordered_json{{"description", "what missing values of tables of numbers become"},
                                 {"enum", {"nan"}}};
           }},
    JobKey{"threads", read_into<&Job::threads, read_threads>,
           [] {
             return ordered_json{{"description", "0: all cores"},
                                 {"type", "integer"},
                                 {"minimum", 0},
                                 {"maximum", max_threads}};
           }},
    JobKey{"memory", read_into<&Job::memory_limit, read_memory>,
           [] { return text_schema("private memory at most, like 512M or 8G"); }},
    JobKey{"sync", read_switch<&Job::durability, Durability::power_cut>,
           [] { return switch_schema("survive a power cut"); }},
    JobKey{"in_place", read_switch<&Job::placement, Placement::in_place>,
           [] { return switch_schema("change the data file itself, instead of an output"); }},
    JobKey{"no_journal", read_switch<&Job::journaling, Journaling::left_out>,
           [] { return switch_schema("with in_place: keep no undo journal"); }},
};

}  // namespace

std::span<const JobKey> job_keys() { return table_of_keys; }

const JobKey* find_job_key(std::string_view name) {
  const auto found = std::ranges::find(table_of_keys, name, &JobKey::name);
  return found == table_of_keys.end() ? nullptr : &*found;
}

std::string read_string(const json& value, const std::string& where) {
  // job.j5
  if (!value.is_string())
    fail(ErrorKind::usage, "job.j5", where, "must be a string, got {}", json_text(value));
  return value.get<std::string>();
}

std::string read_path(const json& value, const std::string& where) {
  std::string path = read_string(value, where);
  // job.j12
  if (path.size() > longest_tree) {
    fail(ErrorKind::usage, "job.j12", where, "a path must be at most {} bytes long, got {}",
         longest_tree, path.size());
  }
  // job.j12
  if (path.find('\0') != std::string::npos) {
    fail(ErrorKind::usage, "job.j12", where, "a path must have no NUL character, got {}",
         json_text(value));
  }
  return stream_or_path(std::move(path));
}

bool read_boolean(const json& value, const std::string& where) {
  // job.j5
  if (!value.is_boolean())
    fail(ErrorKind::usage, "job.j5", where, "must be true or false, got {}", json_text(value));
  return value.get<bool>();
}

}  // namespace tscatter::app
