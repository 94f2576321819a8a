// The rules of an operation, made of its id and the lines that it shares with other versions. Not
// part of the installed interface.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>
#include <utility>

#include "tscatter/ops/operation.hpp"

namespace tscatter::names {

// A rule without its label.
struct RuleLine {
  Check check;
  std::string_view text;
};

// The lines and another one, which comes last.
template <std::size_t size>
constexpr std::array<RuleLine, size + 1> with(const std::array<RuleLine, size>& some,
                                              const RuleLine& last) {
  std::array<RuleLine, size + 1> all{};
  std::copy(some.begin(), some.end(), all.begin());
  all.back() = last;
  return all;
}

// An id as a template argument.
template <std::size_t size>
struct Id {
  // NOLINTNEXTLINE(google-explicit-constructor): of a literal.
  constexpr Id(const char (&id)[size]) { std::copy_n(id, size, text); }

  char text[size]{};
};

// Room for an id, ".c" and two digits.
template <std::size_t size>
struct LabelText {
  constexpr LabelText(const Id<size>& id, std::size_t number) {
    append({id.text, size - 1});
    append(".c");
    if (number >= 10) text[length++] = static_cast<char>('0' + number / 10);
    text[length++] = static_cast<char>('0' + number % 10);
  }

  constexpr void append(std::string_view part) {
    std::copy(part.begin(), part.end(), text.begin() + static_cast<std::ptrdiff_t>(length));
    length += part.size();
  }

  std::array<char, size + 4> text{};
  std::size_t length = 0;
};

template <Id id, std::size_t number>
inline constexpr LabelText label_text{id, number};

// The lines as rules, labelled id.c1, id.c2 and so on.
template <Id id, const auto& lines>
inline constexpr auto labelled = []<std::size_t... i>(std::index_sequence<i...>) {
  return std::array{OperationRule{
      {{label_text<id, i + 1>.text.data(), label_text<id, i + 1>.length}, lines[i].text},
      lines[i].check}...};
}
(std::make_index_sequence<lines.size()>());

}  // namespace tscatter::names
