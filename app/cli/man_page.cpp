#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "cli/command.hpp"
#include "cli/help_text.hpp"
#include "process/version.hpp"
#include "tscatter/core/ascii.hpp"

namespace tscatter::app {
namespace {

// A text as roff prints it: a hyphen is one that can be copied, and no line is a request.
std::string plain_roff(std::string_view text) {
  std::string roff;
  bool is_line_begin = true;
  for (const char c : text) {
    if (is_line_begin && (c == '.' || c == '\'')) roff += "\\&";
    is_line_begin = c == '\n';
    if (c == '\\') {
      roff += "\\e";
    } else if (c == '-') {
      roff += "\\-";
    } else {
      roff += c;
    }
  }
  return roff;
}

std::string in_capitals(std::string_view text) {
  std::string capitals;
  for (const char c : text) capitals += c == '-' ? ' ' : upper(c);
  return capitals;
}

std::string section(std::string_view title) { return fmt::format(".SH {}\n", in_capitals(title)); }

std::string paragraph(std::string_view term, std::string_view text) {
  return fmt::format(".TP\n{}\n{}\n", term, plain_roff(text));
}

std::string flag_term(const Flag& flag) {
  std::string term = fmt::format("\\fB{}\\fR", plain_roff(names_of(flag)));
  if (!flag.value.empty()) term += fmt::format(" \\fI{}\\fR", plain_roff(flag.value));
  return term;
}

std::string flag_paragraphs(std::span<const Flag> flags) {
  std::string text;
  for (const Flag& flag : flags) text += paragraph(flag_term(flag), flag.help.text());
  return text;
}

std::string example(std::span<const std::string> lines) {
  std::string text = lines.empty() ? "" : ".PP\n.EX\n";
  for (const std::string& line : lines) text += plain_roff(line) + "\n";
  return lines.empty() ? text : text + ".EE\n";
}

std::string subsection(const Command& command) {
  const Operation* operation = command.takes_operation ? &operation_for_help() : command.operation;
  const Invocation invocation = command.bind(operation);
  std::string text =
      fmt::format(".SS {}\n{}\n", plain_roff(command.name), plain_roff(command.summary));
  for (const Argument& argument : invocation.arguments)
    text += paragraph(fmt::format("\\fI{}\\fR", argument.name), argument.help);
  return text + flag_paragraphs(shown_flags(command, invocation.flags)) + example(command.examples);
}

std::string commands_of(std::span<const Command> commands, CommandGroup group,
                        std::string_view title) {
  std::string text = section(title);
  for (const Command& command : commands) {
    if (command.group == group) text += subsection(command);
  }
  return text;
}

std::string topic_sections() {
  std::string text;
  for (const std::string_view name : topic_names())
    text += fmt::format("{}.nf\n{}.fi\n", section(name), plain_roff(*topic_text(name)));
  return text;
}

}  // namespace

std::string man_page(std::span<const Command> commands) {
  ProgramFlags flags;
  return fmt::format(
             ".TH TSCATTER 1 \"\" \"tscatter {}\" \"User Commands\"\n{}tscatter \\- {}\n{}"
             ".B tscatter\n.I OPERATION\n.RI [ flags ]\n.br\n.B tscatter\n.I COMMAND\n.RI [ flags "
             "]\n",
             version(), section("name"), plain_roff(purpose), section("synopsis")) +
         section("flags of all commands") + flag_paragraphs(program_flags(flags)) +
         commands_of(commands, CommandGroup::words, "numpy's indexing") +
         commands_of(commands, CommandGroup::operations, "operations") +
         commands_of(commands, CommandGroup::commands, "commands") + topic_sections();
}

}  // namespace tscatter::app
