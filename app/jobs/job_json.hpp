// The JSON text of a job, read without losing an integer.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

namespace tscatter::app {

// A JSON object; repeated keys are refused. An integer that fits neither int64 nor uint64 is a
// binary value: its text, which a double would not keep. `name` stands in messages. Throws Error
// (usage, job.j1).
nlohmann::json parse_job_object(const std::string& text, const std::string& name);

// The JSON text of a value of such an object, in one line.
std::string json_text(const nlohmann::json& value);

// The number that it is, or the nearest double; nullopt where it is none.
std::optional<double> number_of(const nlohmann::json& value);

}  // namespace tscatter::app
