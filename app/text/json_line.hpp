// What is printed as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace tscatter::app {

// `value` in one line, with its line end. What is no UTF-8 becomes U+FFFD; where a text has
// characters that a terminal obeys, all but ASCII is escaped.
std::string json_line(const nlohmann::ordered_json& value);

}  // namespace tscatter::app
