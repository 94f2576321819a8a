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

ordered_json text_schema(const std::string& description) {
  return {{"description", description}, {"type", "string"}};
}

ordered_json switch_schema(std::string_view description) {
  return {{"description", description}, {"type", "boolean"}, {"default", false}};
}

constexpr std::array table_of_keys{
    JobKey{"output",
           [](Job& job, const json& value, const std::string& where) {
             job.output = read_path(value, where);
           },
           [] { return text_schema(output_forms() + " or -; left out: printed"); },
           /*is_path=*/true},
    JobKey{"format",
           [](Job& job, const json& value, const std::string& where) {
             job.format = read_format(value, where);
           },
           [] {
             return ordered_json{{"description", "of the output, whatever its name"},
                                 {"enum", stdout_names()}};
           }},
    JobKey{"force",
           [](Job& job, const json& value, const std::string& where) {
             job.replacing =
                 read_boolean(value, where) ? Replacing::any_kind : Replacing::same_kind;
           },
           [] { return switch_schema("the output may replace a file of another kind"); }},
    JobKey{"compress",
           [](Job& job, const json& value, const std::string& where) {
             job.compression =
                 read_boolean(value, where) ? Compression::deflated : Compression::stored;
           },
           [] { return switch_schema("with an output of x.npz:name: deflate the member"); }},
    JobKey{"dtype",
           [](Job& job, const json& value, const std::string& where) {
             job.dtype = parse_dtype(read_string(value, where), "job.j5", "dtype");
           },
           [] { return text_schema("dtype of data (and so of updates) that names none"); }},
    JobKey{"cast",
           [](Job& job, const json& value, const std::string& where) {
             job.cast = parse_cast(read_string(value, where), "job.j5", where);
           },
           [] {
             return ordered_json{
                 {"description", "which casts of updates to data's dtype are allowed"},
                 {"enum", {"no", "safe", "same-kind", "same_kind", "unsafe"}},
                 {"default", "no"}};
           }},
    JobKey{"missing",
           [](Job& job, const json& value, const std::string& where) {
             job.missing = read_missing(value, where);
           },
           [] {
             return ordered_json{{"description", "what missing values of tables of numbers become"},
                                 {"enum", {"nan"}}};
           }},
    JobKey{"threads",
           [](Job& job, const json& value, const std::string& where) {
             job.threads = read_threads(value, where);
           },
           [] {
             return ordered_json{{"description", "0: all cores"},
                                 {"type", "integer"},
                                 {"minimum", 0},
                                 {"maximum", max_threads}};
           }},
    JobKey{"memory",
           [](Job& job, const json& value, const std::string& where) {
             job.memory_limit = parse_memory(read_string(value, where), where, "job.j5");
           },
           [] { return text_schema("private memory at most, like 512M or 8G"); }},
    JobKey{"sync",
           [](Job& job, const json& value, const std::string& where) {
             job.durability = read_boolean(value, where) ? Durability::power_cut : Durability::kill;
           },
           [] { return switch_schema("survive a power cut"); }},
    JobKey{"in_place",
           [](Job& job, const json& value, const std::string& where) {
             job.placement = read_boolean(value, where) ? Placement::in_place : Placement::copy;
           },
           [] { return switch_schema("change the data file itself, instead of an output"); }},
    JobKey{"no_journal",
           [](Job& job, const json& value, const std::string& where) {
             job.journaling = read_boolean(value, where) ? Journaling::left_out : Journaling::done;
           },
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
