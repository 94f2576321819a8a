#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/targets.hpp"
#include "commands/commands.hpp"
#include "commands/operation_flags.hpp"
#include "diff/witness.hpp"
#include "jobs/job_index.hpp"
#include "jobs/result.hpp"
#include "jobs/rules.hpp"
#include "text/document.hpp"
#include "tscatter/core/characters.hpp"
#include "tscatter/core/fail.hpp"
#include "tscatter/ops/names/knobs.hpp"
#include "tscatter/ops/names/registry.hpp"

namespace tscatter::app {
namespace {

std::string flag_text(std::string_view name, char flag) {
  return flag == 0 ? fmt::format("    --{}", name) : fmt::format("-{}, --{}", flag, name);
}

// "sum, sub and prod": the operation's reductions with these needs.
std::string reductions_text(const Operation& operation, Needs needs) {
  std::vector<Reduction> reductions = operation.reductions();
  std::erase_if(reductions, [&](Reduction each) { return info(each).needs != needs; });
  return names_of(operation, reductions, "and");
}

std::string dtypes_text(const Operation& operation) {
  if (operation.data_dtypes.size() < all_dtypes.size()) return data_dtypes_text(operation);
  if (operation.reductions().empty()) return "every dtype of fixed size";
  std::string text;
  for (const NeedsInfo& each : needs_table) {
    const std::string names = reductions_text(operation, each.needs);
    if (names.empty()) continue;
    const bool is_all = each.needs == Needs::bytes;
    text += is_all ? fmt::format("{} {}", each.dtypes, names)
                   : fmt::format("{}{}: {}", text.empty() ? "" : "; ", names, each.dtypes);
  }
  return text;
}

using Rows = std::vector<std::vector<std::string>>;

// The rows below their title, in two columns.
std::string section(std::string_view title, const Rows& rows) {
  if (rows.empty()) return {};
  TextTable table;
  for (const std::vector<std::string>& row : rows) table.add({"", row[0], row[1]});
  return fmt::format("\n{}\n{}", title, table.text());
}

Rows operand_rows(const Operation& operation) {
  Rows rows;
  for (const OperandInfo& operand : operation.operands) {
    const std::string_view optional = operand.presence == Presence::optional ? " (optional)" : "";
    rows.push_back({flag_text(flag_name(operand), operand.flag),
                    fmt::format("{}{}", description_of(operation, operand), optional)});
  }
  if (takes_dims(operation)) rows.push_back({flag_text("dims", 0), std::string(dims_help)});
  return rows;
}

std::string description(const Operation& operation) {
  Rows attributes;
  for (const AttributeInfo& attribute : operation.attributes)
    attributes.push_back({flag_text(flag_name(attribute), attribute.flag), help_of(attribute)});
  Rows answers;
  for (const KnobLine& line : knobs_of(operation))
    answers.push_back(
        {std::string(line.question), fmt::format("{} ({})", line.answer, line.source)});
  Rows rules;
  for (const Rule& rule : operation.rules)
    rules.push_back({std::string(rule.label), std::string(rule.text)});
  std::string text = fmt::format("{}: {}\n", operation.name, operation.summary) +
                     section("inputs", operand_rows(operation)) +
                     section("attributes", attributes) +
                     fmt::format("\ndtypes\n  {}\n", dtypes_text(operation)) +
                     section("answers", answers) + section("rules", rules) + "\nexamples\n";
  for (const std::string& example : examples_of(operation)) text += fmt::format("  {}\n", example);
  return text;
}

// Of one namespace, or all.
void list_operations(const std::optional<std::string>& space) {
  TextTable table;
  for (const Operation* operation : operations()) {
    if (!space || equal_ignoring_case(namespace_of(operation->name), *space))
      table.add({std::string(operation->name), std::string(operation->summary)});
  }
  print(table.text());
}

std::string hint_of(const std::string& name) {
  return unknown_operation_hint(name, {}, "see tscatter ops");
}

const Operation& operation_named(const std::string& name) {
  const Operation* operation = named_operation(name).operation;
  // cli.c9
  if (operation == nullptr)
    fail(ErrorKind::usage, "cli.c9", "ops", "must be an operation{}, got {}", hint_of(name), name);
  return *operation;
}

void require_one_known(const std::string& name, const std::string& other) {
  const bool is_known = named_operation(name).operation != nullptr;
  if (is_known || named_operation(other).operation != nullptr) return;
  // cli.c9
  fail(ErrorKind::usage, "cli.c9", "ops", "must be operations, got {}{} and {}{}", name,
       hint_of(name), other, hint_of(other));
}

struct OpsFlags {
  std::optional<std::string> name;
  std::optional<std::string> other;
  bool compares = false;
  ReportForm form = ReportForm::words;
  std::optional<std::string> rule;
};

const Operation& answering(const std::string& name) {
  const Operation& operation = operation_named(name);
  // cli.c9
  if (!operation.unanswered.empty())
    fail(ErrorKind::usage, "cli.c9", "ops", "must be an operation with answers of its own, got {}",
         operation.name);
  return operation;
}

void print_differences(const OpsFlags& flags) {
  // cli.c3
  if (!flags.name || !flags.other)
    fail(ErrorKind::usage, "cli.c3", "ops", "--diff needs two operations: tscatter ops --diff A B");
  require_one_known(*flags.name, *flags.other);
  const Operation& first = answering(*flags.name);
  print(difference_text(first, answering(*flags.other), flags.form));
}

void require_one_name(const OpsFlags& flags) {
  // cli.c5
  if (flags.other)
    fail(ErrorKind::usage, "cli.c5", "ops", "takes at most NAME (--diff compares two), got {}",
         *flags.other);
}

int describe(const OpsFlags& flags) {
  if (flags.compares) {
    print_differences(flags);
    return 0;
  }
  require_one_name(flags);
  // cli.c3
  if (flags.form == ReportForm::json)
    fail(ErrorKind::usage, "cli.c3", "ops", "--json needs --diff A B");
  if (flags.rule) {
    // cli.c120
    if (flags.name) {
      fail(ErrorKind::usage, "cli.c120", "--rule", "takes no operation, got {}", *flags.name);
    }
    const Rule rule = rule_labelled(*flags.rule);
    print(fmt::format("{}: {}\n", rule.label, rule.text));
  } else if (flags.name && !is_namespace(*flags.name)) {
    print(description(operation_named(*flags.name)));
  } else {
    list_operations(flags.name);
  }
  return 0;
}

Invocation bind_ops(const Operation*) {
  const auto flags = std::make_shared<OpsFlags>();
  return {
      .arguments = {{.name = "NAME",
                     .help = "an operation, or a namespace like torch (optional)",
                     .into = text(flags->name),
                     .presence = Presence::optional},
                    {.name = "OTHER",
                     .help = "with --diff: the operation that it is compared with",
                     .into = text(flags->other),
                     .presence = Presence::optional}},
      .flags = in_group(
          "Output",
          {switch_flag("diff", "what NAME and OTHER do differently, each with a case that shows it",
                       turn_on(flags->compares)),
           json_flag("with --diff: the differences as one JSON object", flags->form),
           never_beside("diff", value_flag("rule", "LABEL", "print the rule of this label",
                                           text(flags->rule)))}),
      .run = [flags](const Messages&) { return describe(*flags); }};
}

}  // namespace

Command ops_command() {
  return {.name = "ops",
          .summary = "the operations, their inputs, rules and examples",
          .examples = {"tscatter ops", "tscatter ops ScatterNDUpdate-15",
                       "tscatter ops --rule scatter_nd_update_15.c4",
                       "tscatter ops --diff ScatterNDUpdate-15 onnx.ScatterND-18"},
          .bind = bind_ops};
}

}  // namespace tscatter::app
