// Patterns for whole names: * any characters, ? one, [a-z] one of a set, [!a] one not in it, \x the
// character x itself. "add_*" matches "add_rows"
#pragma once

#include <string>
#include <string_view>

namespace tscatter::app {

// Characters are UTF-8; a [ without its ] means itself.
bool matches_glob(std::string_view pattern, std::string_view name);

// The pattern that matches only `name`, except that control characters become ?, since no shell
// accepts them all.
std::string escaped_glob(std::string_view name);

}  // namespace tscatter::app
