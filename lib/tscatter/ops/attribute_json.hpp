// Attributes in JSON: jobs, their schema and the lines of a batch.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "tscatter/ops/attribute.hpp"

namespace tscatter {

// nullopt if the JSON value is not an allowed one.
std::optional<AttributeValue> read_attribute(const AttributeInfo& attribute,
                                             const nlohmann::json& value);

nlohmann::ordered_json json_of(const AttributeInfo& attribute, const AttributeValue& value);

nlohmann::ordered_json attribute_schema(const AttributeInfo& attribute);

}  // namespace tscatter
