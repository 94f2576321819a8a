// Attributes: the settings of an operation that are not tensors. Each has a type; a value is parsed
// once, from text or JSON, and keeps its type.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "tscatter/core/reduction.hpp"

namespace tscatter {

// The text outlives the value: it is in the table of operations.
using Word = std::string_view;

using AttributeValue = std::variant<Reduction, Word, bool, std::int64_t, double>;

// In the order of AttributeValue.
enum class AttributeType : std::uint8_t { reduction, word, boolean, integer, number };

// What a namespace calls a reduction that has another name here.
struct ReductionWord {
  Reduction reduction;
  std::string_view word;
};

struct AttributeInfo {
  std::string_view name;
  char flag;  // 0: none
  AttributeValue default_value;
  std::span<const AttributeValue> choices;  // of a reduction or a word; else empty
  std::string_view help;
  std::span<const ReductionWord> words = {};  // of a reduction
  bool is_required = false;                   // then the default value says its type only

  constexpr AttributeType type() const { return static_cast<AttributeType>(default_value.index()); }
};

// "sum", "true", "-1", "0.5".
std::string to_string(const AttributeValue& value);

// The same in the attribute's words: "add".
std::string text_of(const AttributeInfo& attribute, const AttributeValue& value);
std::string_view word_of(const AttributeInfo& attribute, Reduction reduction);

// The texts of all values; empty for an integer and a number.
std::vector<std::string> words_of(const AttributeInfo& attribute);

// What a value may be: "none, sum, sub", "true or false", "an integer", "a number".
std::string values_text(const AttributeInfo& attribute);

// What a value must be: "one of none, sum, sub", "true or false", "an integer", "a number".
std::string expectation(const AttributeInfo& attribute);

// What stands for a value in help: NAME, BOOL, N or X.
std::string_view placeholder(const AttributeInfo& attribute);

// Whether the value has the attribute's type and is one of its choices.
bool is_allowed(const AttributeInfo& attribute, const AttributeValue& value);

// nullopt if the text is not an allowed value.
std::optional<AttributeValue> parse_attribute(const AttributeInfo& attribute,
                                              std::string_view text);

}  // namespace tscatter
