// Fields of JSON that the program has written itself, and that may have been damaged since: nothing
// is taken for what it is not.
#pragma once

#include <algorithm>
#include <cstdint>
#include <exception>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "text/number_text.hpp"

namespace tscatter::app {

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
