// Parses the JSON text of a job without losing digits of integers.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

namespace tscatter::app {

// A JSON object; repeated keys are refused. An integer that fits neither int64 nor uint64 becomes a
// binary value with its text, since a double would lose digits. `name` is used in messages. Throws
// Error (usage, job.j1 and, for a number beyond float64, json.f4).
nlohmann::json parse_job_object(const std::string& text, const std::string& name);

// The JSON text of a value of such an object, in one line.
std::string json_text(const nlohmann::json& value);

// The value as the nearest double; nullopt if it is not a number.
std::optional<double> number_of(const nlohmann::json& value);

}  // namespace tscatter::app
