#include "cli/operation_words.hpp"

#include <fmt/ranges.h>

#include "tscatter/core/fail.hpp"

namespace tscatter::app {
namespace {

std::string flag_names(std::string_view name, char flag) {
  return flag == 0 ? fmt::format("--{}", name) : fmt::format("-{},--{}", flag, name);
}

void add_operand(CommandTree& tree, CLI::App& command, const OperandInfo& operand) {
  const std::string optional = operand.presence == Presence::optional ? " (optional)" : "";
  command
      .add_option(flag_names(operand.name, operand.flag),
                  tree.words().operands[std::string(operand.name)],
                  std::string(operand.help) + optional)
      ->type_name(operand.role == OperandRole::list ? "LIST" : "TENSOR")
      ->group("Operands");
}

void add_attribute(CommandTree& tree, CLI::App& command, const AttributeInfo& attribute) {
  const std::string help = fmt::format("{}: {} (default {})", attribute.help,
                                       values_text(attribute), to_string(attribute.default_value));
  CLI::Option* option = command
                            .add_option(flag_names(attribute.name, attribute.flag),
                                        tree.words().attributes[std::string(attribute.name)], help)
                            ->type_name(std::string(placeholder(attribute)))
                            ->group("Operands");
  if (attribute.type() == AttributeType::boolean) option->expected(0, 1);
  if (const auto known = words_of(attribute); !known.empty()) tree.choose(option, known);
}

// A boolean that is given without a value is true.
AttributeValue attribute_value(const AttributeInfo& attribute, const std::string& text) {
  if (attribute.type() == AttributeType::boolean && text.empty()) return true;
  const std::optional<AttributeValue> value = parse_attribute(attribute, text);
  // cli.c4
  if (!value) {
    fail(ErrorKind::usage, "cli.c4", fmt::format("--{}", attribute.name), "must be {}, got {}",
         expectation(attribute), text);
  }
  return *value;
}

bool is_given(const CLI::App& command, const std::string& name) {
  return command.get_option("--" + name)->count() > 0;
}

}  // namespace

void add_operation_flags(CommandTree& tree, CLI::App& command, const Operation& operation) {
  for (const OperandInfo& operand : operation.operands) add_operand(tree, command, operand);
  for (const AttributeInfo& attribute : operation.attributes)
    add_attribute(tree, command, attribute);
  tree.add_dtype(command);
}

Job job_of_words(CommandTree& tree, const CLI::App& command, const Operation& operation) {
  Words& words = tree.words();
  Job job;
  job.operation = &operation;
  job.name_prefix = "--";
  std::vector<std::string> missing;
  for (const OperandInfo& operand : operation.operands) {
    const std::string name(operand.name);
    if (is_given(command, name)) {
      job.operands.emplace(name, OperandWord{.text = words.operands[name]});
    } else if (operand.presence == Presence::required) {
      missing.push_back("--" + name);
    }
  }
  // cli.c3
  if (!missing.empty()) {
    fail(ErrorKind::usage, "cli.c3", operation.name, "{} must be given, got nothing",
         fmt::join(missing, ", "));
  }
  for (const AttributeInfo& attribute : operation.attributes) {
    const std::string name(attribute.name);
    if (is_given(command, name))
      job.attributes.emplace(name, attribute_value(attribute, words.attributes[name]));
  }
  job.dtype = given(words.dtype);
  job.threads = words.thread_count();
  return job;
}

}  // namespace tscatter::app
