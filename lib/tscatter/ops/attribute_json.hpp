// Attributes in JSON: jobs, their schema and the lines of a batch. Not part of the installed
// interface.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "tscatter/ops/attribute.hpp"

namespace tscatter {

// nullopt where the JSON value is none that is allowed.
std::optional<AttributeValue> read_attribute(const AttributeInfo& attribute,
                                             const nlohmann::json& value);

nlohmann::ordered_json json_of(const AttributeValue& value);

nlohmann::ordered_json attribute_schema(const AttributeInfo& attribute);

}  // namespace tscatter
