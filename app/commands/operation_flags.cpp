#include "commands/operation_flags.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

#include "cli/targets.hpp"

namespace tscatter::app {
namespace {

Flag operand_flag(Job& job, const OperandInfo& operand) {
  const bool is_optional = operand.presence == Presence::optional;
  const std::string name(operand.name);
  return {.name = name,
          .letter = operand.flag,
          .group = "Operands",
          .value = operand.role == OperandRole::list ? "LIST" : "TENSOR",
          .help = fmt::format("{}{}", operand.help, is_optional ? " (optional)" : ""),
          .into = {.set = [&job, name](const auto& word,
                                       const auto&) { job.operands[name] = {.text = word}; }},
          .presence = operand.presence};
}

Flag attribute_flag(Job& job, const AttributeInfo& attribute) {
  const std::string name(attribute.name);
  return {.name = name,
          .letter = attribute.flag,
          .group = "Operands",
          .value = "NAME",
          .help = fmt::format("{}: {} (default {})", attribute.help,
                              fmt::join(attribute.choices, ", "), attribute.default_value),
          .into = {
              .choices = {attribute.choices.begin(), attribute.choices.end()},
              .set = [&job, name](const auto& word, const auto&) { job.attributes[name] = word; }}};
}

}  // namespace

Job job_of(const Operation& operation) {
  Job job;
  job.operation = &operation;
  job.name_prefix = "--";
  return job;
}

std::vector<Flag> operation_flags(Job& job) {
  std::vector<Flag> flags;
  for (const OperandInfo& operand : job.operation->operands)
    flags.push_back(operand_flag(job, operand));
  for (const AttributeInfo& attribute : job.operation->attributes)
    flags.push_back(attribute_flag(job, attribute));
  flags.push_back(dtype_flag(dtype(job.dtype)));
  return flags;
}

}  // namespace tscatter::app
