#include "tscatter/ops/attribute.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>

#include "tscatter/core/characters.hpp"
#include "tscatter/core/fail.hpp"
#include "tscatter/core/number.hpp"

namespace tscatter {
namespace {

template <class T>
std::optional<AttributeValue> parse_number(std::string_view text) {
  T value{};
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || stop != end) return std::nullopt;
  return value;
}

std::optional<AttributeValue> parse_boolean(std::string_view text) {
  if (text != "true" && text != "false") return std::nullopt;
  return text == "true";
}

std::optional<AttributeValue> parse_choice(std::span<const AttributeValue> choices,
                                           std::string_view text) {
  for (const AttributeValue& choice : choices) {
    if (to_string(choice) == text) return choice;
  }
  return std::nullopt;
}

// A reduction has aliases, where the operation does not have words of its own only.
std::optional<AttributeValue> parse_reduction(const AttributeInfo& attribute,
                                              std::string_view text) {
  const auto& choices = attribute.choices;
  if (attribute.takes_own_words_only) {
    const auto chosen = std::ranges::find_if(choices, [&](const AttributeValue& each) {
      return equal_ignoring_case(text_of(attribute, each), text);
    });
    return chosen == choices.end() ? std::nullopt : std::optional(*chosen);
  }
  const std::optional<AttributeValue> named = reduction_from_name(text);
  return named && std::ranges::count(choices, *named) > 0 ? named : std::nullopt;
}

std::optional<AttributeValue> parse_literal(std::string_view text) {
  const std::optional<Number> number = number_of(text);
  return number ? std::optional<AttributeValue>(*number) : std::nullopt;
}

struct TextOf {
  std::string operator()(Reduction value) const { return std::string(to_string(value)); }
  std::string operator()(bool value) const { return value ? "true" : "false"; }
  std::string operator()(const Number& value) const { return tscatter::to_string(value); }
  template <class T>
  std::string operator()(T value) const {
    return fmt::format("{}", value);
  }
};

}  // namespace

std::string to_string(const AttributeValue& value) { return std::visit(TextOf{}, value); }

std::string_view word_of(const AttributeInfo& attribute, Reduction reduction) {
  // In any family: amax is also a max that propagates NaN.
  const auto own =
      std::ranges::find(attribute.words, to_string(reduction),
                        [](const ReductionWord& each) { return to_string(each.reduction); });
  return own == attribute.words.end() ? to_string(reduction) : own->word;
}

std::string text_of(const AttributeInfo& attribute, const AttributeValue& value) {
  const auto* reduction = std::get_if<Reduction>(&value);
  return reduction == nullptr ? to_string(value) : std::string(word_of(attribute, *reduction));
}

std::vector<std::string> words_of(const AttributeInfo& attribute) {
  if (attribute.type() == AttributeType::boolean) return {"true", "false"};
  std::vector<std::string> words;
  for (const AttributeValue& choice : attribute.choices)
    words.push_back(text_of(attribute, choice));
  return words;
}

AttributeType spoken_type(const AttributeInfo& attribute) {
  const auto is_truth = [](const ReductionWord& each) {
    return parse_boolean(each.word).has_value();
  };
  const bool is_boolean =
      !attribute.words.empty() && std::ranges::all_of(attribute.words, is_truth);
  return is_boolean ? AttributeType::boolean : attribute.type();
}

std::string values_text(const AttributeInfo& attribute) {
  switch (spoken_type(attribute)) {
    case AttributeType::reduction:
    case AttributeType::word: return fmt::format("{}", fmt::join(words_of(attribute), ", "));
    case AttributeType::boolean: return "true or false";
    case AttributeType::integer: return "an integer";
    case AttributeType::number: return "a number";
  }
  unreachable();
}

std::string expectation(const AttributeInfo& attribute) {
  const bool is_listed =
      !attribute.choices.empty() && spoken_type(attribute) != AttributeType::boolean;
  return (is_listed ? "one of " : "") + values_text(attribute);
}

const IndexAnswer* answer_of(const AttributeInfo& attribute, const AttributeValue& value) {
  if (attribute.answers.empty()) return nullptr;
  if (const bool* truth = std::get_if<bool>(&value)) return &attribute.answers[std::size_t{*truth}];
  const auto choice = std::ranges::find(attribute.choices, value);
  return &attribute.answers[static_cast<std::size_t>(choice - attribute.choices.begin())];
}

std::string_view placeholder(const AttributeInfo& attribute) {
  switch (spoken_type(attribute)) {
    case AttributeType::reduction:
    case AttributeType::word: return "NAME";
    case AttributeType::boolean: return "BOOL";
    case AttributeType::integer: return "N";
    case AttributeType::number: return "X";
  }
  unreachable();
}

bool is_allowed(const AttributeInfo& attribute, const AttributeValue& value) {
  if (value.index() != attribute.default_value.index()) return false;
  return attribute.choices.empty() || std::ranges::count(attribute.choices, value) > 0;
}

std::optional<AttributeValue> parse_attribute(const AttributeInfo& attribute,
                                              std::string_view text) {
  switch (attribute.type()) {
    case AttributeType::reduction: return parse_reduction(attribute, text);
    case AttributeType::word: return parse_choice(attribute.choices, text);
    case AttributeType::boolean: return parse_boolean(text);
    case AttributeType::integer: return parse_number<std::int64_t>(text);
    case AttributeType::number: return parse_literal(text);
  }
  unreachable();
}

}  // namespace tscatter
