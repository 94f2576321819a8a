#include "tscatter/core/nearest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

namespace tscatter {
namespace {

// The Levenshtein distance between `a` and the nearest beginning of `b`; a swap of neighbours
// counts one.
std::size_t distance_to_beginning(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before_previous;
  std::vector<std::size_t> previous(b.size() + 1);
  std::iota(previous.begin(), previous.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::vector<std::size_t> current(b.size() + 1, i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = previous[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      current[j] = std::min({previous[j] + 1, current[j - 1] + 1, change});
      const bool is_swap = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (is_swap) current[j] = std::min(current[j], before_previous[j - 2] + 1);
    }
    before_previous = std::exchange(previous, std::move(current));
  }
  const std::size_t shortest = std::min((a.size() + 1) / 2, b.size());
  return *std::min_element(previous.begin() + static_cast<std::ptrdiff_t>(shortest),
                           previous.end());
}

}  // namespace

std::string folded(std::string_view name) {
  std::string out;
  for (const char c : name) {
    if (c == '-' || c == '_') continue;
    out += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return out;
}

std::string nearest_hint(std::string_view name, const std::vector<std::string>& known) {
  constexpr std::size_t longest = 64;  // anything longer is not a typing error
  if (name.size() > longest || known.empty()) return {};
  const std::string wanted = folded(name);
  // Distance first, then difference in length: "ScatterUpdat" is nearer to ScatterUpdate than to
  // longer names.
  const auto badness = [&](const std::string& candidate) {
    const std::string other = folded(candidate);
    const std::size_t length =
        std::max(wanted.size(), other.size()) - std::min(wanted.size(), other.size());
    return std::pair(
        wanted.size() > other.size() + 2 ? longest : distance_to_beginning(wanted, other), length);
  };
  const auto best = std::min_element(
      known.begin(), known.end(),
      [&](const std::string& a, const std::string& b) { return badness(a) < badness(b); });
  if (badness(*best).first > std::max<std::size_t>(wanted.size() / 3, 1)) return {};
  return fmt::format(" (nearest: {})", *best);
}

}  // namespace tscatter
