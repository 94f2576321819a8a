// Help, made from the descriptions of commands: examples first, then flags in groups.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command.hpp"
#include "cli/program_flags.hpp"

namespace tscatter::app {

// How help is printed: HelpForm::brief omits the examples.
struct HelpLayout {
  HelpForm form = HelpForm::full;
  std::size_t width = 80;
};

// What tscatter does, in a line.
inline constexpr std::string_view purpose =
    "applies scatter operations to tensor files, exactly, in order and in bounded memory";

// What tscatter prints without arguments.
std::string introduction(std::size_t width);

std::string program_help(std::span<const Command> commands, const HelpLayout& layout);

// `operation`: the one that the command was given; nullptr if none was.
std::string command_help(const Command& command, const Operation* operation,
                         const HelpLayout& layout);

// The operation whose flags the help shows for a command that takes any operation.
const Operation& operation_for_help();

// The command's flags, and those of a case in the place of its operands that are not among them.
// Their targets are not to be used.
std::vector<Flag> shown_flags(const Command& command, std::vector<Flag> flags);

std::string names_of(const Flag& flag);  // "-d,--data"

// A line for each flag, without a heading.
std::string flag_lines(std::span<const Flag> flags);

}  // namespace tscatter::app
