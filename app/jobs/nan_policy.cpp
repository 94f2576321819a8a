#include "jobs/nan_policy.hpp"

#include <fmt/ranges.h>

#include <cstddef>
#include <vector>

#include "tscatter/core/fail.hpp"
#include "tscatter/core/nearest.hpp"

namespace tscatter::app {
namespace {

// The value of the word, which is one of the names in the order of the values.
template <class Word, std::size_t count>
Word parse_word(const std::array<std::string_view, count>& names, const std::string& text,
                std::string_view label, const std::string& where, std::string_view hint = {}) {
  for (std::size_t i = 0; i < count; ++i) {
    if (names[i] == text) return static_cast<Word>(i);
  }
  const std::vector<std::string> words(names.begin(), names.end());
  const std::vector<std::string> first(words.begin(), words.end() - 1);
  fail(ErrorKind::usage, label, where, "must be {} or {}{}, got {}", fmt::join(first, ", "),
       words.back(), hint.empty() ? nearest_hint(text, words) : hint, text);
}

}  // namespace

NanPolicy parse_nan_policy(const std::string& text, std::string_view label,
                           const std::string& where) {
  const bool is_of_extremes = text == "ieee" || text == "data" || text == "update";
  const std::string hint = fmt::format(" (the rule of min and max is {}extremes)",
                                       where.starts_with("--") ? "--" : "the key ");
  return parse_word<NanPolicy>(nan_policy_names, text, label, where, is_of_extremes ? hint : "");
}

OtherBits parse_other_bits(const std::string& text, std::string_view label,
                           const std::string& where) {
  return parse_word<OtherBits>(other_bits_names, text, label, where);
}

Blocks parse_blocks(const std::string& text, std::string_view label, const std::string& where) {
  return parse_word<Blocks>(blocks_names, text, label, where);
}

}  // namespace tscatter::app
