// The keys of a job beside op, operands and attributes, a row each; and how values are read.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>

namespace tscatter::app {

struct Job;

struct JobKey {
  std::string_view name;
  // `where` is used in messages. Throws Error (usage, job.j5 and job.j12).
  void (*read)(Job& job, const nlohmann::json& value, const std::string& where);
  nlohmann::ordered_json (*schema)();
  bool is_path = false;  // the value names a file
};

std::span<const JobKey> job_keys();

// nullptr if there is none.
const JobKey* find_job_key(std::string_view name);

// A value as a string, a path, or a boolean. Throws Error (usage, job.j5 and job.j12).
std::string read_string(const nlohmann::json& value, const std::string& where);
std::string read_path(const nlohmann::json& value, const std::string& where);
bool read_boolean(const nlohmann::json& value, const std::string& where);

}  // namespace tscatter::app
