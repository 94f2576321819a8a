#include <nlohmann/json.hpp>
#include <string_view>

#include "c/command_call.hpp"
#include "commands/operation_flags.hpp"
#include "process/version.hpp"
#include "tscatter/core/dtype.hpp"
#include "tscatter/core/fail.hpp"
#include "tscatter/kernels/path.hpp"
#include "tscatter/ops/operation.hpp"
#include "tscatter/ops/policies.hpp"

namespace tscatter::app {
namespace {

using nlohmann::ordered_json;

std::string_view name_of(OperandRole role) {
  switch (role) {
    case OperandRole::data: return "data";
    case OperandRole::updates: return "updates";
    case OperandRole::integers: return "integers";
    case OperandRole::list: return "list";
    case OperandRole::index: return "index";
    case OperandRole::mask: return "mask";
  }
  unreachable();
}

std::string_view name_of(AttributeType type) {
  switch (type) {
    case AttributeType::reduction: return "reduction";
    case AttributeType::word: return "word";
    case AttributeType::boolean: return "boolean";
    case AttributeType::integer: return "integer";
    case AttributeType::number: return "number";
  }
  unreachable();
}

ordered_json operand_json(const Operation& operation, const OperandInfo& operand) {
  return {{"name", operand.word()},
          {"aliases", other_names(operand)},
          {"role", name_of(operand.role)},
          {"optional", operand.presence == Presence::optional},
          {"help", description_of(operation, operand)}};
}

ordered_json attribute_json(const AttributeInfo& attribute) {
  ordered_json object{{"name", attribute.word()},
                      {"aliases", other_names(attribute)},
                      {"type", name_of(spoken_type(attribute))},
                      {"choices", words_of(attribute)},
                      {"required", attribute.is_required},
                      {"help", help_of(attribute)}};
  if (!attribute.is_required) object["default"] = text_of(attribute, attribute.default_value);
  return object;
}

ordered_json policy_json(const Operation& operation, const PolicyInfo& policy) {
  ordered_json words = ordered_json::array();
  for (const PolicyWord& each : policy.words) words.push_back(each.word);
  return {{"name", names_of(policy, policy.flag, operation).front()},
          {"key", names_of(policy, policy.key, operation).front()},
          {"type", policy.is_switch() ? "boolean" : "word"},
          {"choices", words},
          {"help", policy.help}};
}

ordered_json operation_json(const Operation& operation) {
  ordered_json object{{"name", operation.name},
                      {"id", operation.id},
                      {"summary", operation.summary},
                      {"operands", ordered_json::array()},
                      {"attributes", ordered_json::array()},
                      {"policies", ordered_json::array()},
                      {"positional", operation.positional()},
                      {"examples", examples_of(operation)}};
  for (const OperandInfo& each : operation.operands)
    object["operands"].push_back(operand_json(operation, each));
  for (const AttributeInfo& each : operation.attributes)
    object["attributes"].push_back(attribute_json(each));
  for (const PolicyInfo* each : policies_of(operation))
    object["policies"].push_back(policy_json(operation, *each));
  return object;
}

ordered_json flag_json(const Flag& flag) {
  return {{"name", flag.name},
          {"aliases", flag.aliases},
          {"value", flag.value},
          {"implied", flag.implied},
          {"repeated", flag.occurrence == Occurrence::repeated}};
}

}  // namespace

std::string description() {
  ordered_json object{{"version", version()},
                      {"text", version_text()},
                      {"kernels", kernel_path_name()},
                      {"dtypes", ordered_json::array()},
                      {"operations", ordered_json::array()}};
  for (const DTypeInfo& each : dtype_table) {
    if (each.dtype != DType::opaque) object["dtypes"].push_back(each.name);
  }
  for (const Operation* each : operations()) object["operations"].push_back(operation_json(*each));
  return object.dump() + '\n';
}

std::string flags_text(const Command& command, const Operation* operation) {
  ordered_json flags = ordered_json::array();
  for (const Flag& each : command.bind(operation).flags) flags.push_back(flag_json(each));
  return flags.dump() + '\n';
}

}  // namespace tscatter::app
