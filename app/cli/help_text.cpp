#include "cli/help_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <vector>

#include "cli/topics.hpp"
#include "cli/wrap.hpp"
#include "tscatter/ops/operation.hpp"

namespace tscatter::app {
namespace {

constexpr std::array<std::string_view, 2> program_examples{
    "tscatter ScatterNDUpdate-15 -d data.npy -i indices.npy -u updates.npy -r sum -o out.npy",
    "tscatter ScatterUpdate-3 -d 3x5xf32=0 -i '[0, 2]' -u 3x2xf32=1 -a 1"};

constexpr std::string_view messages_line = "\n-v, -q and --color: tscatter help messages\n";

std::string example_lines(const auto& examples, std::size_t width) {
  std::string text;
  for (const std::string_view example : examples) text += wrapped_command(example, width);
  return text;
}

std::string examples_block(const auto& examples, const HelpLayout& layout) {
  if (layout.form == HelpForm::brief) return {};
  return "\nExamples\n" + example_lines(examples, layout.width);
}

std::string row(std::string_view left, std::string_view help) {
  return fmt::format("  {:<22}  {}\n", left, help);
}

std::string argument_block(std::span<const Argument> arguments) {
  std::string text = arguments.empty() ? "" : "\nArguments\n";
  for (const Argument& argument : arguments) text += row(argument.name, argument.help);
  return text;
}

// Groups in the order of their first flags.
std::string group_blocks(std::span<const Flag> flags) {
  std::vector<std::string> groups;
  for (const Flag& flag : flags) {
    if (std::ranges::count(groups, flag.group) == 0) groups.push_back(flag.group);
  }
  std::string text;
  for (const std::string& group : groups) {
    std::vector<Flag> members;
    std::ranges::copy_if(flags, std::back_inserter(members),
                         [&](const Flag& flag) { return flag.group == group; });
    text += fmt::format("\n{}\n{}", group, flag_lines(members));
  }
  return text;
}

// --help and -h; the flags for messages have a topic.
std::string help_block(const std::vector<Flag>& flags) {
  std::vector<Flag> help;
  std::ranges::copy_if(flags, std::back_inserter(help),
                       [](const Flag& flag) { return flag.group == "Help"; });
  return group_blocks(help);
}

std::string command_block(std::span<const Command> commands, CommandGroup group,
                          std::string_view heading) {
  std::string text = fmt::format("\n{}\n", heading);
  for (const Command& command : commands) {
    if (command.group == group)
      text += fmt::format("  {:<20}  {}\n", command.name, command.summary);
  }
  return text;
}

std::string usage_line(const Command& command, const Operation* operation,
                       std::span<const Argument> arguments) {
  std::string text = fmt::format("usage: tscatter {}", command.name);
  if (command.takes_operation)
    text += fmt::format(" {}", operation ? operation->name : "OPERATION");
  text += " [flags]";
  for (const Argument& argument : arguments)
    text +=
        fmt::format(" {}{}", argument.name, argument.occurrence == Occurrence::repeated ? "…" : "");
  return text + "\n";
}

// For a command that was given no operation.
std::string operation_lines(const Command& command) {
  std::vector<std::string_view> names;
  for (const Operation* operation : operations()) names.push_back(operation->name);
  return fmt::format(
      "OPERATION is one of {}\nThe flags below are those of {}; tscatter {} OPERATION --help has "
      "each one's.\n",
      fmt::join(names, ", "), operation_for_help().name, command.name);
}

}  // namespace

const Operation& operation_for_help() { return *find_operation("ScatterNDUpdate"); }

std::string names_of(const Flag& flag) {
  if (flag.letter == 0) return "--" + flag.name;
  if (flag.name.empty()) return fmt::format("-{}", flag.letter);
  return fmt::format("-{},--{}", flag.letter, flag.name);
}

std::string flag_lines(std::span<const Flag> flags) {
  std::string text;
  for (const Flag& flag : flags) {
    const std::string names = names_of(flag);
    text += row(flag.value.empty() ? names : fmt::format("{} {}", names, flag.value), flag.help);
  }
  return text;
}

std::string introduction(std::size_t width) {
  return wrapped(fmt::format("tscatter {}.\n\n", purpose), width) +
         example_lines(program_examples, width) +
         wrapped("\ntscatter --help says more, tscatter ops lists the operations.\n", width);
}

std::string program_help(std::span<const Command> commands, const HelpLayout& layout) {
  ProgramFlags flags;
  std::string text = "\nusage: tscatter COMMAND [flags]\n" +
                     command_block(commands, CommandGroup::operations, "Operations") +
                     command_block(commands, CommandGroup::commands, "Commands") +
                     help_block(program_flags(flags));
  if (layout.form == HelpForm::full) {
    text += fmt::format("\nTopics (tscatter help TOPIC)\n  {}\n", fmt::join(topic_names(), ", "));
  }
  return wrapped(fmt::format("tscatter {}\n", purpose), layout.width) +
         examples_block(program_examples, layout) +
         wrapped(text.append(messages_line), layout.width);
}

std::string command_help(const Command& command, const Operation* operation,
                         const HelpLayout& layout) {
  const bool is_general = command.takes_operation && operation == nullptr;
  const Operation* shown = command.takes_operation ? operation : command.operation;
  const Invocation invocation = command.bind(is_general ? &operation_for_help() : shown);
  ProgramFlags flags;
  std::string text = "\n" + usage_line(command, operation, invocation.arguments) +
                     (is_general ? operation_lines(command) : std::string()) +
                     argument_block(invocation.arguments) + group_blocks(invocation.flags) +
                     help_block(common_flags(flags));
  return wrapped(fmt::format("{}\n", command.summary), layout.width) +
         examples_block(command.examples, layout) +
         wrapped(text.append(messages_line), layout.width);
}

}  // namespace tscatter::app
