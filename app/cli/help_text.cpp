#include "cli/help_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <span>
#include <utility>
#include <vector>

#include "tscatter/ops/names/namespaces.hpp"
#include "tscatter/ops/operation.hpp"

namespace tscatter::app {
namespace {

struct ProgramExample {
  std::string_view line;
  std::string_view meaning;
};

constexpr std::array<ProgramExample, 6> program_examples{{
    {"tscatter set 'a.npy[ids.npy]' rows.npy --in-place", "a[ids] = rows, in the file itself"},
    {"tscatter add 'm.safetensors:w[ids.npy]' x.npy --in-place", "np.add.at(w, ids, x)"},
    {"tscatter set 'a.npy[< 0]' 0 -o b.npy", "a[a < 0] = 0, as a new file"},
    {"tscatter get 'a.npy[ids.npy, ::2]' -o b.npy", "b = a[ids, ::2]"},
    {"tscatter compare results golden", "the files of two folders"},
    {"tscatter verify add 'a.npy[ids.npy]' x.npy --actual gpu.npy",
     "is gpu.npy right, in some order of the sums?"},
}};

constexpr std::string_view messages_line = "\n-v, -q and --color: tscatter help messages\n";

// Each example, and below it what it does.
std::string program_example_lines(std::size_t width) {
  std::string text;
  for (const ProgramExample& each : program_examples)
    text +=
        wrapped_command(each.line, width) + wrapped(fmt::format("      {}\n", each.meaning), width);
  return text;
}

std::string example_lines(std::span<const std::string> examples, std::size_t width) {
  std::string text;
  for (const std::string& example : examples) text += wrapped_command(example, width);
  return text;
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

// "ScatterND-18": without the namespace.
std::string_view own_name(const names::Namespace& space, std::string_view name) {
  return name.starts_with(space.name) ? name.substr(space.name.size() + 1) : name;
}

// The newest version of each operation, a row for each library.
Block operations_block() {
  Block block{.heading = "Operations, by library (tscatter ops says what each does)"};
  for (const names::Namespace* space : names::all) {
    std::vector<std::string_view> newest;
    std::string_view before;  // the name of the last one without its version
    for (const Operation& each : space->operations) {
      const std::string_view name = own_name(*space, each.name);
      const std::string_view unversioned = name.substr(0, name.find('-'));
      if (unversioned == before) newest.pop_back();
      before = unversioned;
      newest.push_back(name);
    }
    block.rows.push_back(
        {.name = std::string(space->name), .help = fmt::format("{}", fmt::join(newest, ", "))});
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
  return fmt::format(
      "OPERATION is a name that tscatter ops lists, or a word such as add\nThe flags below are "
      "those of "
      "{}; tscatter {} OPERATION --help has each one's.\n",
      operation_for_help().name, command.name);
}

}  // namespace

const Operation& operation_for_help() { return *find_operation("ScatterNDUpdate"); }

Invocation shown_invocation(const Command& command, const NamedOperation& named) {
  const Operation* const operation =
      command.takes_operation ? &operation_for_help() : command.operation;
  Invocation shown = command.takes_operation && named.operation != nullptr
                         ? bound_to(command, named)
                         : command.bind(operation);
  if (!command.bind_case) return shown;
  for (Flag& flag : command.bind_case().flags) {
    if (std::ranges::count(shown.flags, flag.name, &Flag::name) == 0)
      shown.flags.push_back(std::move(flag));
  }
  return shown;
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
  return wrapped(fmt::format("tscatter {}.\n\n", purpose), width) + program_example_lines(width) +
         wrapped("\ntscatter --help lists the commands, tscatter ops the operations.\n", width);
}

std::string program_help(std::span<const Command> commands, const HelpLayout& layout) {
  ProgramFlags flags;
  std::vector<Block> blocks{block_of(commands, CommandGroup::words, "NumPy's indexing"),
                            block_of(commands, CommandGroup::commands, "Commands"),
                            operations_block()};
  add_help(blocks, program_flags(flags));
  std::string text =
      "\nusage: tscatter set|add|… [flags] DATA[INDEX] VALUES\n       tscatter COMMAND|OPERATION "
      "[flags]\n" +
      blocks_text(blocks);
  if (layout.form == HelpForm::full) {
    text += fmt::format("\nTopics (tscatter help TOPIC)\n  {}\n", fmt::join(topic_names(), ", "));
  }
  return wrapped(fmt::format("tscatter {}\n", purpose), layout.width) +
         (layout.form == HelpForm::brief ? std::string()
                                         : "\nExamples\n" + program_example_lines(layout.width)) +
         wrapped(text.append(messages_line), layout.width);
}

std::string command_help(const Command& command, const NamedOperation& named,
                         const HelpLayout& layout) {
  const bool is_general = command.takes_operation && named.operation == nullptr;
  const Invocation invocation = shown_invocation(command, named);
  ProgramFlags flags;
  std::vector<Block> blocks;
  add_arguments(blocks, invocation.arguments);
  add_groups(blocks, invocation.flags);
  add_help(blocks, common_flags(flags));
  std::string text = "\n" + usage_line(command, named, invocation.arguments) +
                     (is_general ? operation_lines(command) : std::string()) + blocks_text(blocks);
  return wrapped(fmt::format("{}\n", command.summary), layout.width) +
         (layout.form == HelpForm::brief
              ? std::string()
              : "\nExamples\n" + example_lines(command.operation == nullptr
                                                   ? command.examples
                                                   : examples_of(*command.operation),
                                               layout.width)) +
         wrapped(text.append(messages_line), layout.width);
}

namespace {

constexpr std::size_t narrowest = 24;  // a column with less is not filled

// The layout of a line: the words' indent, and what precedes a line break.
struct Layout {
  std::size_t indent = 0;        // of the lines after the first
  std::string_view before = {};  // a line's break
  std::string line = {};         // the unfinished line
};

std::string filled(Layout layout, std::span<const std::string_view> words, std::size_t width) {
  std::string text;
  bool is_begun = layout.line.size() > layout.line.find_last_not_of(' ') + 1 || layout.line.empty();
  for (const std::string_view word : words) {
    const bool is_last = word.data() == words.back().data();
    const std::size_t needed =
        word.size() + (is_begun ? 0 : 1) + (is_last ? 0 : layout.before.size());
    const bool fits = layout.line.size() + needed <= width;
    if (!fits && layout.line.size() > layout.indent) {
      text += layout.line.substr(0, layout.line.find_last_not_of(' ') + 1);
      text.append(layout.before).append("\n");
      layout.line.assign(layout.indent, ' ');
      is_begun = true;
    }
    if (!is_begun) layout.line += ' ';
    layout.line += word;
    is_begun = false;
  }
  return text + layout.line + "\n";
}

std::vector<std::string_view> words_between(std::string_view text, std::size_t begin) {
  std::vector<std::string_view> words;
  while ((begin = text.find_first_not_of(' ', begin)) != std::string_view::npos) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    words.push_back(text.substr(begin, end - begin));
    begin = end;
  }
  return words;
}

// Where the text after the first column begins; the line's indent if it has no columns.
std::size_t text_column(std::string_view line, std::size_t indent) {
  const std::size_t gap = line.find("  ", indent);
  return gap == std::string_view::npos ? indent : line.find_first_not_of(' ', gap);
}

std::string wrapped_line(std::string_view line, std::size_t width) {
  if (line.size() <= width) return std::string(line) + "\n";
  constexpr std::size_t further = 4;
  const std::size_t indent = line.find_first_not_of(' ');
  const std::size_t column = text_column(line, indent);
  const bool is_narrow = column + narrowest > width;
  const Layout layout{.indent = is_narrow ? indent + further : column,
                      .line = std::string(line.substr(0, column))};
  return filled(layout, words_between(line, column), width);
}

// Splits as a shell does; quoted words keep their quotes and spaces.
std::vector<std::string_view> shell_words(std::string_view command) {
  std::vector<std::string_view> words;
  std::size_t begin = 0;
  bool is_quoted = false;
  for (std::size_t i = 0; i <= command.size(); ++i) {
    if (i < command.size() && command[i] == '\'') is_quoted = !is_quoted;
    if (i < command.size() && (is_quoted || command[i] != ' ')) continue;
    words.push_back(command.substr(begin, i - begin));
    begin = i + 1;
  }
  return words;
}

}  // namespace

std::string wrapped(std::string_view text, std::size_t width) {
  std::string lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines += wrapped_line(text.substr(0, end), width);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::string wrapped_command(std::string_view command, std::size_t width) {
  return filled({.indent = 6, .before = " \\", .line = "  "}, shell_words(command), width);
}

}  // namespace tscatter::app
