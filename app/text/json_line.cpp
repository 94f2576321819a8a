#include "text/json_line.hpp"

#include <nlohmann/json.hpp>

#include "tscatter/core/error.hpp"

namespace tscatter::app {

std::string json_line(const nlohmann::ordered_json& value) {
  constexpr auto on_error = nlohmann::ordered_json::error_handler_t::replace;
  const std::string text = value.dump(-1, ' ', false, on_error);
  const bool is_safe = escape_control(text) == text;
  return (is_safe ? text : value.dump(-1, ' ', true, on_error)) + "\n";
}

}  // namespace tscatter::app
