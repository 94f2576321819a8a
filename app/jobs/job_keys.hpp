// The keys of a job beside op, operands and attributes, a row each; and how values are read.
#pragma once

#include <fmt/format.h>

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

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

// Removes the key from the object, and returns read(its value, its place); nullopt if it is
// missing. `place`: the object's.
template <class Json, class Read>
auto taken(Json& object, std::string_view key, const std::string& place, const Read& read)
    -> std::optional<decltype(read(object, place))> {
  const auto member = object.find(key);
  if (member == object.end()) return std::nullopt;
  const Json value = std::move(*member);
  object.erase(member);
  return read(value, fmt::format("{}: {}", place, key));
}

}  // namespace tscatter::app
