// tscatter help TOPIC: help that belongs to no single command.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tscatter::app {

std::vector<std::string_view> topic_names();

// Not wrapped. nullopt if there is no such topic. Ignores case, '-' and '_'.
std::optional<std::string> topic_text(std::string_view name);

}  // namespace tscatter::app
