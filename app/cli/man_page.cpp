#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/command.hpp"
#include "cli/help_text.hpp"
#include "process/version.hpp"
#include "tscatter/core/characters.hpp"

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

// The paragraphs that `shown` has not yet, which are added to it. Without blank lines between them.
std::string new_paragraphs(const std::vector<std::string>& paragraphs,
                           std::set<std::string>& shown) {
  std::string text;
  for (const std::string& each : paragraphs) {
    if (shown.insert(each).second) text += each;
  }
  return text.empty() ? text : ".PD 0\n" + text + ".PD\n";
}

std::string flag_paragraph(const Flag& flag) {
  return paragraph(flag_term(flag), flag.help.text());
}

std::string flag_paragraphs(std::span<const Flag> flags, std::set<std::string>& shown) {
  std::vector<std::string> paragraphs;
  for (const Flag& flag : flags) paragraphs.push_back(flag_paragraph(flag));
  return new_paragraphs(paragraphs, shown);
}

std::string example(std::span<const std::string> lines) {
  std::string text = lines.empty() ? "" : ".PP\n.EX\n";
  for (const std::string& line : lines) text += plain_roff(line) + "\n";
  return lines.empty() ? text : text + ".EE\n";
}

// "As above: --json, --wait": the flags that `shown` has.
std::string flags_above(std::span<const Flag> flags, const std::set<std::string>& shown) {
  std::vector<std::string> above;
  for (const Flag& flag : flags) {
    if (shown.contains(flag_paragraph(flag))) above.push_back(plain_roff(names_of(flag)));
  }
  return above.empty() ? "" : fmt::format(".PP\nAs above: {}\n", fmt::join(above, ", "));
}

// A word or a command. The arguments and flags in `shown` are not explained again.
std::string subsection(const Command& command, std::set<std::string>& shown) {
  const Invocation shown_here = shown_invocation(command);
  const std::vector<Flag>& flags = shown_here.flags;
  std::vector<std::string> arguments;
  for (const Argument& argument : shown_here.arguments)
    arguments.push_back(paragraph(fmt::format("\\fI{}\\fR", argument.name), argument.help));
  std::string text = fmt::format(".SS {}\n{}\n{}", plain_roff(command.name),
                                 plain_roff(command.summary), new_paragraphs(arguments, shown));
  const std::string above = flags_above(flags, shown);
  text += flag_paragraphs(flags, shown);
  return command.group == CommandGroup::words ? text : text + above;
}

std::string subsections(std::span<const Command> commands, CommandGroup group,
                        std::set<std::string>& shown) {
  std::string text;
  for (const Command& command : commands) {
    if (command.group == group) text += subsection(command, shown);
  }
  return text;
}

bool is_of_operations(const Command& command) {
  return command.group == CommandGroup::words || command.group == CommandGroup::operations;
}

// The flags of more than one operation that are not its operands and attributes: those of set, the
// first word, and what other operations have beside their own words.
std::vector<Flag> shared_flags(std::span<const Command> commands) {
  std::vector<Flag> shared;
  for (const Command& command : commands) {
    if (!is_of_operations(command)) continue;
    for (Flag& flag : shown_invocation(command).flags) {
      const bool is_own = flag.group == "Operands" && command.group == CommandGroup::operations;
      if (!is_own && std::ranges::count(shared, flag.name, &Flag::name) == 0)
        shared.push_back(std::move(flag));
    }
  }
  return shared;
}

// " -d,--input TENSOR …": those that are an operation's own.
std::string own_flags(const Command& command, std::span<const Flag> shared) {
  std::string text;
  for (const Flag& flag : shown_invocation(command).flags) {
    if (std::ranges::count(shared, flag.name, &Flag::name) == 0) text += " " + flag_term(flag);
  }
  return text;
}

// "torch.scatter, torch.scatter_add -d,--input TENSOR …": neighbours with the same flags share one.
std::string operation_lines(std::span<const Command> commands, std::span<const Flag> shared) {
  std::string text =
      "What an operation is given, by the names that its library uses. tscatter NAME \\-\\-help "
      "says\nwhat each is, tscatter ops NAME what the operation does.\n.PP\n";
  std::string of_line;
  for (const Command& command : commands) {
    if (command.group != CommandGroup::operations) continue;
    const std::string own = own_flags(command, shared);
    if (!of_line.empty()) text += own == of_line ? ", " : of_line + "\n.br\n";
    text += fmt::format("\\fB{}\\fR", plain_roff(command.name));
    of_line = own;
  }
  return text + of_line + "\n";
}

// The first example of each word and command.
std::string examples(std::span<const Command> commands) {
  std::vector<std::string> lines;
  for (const Command& command : commands) {
    const bool is_shown =
        command.group == CommandGroup::words || command.group == CommandGroup::commands;
    if (is_shown && !command.examples.empty()) lines.push_back(command.examples.front());
  }
  return example(lines);
}

std::string topic_sections() {
  std::string text;
  for (const std::string_view name : topic_names()) {
    if (name != "rules")
      text += fmt::format("{}.nf\n{}.fi\n", section(name), plain_roff(*topic_text(name)));
  }
  return text;
}

}  // namespace

std::string man_page(std::span<const Command> commands) {
  ProgramFlags flags;
  std::set<std::string> shown;
  const std::vector<Flag> shared = shared_flags(commands);
  std::string text = fmt::format(
      ".TH TSCATTER 1 \"\" \"tscatter {}\" \"User Commands\"\n{}tscatter \\- {}\n{}"
      ".B tscatter\n.I WORD\n.RI [ flags ]\n.I DATA[INDEX] VALUES\n.br\n"
      ".B tscatter\n.I OPERATION\n.RI [ flags ]\n.br\n"
      ".B tscatter\n.I COMMAND\n.RI [ flags ]\n",
      version(), section("name"), plain_roff(purpose), section("synopsis"));
  text += section("examples") + examples(commands);
  text += section("flags of all commands") + flag_paragraphs(program_flags(flags), shown);
  text += section("flags of words and operations") + flag_paragraphs(shared, shown);
  text += section("words") + "Each has the flags of words and operations, above.\n" +
          subsections(commands, CommandGroup::words, shown);
  text += section("commands") + subsections(commands, CommandGroup::commands, shown);
  text += section("operations") + operation_lines(commands, shared);
  return text + topic_sections();
}

}  // namespace tscatter::app
