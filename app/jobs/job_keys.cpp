#include "jobs/job_keys.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "jobs/format_words.hpp"
#include "jobs/job.hpp"
#include "jobs/job_index.hpp"
#include "jobs/job_json.hpp"
#include "jobs/job_policies.hpp"
#include "jobs/operand.hpp"
#include "jobs/resources.hpp"
#include "process/environment.hpp"
#include "tscatter/core/dtype.hpp"
#include "tscatter/core/fail.hpp"
#include "tscatter/ops/attribute_json.hpp"
#include "tscatter/ops/operation.hpp"

namespace tscatter::app {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr int max_threads = 1024;

int read_threads(const json& value, const std::string& where) {
  const bool is_valid = value.is_number_unsigned() && value.get<std::uint64_t>() <= max_threads;
  // job.j5
  if (!is_valid) {
    fail(ErrorKind::usage, "job.j5", where, "must be an integer from 0 to {}, got {}", max_threads,
         json_text(value));
  }
  return value.get<int>();
}

const Format* read_format(const json& value, const std::string& where) {
  const std::string name = read_string(value, where);
  const std::vector<std::string> names = stdout_names();
  // job.j5
  if (std::ranges::count(names, name) == 0) {
    fail(ErrorKind::usage, "job.j5", where, "must be one of {}, got {}", fmt::join(names, ", "),
         name);
  }
  return find_format(name);
}

Missing read_missing(const json& value, const std::string& where) {
  const std::string word = read_string(value, where);
  // job.j5
  if (word != "nan") fail(ErrorKind::usage, "job.j5", where, "must be nan, got {}", word);
  return Missing::nan;
}

std::optional<DType> read_dtype(const json& value, const std::string& where) {
  return parse_dtype(read_string(value, where), "job.j5", "dtype");
}

CastPolicy read_cast(const json& value, const std::string& where) {
  return parse_cast(read_string(value, where), "job.j5", where);
}

std::int64_t read_memory(const json& value, const std::string& where) {
  return parse_memory(read_string(value, where), where, "job.j5");
}

// How a key is read: into this member; or, if it is true, as this value of it.
template <auto member, auto read>
void read_into(Job& job, const json& value, const std::string& where) {
  job.*member = read(value, where);
}
template <auto member, auto on>
void read_switch(Job& job, const json& value, const std::string& where) {
  if (read_boolean(value, where)) job.*member = on;
}

ordered_json text_schema(const std::string& description) {
  return {{"description", description}, {"type", "string"}};
}

ordered_json switch_schema(std::string_view description) {
  return {{"description", description}, {"type", "boolean"}, {"default", false}};
}

constexpr std::array table_of_keys{
    JobKey{"output", read_into<&Job::output, read_path>,
           [] { return text_schema(output_forms() + " or -; left out: printed"); },
           /*is_path=*/true},
    JobKey{"format", read_into<&Job::format, read_format>,
           [] {
             return ordered_json{{"description", "of the output, whatever its name"},
                                 {"enum", stdout_names()}};
           }},
    JobKey{"force", read_switch<&Job::replacing, Replacing::any_kind>,
           [] { return switch_schema("the output may replace a file of another kind"); }},
    JobKey{"compress", read_switch<&Job::compression, Compression::deflated>,
           [] { return switch_schema("with an output of x.npz:name: deflate the member"); }},
    JobKey{"dtype", read_into<&Job::dtype, read_dtype>,
           [] { return text_schema("dtype of data (and so of updates) that names none"); }},
    JobKey{"cast", read_into<&Job::cast, read_cast>,
           [] {
             return ordered_json{
                 {"description", "which casts of updates to data's dtype are allowed"},
                 {"enum", {"no", "safe", "same-kind", "same_kind", "unsafe"}},
                 {"default", "no"}};
           }},
    JobKey{"missing", read_into<&Job::missing, read_missing>,
           [] {
             return ordered_json{{"description", "what missing values of tables of numbers become"},
                                 {"enum", {"nan"}}};
           }},
    JobKey{"threads", read_into<&Job::threads, read_threads>,
           [] {
             return ordered_json{{"description", "0: all cores"},
                                 {"type", "integer"},
                                 {"minimum", 0},
                                 {"maximum", max_threads}};
           }},
    JobKey{"memory", read_into<&Job::memory_limit, read_memory>,
           [] { return text_schema("private memory at most, like 512M or 8G"); }},
    JobKey{"sync", read_switch<&Job::durability, Durability::power_cut>,
           [] { return switch_schema("survive a power cut"); }},
    JobKey{"in_place", read_switch<&Job::placement, Placement::in_place>,
           [] { return switch_schema("change the data file itself, instead of an output"); }},
    JobKey{"no_journal", read_switch<&Job::journaling, Journaling::left_out>,
           [] { return switch_schema("with in_place: keep no undo journal"); }},
};

}  // namespace

std::span<const JobKey> job_keys() { return table_of_keys; }

const JobKey* find_job_key(std::string_view name) {
  const auto found = std::ranges::find(table_of_keys, name, &JobKey::name);
  return found == table_of_keys.end() ? nullptr : &*found;
}

std::string read_string(const json& value, const std::string& where) {
  // job.j5
  if (!value.is_string())
    fail(ErrorKind::usage, "job.j5", where, "must be a string, got {}", json_text(value));
  return value.get<std::string>();
}

std::string read_path(const json& value, const std::string& where) {
  std::string path = read_string(value, where);
  // job.j12
  if (path.size() > longest_tree) {
    fail(ErrorKind::usage, "job.j12", where, "a path must be at most {} bytes long, got {}",
         longest_tree, path.size());
  }
  // job.j12
  if (path.find('\0') != std::string::npos) {
    fail(ErrorKind::usage, "job.j12", where, "a path must have no NUL character, got {}",
         json_text(value));
  }
  return stream_or_path(std::move(path));
}

bool read_boolean(const json& value, const std::string& where) {
  // job.j5
  if (!value.is_boolean())
    fail(ErrorKind::usage, "job.j5", where, "must be true or false, got {}", json_text(value));
  return value.get<bool>();
}

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
