// tscatter help TOPIC: what no command's help has.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tscatter::app {

std::vector<std::string_view> topic_names();

// Not wrapped. nullopt where there is no such topic; case, '-' and '_' do not count.
std::optional<std::string> topic_text(std::string_view name);

}  // namespace tscatter::app
