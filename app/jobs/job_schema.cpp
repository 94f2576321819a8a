#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "jobs/job.hpp"
#include "jobs/job_index.hpp"
#include "jobs/job_keys.hpp"
#include "jobs/job_policies.hpp"
#include "jobs/operand.hpp"
#include "tscatter/core/dtype.hpp"
#include "tscatter/ops/attribute_json.hpp"
#include "tscatter/ops/operation.hpp"

namespace tscatter::app {
namespace {

using nlohmann::ordered_json;

ordered_json described(std::string_view description, const ordered_json& type) {
  ordered_json schema{{"description", description}};
  schema.update(type);
  return schema;
}

ordered_json tolerance_schemas() {
  const ordered_json bound{{"type", "number"}, {"minimum", 0}};
  return {{"rtol", described("allow |actual - expected| <= atol + rtol * |expected|", bound)},
          {"atol", described("see rtol", bound)},
          {"max_ulp", described("allow so many representable values between the two",
                                {{"type", "integer"}, {"minimum", 0}})},
          {"equal_nan",
           described("any NaN equals any NaN", {{"type", "boolean"}, {"default", false}})}};
}

// A line before the cases of a batch.
ordered_json defaults_schema() {
  ordered_json dtypes;
  for (const DTypeInfo& each : dtype_table) {
    if (each.dtype == DType::opaque) continue;
    for (const std::string_view name : {each.name, each.short_name})
      dtypes[std::string(name)] = {{"$ref", "#/$defs/tolerance"}};
  }
  const ordered_json defaults{
      {"description", "in a batch, before the cases: tolerances by the dtype of the result"},
      {"type", "object"},
      {"properties", dtypes},
      {"additionalProperties", false}};
  return {{"type", "object"},
          {"properties", {{"defaults", defaults}}},
          {"required", {"defaults"}},
          {"additionalProperties", false}};
}

// Adds the keys of a job that is a line of a batch.
void add_batch_schema(ordered_json& properties) {
  const ordered_json text{{"type", "string"}};
  const ordered_json reason{{"type", "string"}, {"minLength", 1}};
  const auto add = [&](const std::string& key, const std::string& description,
                       const ordered_json& type) {
    properties[key] = described("in a batch: " + description, type);
  };
  const ordered_json tensor{{"$ref", "#/$defs/tensor"}};
  add("name", "what the case is called", {{"type", "string"}, {"minLength", 1}});
  add("expected", "the golden", tensor);
  const ordered_json tolerances = tolerance_schemas();
  for (const auto& [key, schema] : tolerances.items()) {
    properties[key] = schema;
    properties[key]["description"] = "in a batch: " + schema.at("description").get<std::string>();
  }
  add("expected_error", "the label of the rule that refuses the job", text);
  add("actual", "what something else computed: compared with expected, or verified alone", tensor);
  add("nan", "with actual alone: what min and max may do with NaN",
      {{"enum", {"text", "propagate", "ignore", "any"}}, {"default", "text"}});
  add("ftz",
      "with actual alone: subnormal numbers may have been read as zero, and results flushed to it",
      {{"type", "boolean"}, {"default", false}});
  const ordered_json bits{{"enum", {"kept", "any"}}, {"default", "kept"}};
  add("nan_bits", "with actual alone: which NaN is legal where one is moved, or stays", bits);
  add("zeros", "with actual alone: whether either of -0 and +0 is legal for the other", bits);
  add("blocks", "with actual alone: whether a block of updates is of one entry, or of several",
      {{"enum", {"whole", "mixed"}}});
  add("xfail", "why the case is known to fail", reason);
  add("skip", "why the case is not run", reason);
  add("tags", "words for --tag",
      {{"type", "array"}, {"items", {{"type", "string"}, {"pattern", "^[^\\s]+$"}}}});
  add("comment", "is not read", text);
}

// Adds an operand or attribute under each of its names. Where it is required, the job has one of
// them.
template <class Info>
void add_named(const Info& info, bool is_required, const ordered_json& schema,
               ordered_json& properties, ordered_json& required, ordered_json& choices) {
  const auto under = [](std::string_view name) {
    return ordered_json{{"required", ordered_json::array({name})}};
  };
  properties[std::string(info.word())] = schema;
  const std::vector<std::string_view> others = other_names(info);
  for (const std::string_view other : others) properties[std::string(other)] = schema;
  if (!is_required) return;
  if (others.empty()) return required.push_back(info.word());
  ordered_json either = ordered_json::array({under(info.word())});
  for (const std::string_view other : others) either.push_back(under(other));
  choices.push_back({{"oneOf", either}});
}

ordered_json operation_schema(const Operation& operation) {
  ordered_json properties;
  ordered_json required{"op"};
  properties["op"] = {{"description", operation.summary}, {"const", operation.name}};
  ordered_json choices = ordered_json::array();
  for (const OperandInfo& operand : operation.operands)
    add_named(operand, operand.presence == Presence::required,
              described(description_of(operation, operand), {{"$ref", "#/$defs/tensor"}}),
              properties, required, choices);
  for (const AttributeInfo& attribute : operation.attributes)
    add_named(attribute, attribute.is_required, attribute_schema(attribute), properties, required,
              choices);
  if (takes_dims(operation)) {
    properties["dims"] = {{"description", "dimension numbers as MLIR prints them, for the lists"},
                          {"type", "string"}};
  }
  for (const PolicyInfo* policy : policies_of(operation)) {
    for (const std::string_view name : names_of(*policy, policy->key, operation))
      properties[std::string(name)] = policy_schema(*policy);
    if (operation.unanswered.contains(policy->policy)) required.push_back(policy->key);
  }
  for (const JobKey& key : job_keys()) properties[std::string(key.name)] = key.schema();
  add_batch_schema(properties);
  ordered_json schema{{"type", "object"},
                      {"properties", properties},
                      {"required", required},
                      {"additionalProperties", false}};
  if (!choices.empty()) schema["allOf"] = choices;
  return schema;
}

ordered_json shared_schemas() {
  const ordered_json list{{"type", "array"}, {"items", {{"$ref", "#/$defs/values"}}}};
  const ordered_json scalar{{"type", {"number", "boolean"}}};
  const ordered_json word{{"enum", {"NaN", "Infinity", "-Infinity"}}};
  const ordered_json object{
      {"type", "object"},
      {"properties",
       {{"dtype", {{"type", "string"}}},
        {"shape", {{"type", "array"}, {"items", {{"type", "integer"}, {"minimum", 0}}}}},
        {"data", {{"$ref", "#/$defs/values"}}}}},
      {"required", {"data"}},
      {"additionalProperties", false}};
  const ordered_json tolerance{
      {"type", "object"}, {"properties", tolerance_schemas()}, {"additionalProperties", false}};
  return {
      {"values", {{"anyOf", {scalar, word, list}}}},
      {"tolerance", tolerance},
      {"tensor",
       {{"description",
         "a path (- is stdin), values, or an object with dtype, shape and data, or of raw bytes"},
        {"anyOf", {{{"type", "string"}}, scalar, list, object, raw_operand_schema()}}}}};
}

}  // namespace

std::string job_schema() {
  ordered_json schema{{"$schema", "https://json-schema.org/draft/2020-12/schema"},
                      {"title", "a tscatter job"},
                      {"type", "object"}};
  for (const Operation* operation : operations())
    schema["oneOf"].push_back(operation_schema(*operation));
  schema["oneOf"].push_back(defaults_schema());
  schema["$defs"] = shared_schemas();
  return schema.dump(2) + "\n";
}

}  // namespace tscatter::app
