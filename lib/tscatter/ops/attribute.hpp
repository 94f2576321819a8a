// Attributes: the settings of an operation that are not tensors. Each has a type; a value is parsed
// once, from text or JSON, and keeps its type.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
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

using AttributeValue = std::variant<Reduction, Word, bool, std::int64_t, Number>;

// In the order of AttributeValue.
enum class AttributeType : std::uint8_t { reduction, word, boolean, integer, number };

// What a namespace calls a reduction that has another name here.
struct ReductionWord {
  Reduction reduction;
  std::string_view word;
};

// What a negative index means.
enum class NegativeIndex : std::uint8_t {
  outside,       // it is out of range
  from_the_end,  // it counts from the end of its axis
  dropped,       // its entry writes nothing
};

// What becomes of an index that is out of range.
enum class OutsideIndex : std::uint8_t {
  error,
  drop_window,    // its entry writes nothing
  drop_elements,  // its entry writes only the part of its window that lies within data
  clip_start,     // the entry's window is moved into data
  clip_index,     // it means the nearest index in range
  modulo,         // it means its remainder by the size of the axis, which is never negative
};

// What becomes of an entry whose destination an earlier entry has.
enum class DuplicatePolicy : bool {
  ordered,    // it is applied after the earlier one
  forbidden,  // it is refused
};

// The policies that a value of an attribute answers in the place of the operation's row.
struct IndexAnswer {
  std::optional<OutsideIndex> outside = std::nullopt;
  std::optional<NegativeIndex> negative = std::nullopt;
  std::optional<DuplicatePolicy> duplicates = std::nullopt;
};

inline constexpr std::int64_t open_end = std::numeric_limits<std::int64_t>::max();

// Other names of an operand or an attribute; "": none.
using Aliases = std::array<std::string_view, 3>;

constexpr bool is_one_of(std::string_view wanted, std::string_view name, std::string_view own,
                         const Aliases& aliases) {
  if (wanted.empty()) return false;
  for (const std::string_view each : aliases) {
    if (each == wanted) return true;
  }
  return wanted == name || wanted == own;
}

struct AttributeInfo {
  std::string_view name;
  char flag = 0;  // 0: none
  AttributeValue default_value = {};
  std::span<const AttributeValue> choices = {};  // of a reduction or a word; else empty
  std::string_view help = {};
  std::span<const ReductionWord> words = {};  // of a reduction
  bool is_required = false;                   // then the default value says its type only
  bool takes_own_words_only = false;          // of a reduction: no aliases
  // What the operation's library calls it: the flag, the key and the word in messages. Name and
  // aliases are accepted, too. "": the name.
  std::string_view own = {};
  Aliases aliases = {};
  // Of a word, for each choice; of a boolean, for false and true. Empty: the attribute answers
  // none.
  std::span<const IndexAnswer> answers = {};

  constexpr std::string_view word() const { return own.empty() ? name : own; }
  constexpr bool has_name(std::string_view wanted) const {
    return is_one_of(wanted, name, own, aliases);
  }

  constexpr AttributeType type() const { return static_cast<AttributeType>(default_value.index()); }
  // Whether the default is beyond every size: the help says what that means.
  constexpr bool is_open() const { return default_value == AttributeValue(open_end); }
};

// The names of an operand or an attribute beside its word.
template <class Info>
std::vector<std::string_view> other_names(const Info& info) {
  std::vector<std::string_view> names;
  if (!info.own.empty()) names.push_back(info.name);
  for (const std::string_view each : info.aliases) {
    if (!each.empty()) names.push_back(each);
  }
  return names;
}

// "sum", "true", "-1", "0.5".
std::string to_string(const AttributeValue& value);

// The same in the attribute's words: "add".
std::string text_of(const AttributeInfo& attribute, const AttributeValue& value);
std::string_view word_of(const AttributeInfo& attribute, Reduction reduction);

// The type of the words that stand for its values: boolean, too, of a reduction whose words are
// true and false.
AttributeType spoken_type(const AttributeInfo& attribute);

// The texts of all values; empty for an integer and a number.
std::vector<std::string> words_of(const AttributeInfo& attribute);

// What a value may be: "none, sum, sub", "true or false", "an integer", "a number".
std::string values_text(const AttributeInfo& attribute);

// What a value must be: "one of none, sum, sub", "true or false", "an integer", "a number".
std::string expectation(const AttributeInfo& attribute);

// What the value answers; nullptr: the attribute answers no policies. REQUIRES: it is allowed.
const IndexAnswer* answer_of(const AttributeInfo& attribute, const AttributeValue& value);

// What stands for a value in help: NAME, BOOL, N or X.
std::string_view placeholder(const AttributeInfo& attribute);

// Whether the value has the attribute's type and is one of its choices.
bool is_allowed(const AttributeInfo& attribute, const AttributeValue& value);

// nullopt if the text is not an allowed value.
std::optional<AttributeValue> parse_attribute(const AttributeInfo& attribute,
                                              std::string_view text);

}  // namespace tscatter
