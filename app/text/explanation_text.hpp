// What explain says, in words and as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "tscatter/explain/explain.hpp"

namespace tscatter::app {

// The first line says whether the result depends on the order of the updates.
std::string explanation_text(const Explanation& explanation);

// The keys stand in docs/explain.md.
nlohmann::ordered_json explanation_json(const Explanation& explanation);

// A history as a table, for the report of any command: data's value, the updates, the value after
// each. Of more than 20 updates the first and the last.
std::string history_text(const History& history, const ElementType& type);
nlohmann::ordered_json history_json(const History& history, const ElementType& type);

}  // namespace tscatter::app
