#include "commands/operation_flags.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cli/targets.hpp"
#include "jobs/hints.hpp"
#include "jobs/job_policies.hpp"
#include "jobs/operand.hpp"
#include "tscatter/core/fail.hpp"

namespace tscatter::app {
namespace {

std::string with_hyphens(std::string_view text) {
  std::string name(text);
  std::ranges::replace(name, '_', '-');
  return name;
}

Flag operand_flag(Job& job, const OperandInfo& operand) {
  const std::string name(operand.name);
  return {.name = with_hyphens(name),
          .letter = operand.flag,
          .group = "Operands",
          .value = operand.role == OperandRole::list ? "LIST" : "TENSOR",
          .help =
              [&operation = *job.operation, &operand] {
                const bool is_optional = operand.presence == Presence::optional;
                return description_of(operation, operand) + (is_optional ? " (optional)" : "");
              },
          .into = {.set =
                       [&job, name](const auto& word, const auto& where) {
                         job.operands[name] =
                             raw_operand(word, where).value_or(OperandWord{.text = word});
                       },
                   .take = [&job, name](const Array& array) { job.operands[name] = array.word(); }},
          .presence = operand.presence,
          .alias = with_hyphens(operand.alias)};
}

AttributeValue attribute_value(const AttributeInfo& attribute, const std::string& text,
                               const std::string& where) {
  const std::optional<AttributeValue> value = parse_attribute(attribute, text);
  // cli.c4
  if (!value) {
    fail(ErrorKind::usage, "cli.c4", where, "must be {}, got {}", expectation(attribute), text);
  }
  return *value;
}

// A boolean flag without a value is true.
Flag attribute_flag(Job& job, const AttributeInfo& attribute) {
  const Operation& operation = *job.operation;
  const std::string name(attribute.name);
  const bool is_boolean = attribute.type() == AttributeType::boolean;
  return {.name = flag_name(attribute),
          .letter = attribute.flag,
          .group = "Operands",
          .value = placeholder(attribute),
          .implied = is_boolean ? "true" : "",
          .help = [&attribute] { return help_of(attribute); },
          .into = {.choices = words_of(attribute),
                   .is_alias =
                       [&attribute](const auto& text) {
                         return parse_attribute(attribute, text).has_value();
                       },
                   .hint = value_hint(operation, attribute),
                   .set =
                       [&job, &attribute, name](const auto& text, const auto& where) {
                         job.attributes.insert_or_assign(name,
                                                         attribute_value(attribute, text, where));
                       }},
          .presence = attribute.is_required ? Presence::required : Presence::optional};
}

}  // namespace

std::string help_of(const AttributeInfo& attribute) {
  std::string values = fmt::format("{}: {}", attribute.help, values_text(attribute));
  if (attribute.is_required) return values;
  return fmt::format("{} (default {})", values, text_of(attribute, attribute.default_value));
}

std::function<std::string(const std::string&)> value_hint(const Operation& operation,
                                                          const AttributeInfo& attribute) {
  if (attribute.type() != AttributeType::reduction) return {};
  return [&operation](const std::string& word) { return reduction_hint(operation, word); };
}

std::string flag_name(const AttributeInfo& attribute) { return with_hyphens(attribute.name); }

Job job_of(const Operation& operation) {
  Job job;
  job.operation = &operation;
  job.name_prefix = "--";
  return job;
}

std::vector<Flag> operation_flags(Job& job, PolicyNames names) {
  constexpr std::size_t room = 64;  // for those that are joined to it, too
  std::vector<Flag> flags;
  flags.reserve(room);
  for (const OperandInfo& operand : job.operation->operands)
    flags.push_back(operand_flag(job, operand));
  for (const AttributeInfo& attribute : job.operation->attributes)
    flags.push_back(attribute_flag(job, attribute));
  flags.push_back(dtype_flag(dtype(job.dtype)));
  flags.push_back(missing_flag(job.missing));
  return joined(std::move(flags),
                policy_flags(*job.operation, names,
                             [&job](const PolicyInfo& policy, const std::string& word) {
                               override_policy(job, policy, word);
                             }));
}

}  // namespace tscatter::app
