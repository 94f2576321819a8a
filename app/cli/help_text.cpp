#include "cli/help_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "tscatter/ops/operation.hpp"

namespace tscatter::app {
namespace {

constexpr std::array<std::string_view, 4> program_examples{
    "tscatter set 'a.npy[ids.npy]' rows.npy --in-place",
    "tscatter add 'a.npy[ids.npy]' x.npy -o b.npy",
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

struct Row {
  std::string name;
  std::string help;
};

struct Block {
  std::string heading;
  std::vector<Row> rows = {};
};

// The rows of all blocks stand in the same two columns.
std::string blocks_text(std::span<const Block> blocks) {
  std::size_t column = 0;
  for (const Block& block : blocks) {
    for (const Row& row : block.rows) column = std::max(column, row.name.size());
  }
  std::string text;
  for (const Block& block : blocks) {
    if (!block.heading.empty()) text += fmt::format("\n{}\n", block.heading);
    for (const Row& row : block.rows)
      text += fmt::format("  {:<{}}  {}\n", row.name, column, row.help);
  }
  return text;
}

Row row_of(const Flag& flag) {
  const std::string names = names_of(flag);
  return {.name = flag.value.empty() ? names : fmt::format("{} {}", names, flag.value),
          .help = flag.help.text()};
}

void add_arguments(std::vector<Block>& blocks, std::span<const Argument> arguments) {
  if (arguments.empty()) return;
  Block& block = blocks.emplace_back(Block{.heading = "Arguments"});
  for (const Argument& argument : arguments)
    block.rows.push_back({.name = argument.name, .help = argument.help});
}

// Groups in the order of their first flags.
void add_groups(std::vector<Block>& blocks, std::span<const Flag> flags) {
  for (const Flag& flag : flags) {
    auto block = std::ranges::find(blocks, flag.group, &Block::heading);
    if (block == blocks.end())
      block = blocks.insert(blocks.end(), Block{.heading = std::string(flag.group)});
    block->rows.push_back(row_of(flag));
  }
}

// --help and -h; the flags for messages have a topic.
void add_help(std::vector<Block>& blocks, const std::vector<Flag>& flags) {
  std::vector<Flag> help;
  std::ranges::copy_if(flags, std::back_inserter(help),
                       [](const Flag& flag) { return flag.group == "Help"; });
  add_groups(blocks, help);
}

Block block_of(std::span<const Command> commands, CommandGroup group, std::string heading) {
  Block block{.heading = std::move(heading)};
  for (const Command& command : commands) {
    if (command.group == group)
      block.rows.push_back(
          {.name = std::string(command.name), .help = std::string(command.summary)});
  }
  return block;
}

std::string usage_line(const Command& command, const NamedOperation& named,
                       std::span<const Argument> arguments) {
  std::string text = fmt::format("usage: tscatter {}", command.name);
  if (command.takes_operation)
    text += fmt::format(" {}", named.operation == nullptr ? "OPERATION" : named.name());
  text += " [flags]";
  for (const Argument& argument : arguments) {
    const std::string_view more = argument.occurrence == Occurrence::repeated ? "…" : "";
    const bool is_optional = argument.presence == Presence::optional;
    text += fmt::format(fmt::runtime(is_optional ? " [{}{}]" : " {}{}"), argument.name, more);
  }
  if (command.bind_case)
    text += fmt::format("\n       tscatter {} [flags] --case NAME CASES (a case of a batch)",
                        command.name);
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

std::vector<Flag> shown_flags(const Command& command, std::vector<Flag> flags) {
  if (!command.bind_case) return flags;
  for (Flag& flag : command.bind_case().flags) {
    if (std::ranges::count(flags, flag.name, &Flag::name) == 0) flags.push_back(std::move(flag));
  }
  return flags;
}

std::string names_of(const Flag& flag) {
  if (flag.letter == 0) return "--" + flag.name;
  if (flag.name.empty()) return fmt::format("-{}", flag.letter);
  return fmt::format("-{},--{}", flag.letter, flag.name);
}

std::string flag_lines(std::span<const Flag> flags) {
  Block block;
  for (const Flag& flag : flags) block.rows.push_back(row_of(flag));
  return blocks_text({&block, 1});
}

std::string introduction(std::size_t width) {
  return wrapped(fmt::format("tscatter {}.\n\n", purpose), width) +
         example_lines(program_examples, width) +
         wrapped("\ntscatter --help says more, tscatter ops lists the operations.\n", width);
}

std::string program_help(std::span<const Command> commands, const HelpLayout& layout) {
  ProgramFlags flags;
  std::vector<Block> blocks{block_of(commands, CommandGroup::words, "NumPy's indexing"),
                            block_of(commands, CommandGroup::operations, "Operations"),
                            block_of(commands, CommandGroup::commands, "Commands")};
  add_help(blocks, program_flags(flags));
  std::string text = "\nusage: tscatter COMMAND [flags]\n" + blocks_text(blocks);
  if (layout.form == HelpForm::full) {
    text += fmt::format("\nTopics (tscatter help TOPIC)\n  {}\n", fmt::join(topic_names(), ", "));
  }
  return wrapped(fmt::format("tscatter {}\n", purpose), layout.width) +
         examples_block(program_examples, layout) +
         wrapped(text.append(messages_line), layout.width);
}

std::string command_help(const Command& command, const NamedOperation& named,
                         const HelpLayout& layout) {
  const bool is_general = command.takes_operation && named.operation == nullptr;
  const Invocation invocation = is_general                ? command.bind(&operation_for_help())
                                : command.takes_operation ? bound_to(command, named)
                                                          : command.bind(command.operation);
  ProgramFlags flags;
  std::vector<Block> blocks;
  add_arguments(blocks, invocation.arguments);
  add_groups(blocks, shown_flags(command, invocation.flags));
  add_help(blocks, common_flags(flags));
  std::string text = "\n" + usage_line(command, named, invocation.arguments) +
                     (is_general ? operation_lines(command) : std::string()) + blocks_text(blocks);
  return wrapped(fmt::format("{}\n", command.summary), layout.width) +
         examples_block(command.examples, layout) +
         wrapped(text.append(messages_line), layout.width);
}

}  // namespace tscatter::app
