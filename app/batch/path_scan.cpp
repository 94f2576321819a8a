#include "batch/path_scan.hpp"

#include <algorithm>
#include <array>

#include "batch/given_tolerance.hpp"

namespace tscatter::app {
namespace {

// Keys whose strings are not paths.
constexpr std::array<std::string_view, 10> plain_keys{"op",     "name",   "reduction",      "dtype",
                                                      "format", "nan",    "expected_error", "xfail",
                                                      "skip",   "comment"};

}  // namespace

bool may_need_plan(std::string_view line) {
  if (line.find('\\') != std::string_view::npos) return true;  // a key may be written with escapes
  int depth = 0;
  bool is_value = false;
  std::string_view key;
  for (std::size_t at = 0; at < line.size(); ++at) {
    const char character = line[at];
    if (character == '{' || character == '[') ++depth;
    if (character == '}' || character == ']') --depth;
    if (depth == 1 && character == ':') is_value = true;
    if (depth == 1 && character == ',') is_value = false;
    if (character != '"') continue;
    const std::size_t end = std::min(line.find('"', at + 1), line.size());
    if (depth == 1 && !is_value) key = line.substr(at + 1, end - at - 1);
    if (key == defaults_key) return true;
    if (depth == 1 && is_value && std::ranges::count(plain_keys, key) == 0) return true;
    at = end;
  }
  return false;
}

}  // namespace tscatter::app
