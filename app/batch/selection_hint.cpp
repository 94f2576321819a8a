#include "batch/selection_hint.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "batch/glob.hpp"
#include "tscatter/core/nearest.hpp"

namespace tscatter::app {
namespace {

constexpr std::size_t most_named = 3;

// The letters of a pattern.
std::string without_wildcards(std::string pattern) {
  std::erase_if(
      pattern, [](char c) { return std::string_view("*?[]\\").find(c) != std::string_view::npos; });
  return pattern;
}

bool is_near(const std::string& pattern, const std::string& name) {
  return nearest_name(without_wildcards(pattern), {name}) != nullptr;
}

// The nearest first.
std::vector<std::string> sorted_by_nearness(std::vector<std::string> names,
                                            const std::string& pattern) {
  std::vector<std::string> sorted;
  while (const std::string* nearest = nearest_name(without_wildcards(pattern), names)) {
    sorted.push_back(*nearest);
    names.erase(names.begin() + (nearest - names.data()));
  }
  return sorted;
}

}  // namespace

void SelectionHint::add(const BatchCase& each) {
  constexpr std::size_t most_near = 100;
  constexpr std::size_t most_tags = 4096;
  const auto is_part = [&](const std::string& pattern) {
    return matches_glob(fmt::format("*{}*", pattern), each.name);
  };
  const auto is_near_name = [&](const std::string& pattern) { return is_near(pattern, each.name); };
  if (std::ranges::any_of(selection_.filters, is_part)) {
    if (parted_.size() < most_named) parted_.push_back(each.name);
  } else if (near_.size() < most_near && std::ranges::any_of(selection_.filters, is_near_name)) {
    near_.push_back(each.name);
  }
  if (tags_.size() < most_tags) tags_.insert(each.tags.begin(), each.tags.end());
}

std::string SelectionHint::text() const {
  return selection_.named() == 0 ? names_hint() : tags_hint();
}

std::string SelectionHint::names_hint() const {
  std::vector<std::string> names = parted_;
  for (const std::string& name : sorted_by_nearness(near_, selection_.filters.front())) {
    if (names.size() < most_named) names.push_back(name);
  }
  const std::string next =
      names.empty() ? "--list prints them" : fmt::format("nearest: {}", fmt::join(names, ", "));
  return fmt::format(" (a pattern matches a whole name; {})", next);
}

std::string SelectionHint::tags_hint() const {
  const std::vector<std::string> known(tags_.begin(), tags_.end());
  return nearest_hint(selection_.tags.front(), known, "--list prints the tags of each case");
}

}  // namespace tscatter::app
