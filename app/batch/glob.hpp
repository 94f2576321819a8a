// Patterns over whole names: * any characters, ? one, [a-z] one of a set, [!a] one that is not in
// it, \x the character x itself. "add_*" matches "add_rows"
#pragma once

#include <string>
#include <string_view>

namespace tscatter::app {

// Characters are those of UTF-8; a [ without its ] stands for itself.
bool matches_glob(std::string_view pattern, std::string_view name);

// The pattern that matches `name` and nothing else, but for control characters: they become ?,
// since no shell takes them all.
std::string escaped_glob(std::string_view name);

}  // namespace tscatter::app
