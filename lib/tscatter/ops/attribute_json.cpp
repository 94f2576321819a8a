#include "tscatter/ops/attribute_json.hpp"

#include <nlohmann/json.hpp>
#include <utility>

#include "tscatter/core/fail.hpp"

namespace tscatter {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

std::optional<AttributeValue> read_integer(const json& value) {
  const bool fits =
      !value.is_number_unsigned() || std::in_range<std::int64_t>(value.get<std::uint64_t>());
  if (!value.is_number_integer() || !fits) return std::nullopt;
  return value.get<std::int64_t>();
}

std::optional<AttributeValue> read_number(const json& value) {
  if (value.is_number_float()) return Number(value.get<double>());
  if (const auto integer = read_integer(value)) return Number(std::get<std::int64_t>(*integer));
  return Number(value.get<std::uint64_t>());
}

ordered_json type_schema(const AttributeInfo& attribute) {
  switch (spoken_type(attribute)) {
    case AttributeType::reduction:
    case AttributeType::word: return {{"enum", words_of(attribute)}};
    case AttributeType::boolean: return {{"type", "boolean"}};
    case AttributeType::integer: return {{"type", "integer"}};
    case AttributeType::number: return {{"type", "number"}};
  }
  unreachable();
}

}  // namespace

std::optional<AttributeValue> read_attribute(const AttributeInfo& attribute, const json& value) {
  switch (spoken_type(attribute)) {
    case AttributeType::reduction:
    case AttributeType::word:
      return value.is_string() ? parse_attribute(attribute, value.get_ref<const std::string&>())
                               : std::nullopt;
    case AttributeType::boolean:
      return value.is_boolean() ? parse_attribute(attribute, value.get<bool>() ? "true" : "false")
                                : std::nullopt;
    case AttributeType::integer: return read_integer(value);
    case AttributeType::number: return value.is_number() ? read_number(value) : std::nullopt;
  }
  unreachable();
}

ordered_json json_of(const AttributeInfo& attribute, const AttributeValue& value) {
  if (spoken_type(attribute) == AttributeType::boolean) return text_of(attribute, value) == "true";
  if (const auto* reduction = std::get_if<Reduction>(&value)) return word_of(attribute, *reduction);
  if (const auto* number = std::get_if<Number>(&value))
    return std::visit([](auto v) -> ordered_json { return v; }, *number);
  return std::visit(
      [](auto v) -> ordered_json {
        if constexpr (!std::is_same_v<decltype(v), Number>) return v;
        unreachable();
      },
      value);
}

ordered_json attribute_schema(const AttributeInfo& attribute) {
  ordered_json schema{{"description", attribute.help}};
  schema.update(type_schema(attribute));
  if (!attribute.is_required) schema["default"] = json_of(attribute, attribute.default_value);
  return schema;
}

}  // namespace tscatter
