// Help, made from the descriptions of commands: examples first, then flags in groups.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command.hpp"

namespace tscatter::app {

// How help is printed: HelpForm::brief omits the examples.
struct HelpLayout {
  HelpForm form = HelpForm::full;
  std::size_t width = 80;
};

// What tscatter does, in a line.
inline constexpr std::string_view purpose =
    "changes parts of arrays in files, with NumPy's indexing, and checks results of scatter "
    "operations";

// What tscatter prints without arguments.
std::string introduction(std::size_t width);

std::string program_help(std::span<const Command> commands, const HelpLayout& layout);

// `named`: the operation that the command was given, if one was.
std::string command_help(const Command& command, const NamedOperation& named,
                         const HelpLayout& layout);

// The operation whose flags the help shows for a command that takes any operation.
const Operation& operation_for_help();

// The command with this operation, if one is named, and with the flags that it has with --case
// only, too. For help: the targets of those must not be used.
Invocation shown_invocation(const Command& command, const NamedOperation& named = {});

std::string names_of(const Flag& flag);  // "-d,--data"

// A line for each flag, without a heading.
std::string flag_lines(std::span<const Flag> flags);

// tscatter help TOPIC: help that belongs to no single command.
std::vector<std::string_view> topic_names();

// Not wrapped. nullopt if there is no such topic. Ignores case, '-' and '_'.
std::optional<std::string> topic_text(std::string_view name);

// The topic rules, of these alone.
std::string rules_text(std::span<const Rule> rules);

// Breaks help into lines of a terminal's width, never inside a word. Continues each line that is
// too long below its own text: after the gap of two or more spaces that ends its first column, or
// at its indent. If that leaves too narrow a column, the text continues at the line's indent plus
// four.
std::string wrapped(std::string_view text, std::size_t width);

// A command line, indented by two spaces and broken between words with a \ for the shell.
std::string wrapped_command(std::string_view command, std::size_t width);

// The manual page, from the tables that --help is made of. In roff, with the macros of man(7).
std::string man_page(std::span<const Command> commands);

}  // namespace tscatter::app
