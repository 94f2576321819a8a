#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string_view>

#include "jobs/job_json.hpp"
#include "jobs/job_keys.hpp"
#include "jobs/operand.hpp"
#include "tscatter/core/fail.hpp"
#include "tscatter/io/formats/format.hpp"
#include "tscatter/io/formats/text/literal.hpp"

namespace tscatter::app {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

bool is_size(const json& value) { return value.is_number_integer() && value >= 0; }

bool is_shape(const json& value) { return value.is_array() && std::ranges::all_of(value, is_size); }

// A dtype alone, without sizes before it.
bool is_dtype(const json& value) {
  if (!value.is_string()) return false;
  const auto header = literal_header(value.get<std::string>());
  return header && header->rank() == 0;
}

bool is_byte_order(const json& value) { return value == "little" || value == "big"; }
bool is_memory_order(const json& value) { return value == "c" || value == "fortran"; }

struct RawKey {
  std::string_view name;
  Presence presence;
  std::string_view expected;
  bool (*is_legal)(const json& value);
  ordered_json (*schema)();
};

ordered_json schema_of_text() { return {{"type", "string"}}; }
ordered_json size_schema() { return {{"type", "integer"}, {"minimum", 0}}; }

constexpr std::array raw_keys{
    RawKey{"raw", Presence::required, "a path", [](const json& value) { return value.is_string(); },
           schema_of_text},
    RawKey{"dtype", Presence::required, "the name of a dtype", is_dtype, schema_of_text},
    RawKey{"shape", Presence::required, "a list of sizes >= 0", is_shape,
           [] {
             return ordered_json{{"type", "array"}, {"items", size_schema()}};
           }},
    RawKey{"offset", Presence::optional, "an integer >= 0", is_size, size_schema},
    RawKey{"byte_order", Presence::optional, "little or big", is_byte_order,
           [] {
             return ordered_json{{"enum", {"little", "big"}}, {"default", "little"}};
           }},
    RawKey{"order", Presence::optional, "c or fortran", is_memory_order,
           [] {
             return ordered_json{{"enum", {"c", "fortran"}}, {"default", "c"}};
           }},
};

void require_keys(const json& value, const std::string& where) {
  for (const RawKey& key : raw_keys) {
    const auto found = value.find(key.name);
    const bool is_there = found != value.end();
    // cli.c104
    if (!is_there && key.presence == Presence::required) {
      fail(ErrorKind::usage, "cli.c104", where, "raw bytes need {}, {}", key.name, key.expected);
    }
    // cli.c104
    if (is_there && !key.is_legal(*found)) {
      fail(ErrorKind::usage, "cli.c104", where, "raw bytes must have {} as {}, got {}", key.name,
           key.expected, json_text(*found));
    }
  }
  for (const auto& [name, member] : value.items()) {
    const bool is_known = std::ranges::count(raw_keys, name, &RawKey::name) > 0;
    // cli.c104
    if (!is_known) {
      fail(ErrorKind::usage, "cli.c104", where,
           "raw bytes must have the keys raw, dtype and shape, and may have offset, byte_order and "
           "order, got {}",
           name);
    }
  }
}

// The operand of the same meaning. REQUIRES: require_keys() passed.
std::string raw_word(const json& value, const std::string& file) {
  std::string word;
  for (const json& size : value.at("shape")) word += json_text(size) + "x";
  word += value.at("dtype").get<std::string>() + "=@" + file;
  if (value.contains("offset")) word += "+" + json_text(value.at("offset"));
  if (value.value("byte_order", "") == "big") word += ",be";
  if (value.value("order", "") == "fortran") word += ",f";
  return word;
}

}  // namespace

// Longer JSON is left to the reader of tensors, which does not hold it in memory.
std::optional<OperandWord> raw_operand(const std::string& text, const std::string& where) {
  const bool may_be_raw = text.size() <= longest_tree && text.starts_with('{') &&
                          text.find("\"raw\"") != std::string::npos;
  if (!may_be_raw) return std::nullopt;
  const json value = json_tree(text, {.name = where, .subject = "raw bytes", .label = "cli.c104"});
  if (!value.contains("raw")) return std::nullopt;
  require_keys(value, where);
  const std::string file = read_path(value.at("raw"), where);
  const std::string word = raw_word(value, file);
  const auto member = split_member_name(word);
  // cli.c104
  if (!member || member->archive != file) {
    fail(ErrorKind::usage, "cli.c104", where,
         "a raw file whose name ends like an offset or an order must be given with an offset, got "
         "{}",
         file);
  }
  return OperandWord{.text = word, .form = WordForm::path};
}

ordered_json raw_operand_schema() {
  ordered_json schema{{"type", "object"}, {"additionalProperties", false}};
  for (const RawKey& key : raw_keys) {
    schema["properties"][std::string(key.name)] = key.schema();
    if (key.presence == Presence::required) schema["required"].push_back(key.name);
  }
  return schema;
}

}  // namespace tscatter::app
