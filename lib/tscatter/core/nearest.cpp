#include "tscatter/core/nearest.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "tscatter/core/ascii.hpp"

namespace tscatter {
namespace {

// How many letters may be wrong: one in three of what stands before the first dot.
std::size_t allowed_distance(std::string_view name) {
  return name.substr(0, name.find('.')).size() / 3;
}

// The Levenshtein distance between `a` and the nearest beginning of `b`; a swap of neighbours
// counts one. A short word is an abbreviation only if every letter is right: "cat" is not batch.
std::size_t distance(std::string_view a, std::string_view b) {
  constexpr std::size_t short_word = 5;
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
  if (a.size() > 1 && b.starts_with(a)) return 0;
  if (a.size() < short_word) return previous.back();
  const std::size_t shortest = std::min((a.size() + 1) / 2, b.size());
  return *std::min_element(previous.begin() + static_cast<std::ptrdiff_t>(shortest),
                           previous.end());
}

}  // namespace

// Distance first, then difference in length: "ScatterUpdat" is nearer to ScatterUpdate than to
// longer names.
const std::string* nearest_name(std::string_view name, const std::vector<std::string>& known) {
  constexpr std::size_t longest = 64;  // anything longer is not a typing error
  const std::string wanted = folded(name);
  if (wanted.empty() || name.size() > longest || known.empty()) return nullptr;
  const auto badness = [&](const std::string& candidate) {
    const std::string other = folded(candidate);
    const std::size_t length =
        std::max(wanted.size(), other.size()) - std::min(wanted.size(), other.size());
    return std::pair(wanted.size() > other.size() + 2 ? longest : distance(wanted, other), length);
  };
  const auto best = std::ranges::min_element(known, {}, badness);
  return badness(*best).first > allowed_distance(wanted) ? nullptr : &*best;
}

std::string folded(std::string_view name) {
  std::string out;
  out.reserve(name.size());
  for (const char c : name) {
    if (c == '-' || c == '_') continue;
    out += lower(c);
  }
  return out;
}

std::string nearest_hint(std::string_view name, const std::vector<std::string>& known,
                         std::string_view otherwise) {
  if (std::string hint = synonym_hint(name, known); !hint.empty()) return hint;
  const std::string* best = nearest_name(name, known);
  if (best != nullptr) return fmt::format(" (nearest: {})", *best);
  return otherwise.empty() ? std::string() : fmt::format(" ({})", otherwise);
}

std::string names_and_nearest(std::string_view name, const std::vector<std::string>& known) {
  constexpr std::size_t most_listed = 8;
  const bool are_listed = !known.empty() && known.size() <= most_listed;
  const std::string* const nearest = nearest_name(name, known);
  return (are_listed ? fmt::format("{}", fmt::join(known, ", "))
                     : fmt::format("the {} that there are", known.size())) +
         (nearest == nullptr ? std::string() : fmt::format(" (nearest: {})", *nearest));
}

}  // namespace tscatter
