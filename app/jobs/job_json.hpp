// Parses the JSON text of a job without a tree of its tensors, and without losing digits of
// integers.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "text/number_text.hpp"
#include "tscatter/io/files/file.hpp"

namespace tscatter::app {

// A JSON object. A list or an object in it is a binary value with its text, and so is a number that
// JSON's values would change or do not have: an integer that fits neither int64 nor uint64, -0,
// NaN. Repeated keys are refused, in these texts, too. `name` is used in messages. Throws Error
// (usage, job.j1 and, for a number beyond float64, json.f4).
nlohmann::json parse_job_object(const std::string& text, const std::string& name);

// Who is told what is wrong with a text.
struct JsonNaming {
  const std::string& name;             // of a file or flag, for messages
  std::string_view subject = "a job";  // for messages
  std::string_view label = "job.j1";   // of the rule that it is JSON
};

// The text of a file, or of what a pipe gives. Throws Error (usage, job.j1) beyond 64 MiB.
std::string text_of_job(const File& file);

// The text as a tree, in which only numbers are binary. Throws Error (usage) as parse_job_object().
nlohmann::json json_tree(std::string_view text, const JsonNaming& naming);

// The longest text, in bytes, of a value that becomes a tree and not a tensor.
inline constexpr std::size_t longest_tree = std::size_t{64} * 1024;

// What follows is about a value of a job's object.

// Its JSON text as it is written; the same in one line, for messages.
std::string source_text(const nlohmann::json& value);
std::string json_text(const nlohmann::json& value);

// The tree of a list or an object; another value as it is. Throws Error (usage, job.j1) if the text
// is long: no tensor is read so. `where` is used in messages.
nlohmann::json tree_of(const nlohmann::json& value, const std::string& where);

// The value as the nearest double; nullopt if it is not a number.
std::optional<double> number_of(const nlohmann::json& value);

// ---- Fields of JSON that the program has written itself, and that may have been damaged since:
// nothing is taken for what it is not.

struct WrongField : std::exception {};

// A whole number within the bounds. Throws WrongField.
inline std::int64_t integer_field(const nlohmann::ordered_json& value, std::int64_t least,
                                  std::int64_t most) {
  const bool is_integer =
      value.is_number_integer() &&
      (!value.is_number_unsigned() || std::in_range<std::int64_t>(value.get<std::uint64_t>()));
  if (!is_integer) throw WrongField();
  const auto number = value.get<std::int64_t>();
  if (number < least || number > most) throw WrongField();
  return number;
}

// The object, whose keys are among these. Throws WrongField: who reads it would pass others over.
inline const nlohmann::ordered_json& known_fields(const nlohmann::ordered_json& object,
                                                  std::initializer_list<std::string_view> keys) {
  for (const auto& [key, value] : object.items()) {
    if (std::ranges::find(keys, key) == keys.end()) throw WrongField();
  }
  return object;
}

// What hex_text() has written. Throws WrongField, and what the library throws.
inline std::uint64_t hex_field(const nlohmann::ordered_json& value) {
  const std::optional<std::uint64_t> number = hex_in(value.get_ref<const std::string&>());
  if (!number) throw WrongField();
  return *number;
}

// What read() makes of the object; nullopt where it is not of that form.
template <class Read>
auto read_fields(std::string_view text, const Read& read)
    -> std::optional<decltype(read(nlohmann::ordered_json()))> {
  try {
    return read(nlohmann::ordered_json::parse(text));
  } catch (const nlohmann::ordered_json::exception&) {
    return std::nullopt;
  } catch (const WrongField&) {
    return std::nullopt;
  }
}

}  // namespace tscatter::app
