// Help, completion, the manual page and the documentation name the same flags.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <regex>
#include <set>
#include <sstream>

#include "app/process.hpp"
#include "catch.hpp"
#include "cli/command.hpp"
#include "cli/help_text.hpp"
#include "commands/commands.hpp"
#include "io/files.hpp"
#include "property/environment.hpp"

namespace tscatter {
namespace {

using Names = std::set<std::string>;

// The first group of each match.
Names found(const std::string& text, const std::string& pattern) {
  const std::regex regex(pattern, std::regex::multiline);
  Names names;
  for (std::sregex_iterator each(text.begin(), text.end(), regex), end; each != end; ++each)
    names.insert((*each)[1]);
  return names;
}

Names long_names(const std::vector<app::Flag>& flags) {
  Names names;
  for (const app::Flag& flag : flags) {
    if (!flag.name.empty()) names.insert("--" + flag.name);
  }
  return names;
}

std::vector<const app::Command*> shown_commands() {
  std::vector<const app::Command*> all;
  for (const app::Command& command : app::commands()) {
    if (command.group != app::CommandGroup::hidden) all.push_back(&command);
  }
  return all;
}

// "verify ScatterNDUpdate-15": a command takes the flags of its operation.
Strings words_of(const app::Command& command) {
  Strings words{std::string(command.name)};
  if (command.takes_operation) words.emplace_back(app::operation_for_help().name);
  return words;
}

const Operation* operation_of(const app::Command& command) {
  return command.takes_operation ? &app::operation_for_help() : command.operation;
}

std::vector<app::Flag> flags_in(const app::Command& command) {
  std::vector<app::Flag> flags = command.bind(operation_of(command)).flags;
  if (!command.bind_case) return flags;
  for (const app::Flag& flag : command.bind_case().flags) flags.push_back(flag);
  return flags;
}

Names flags_of(const app::Command& command) { return long_names(flags_in(command)); }

// With --help and those for messages, which each command has.
Names all_flags_of(const app::Command& command) {
  app::ProgramFlags program;
  Names names = flags_of(command);
  names.merge(long_names(app::common_flags(program)));
  return names;
}

std::string printed(Strings words) {
  const Result result = tscatter::Command(std::move(words)).run();
  CHECK(result.exit_code == 0);
  return result.out;
}

Names in_help(const app::Command& command) {
  Strings words = words_of(command);
  words.emplace_back("--help");
  Names names = found(printed(words), "^  (?:-.,)?(--[a-z0-9-]+)");
  names.merge(found(printed({"help", "messages"}), "^  (?:-.,)?(--[a-z0-9-]+)"));
  return names;
}

Names in_completion(const app::Command& command) {
  const std::string line = fmt::format("tscatter {} --", fmt::join(words_of(command), " "));
  return found(printed({"__complete", "bash", line}), "^(--[a-z0-9-]+)$");
}

// The page without what roff needs, by headings: ".SS verify" until the next.
std::string plain_page() {
  return std::regex_replace(printed({"help", "--format", "man"}), std::regex(R"(\\f[BIR]|\\&|\\)"),
                            "");
}

// The flags between two headings of the page, at the beginning of lines or after "As above: ".
Names in_section(const std::string& page, const std::string& heading) {
  const std::size_t begin = page.find("\n" + heading + "\n");
  if (begin == std::string::npos) return {};
  const std::string text = page.substr(begin, page.find("\n.S", begin + 2) - begin);
  Names names = found(text, "^(?:-.,)?(--[a-z0-9-]+)");
  const std::size_t above = text.find("\nAs above: ");
  if (above != std::string::npos) names.merge(found(text.substr(above), "(--[a-z0-9-]+)"));
  return names;
}

// Of an operation: its line in the section of operations, which it may share with others.
Names in_line(const std::string& page, const app::Command& command) {
  std::istringstream lines(page);
  for (std::string line; std::getline(lines, line);) {
    const std::string names = ", " + line.substr(0, line.find(" -")) + ", ";
    if (names.find(fmt::format(", {}, ", command.name)) != std::string::npos)
      return found(line, "(--[a-z0-9-]+)");
  }
  return {};
}

// A command has its flags in its own section. A word has them in the one of words and operations,
// an operation there and in its line.
Names in_page(const std::string& page, const app::Command& command) {
  if (command.group == app::CommandGroup::commands)
    return in_section(page, ".SS " + std::string(command.name));
  Names names = in_section(page, ".SH FLAGS OF WORDS AND OPERATIONS");
  if (command.group == app::CommandGroup::operations) names.merge(in_line(page, command));
  return names;
}

// Of all commands, and those before a command. Their targets are not to be used.
std::vector<app::Flag> all_flags() {
  app::ProgramFlags program;
  std::vector<app::Flag> all = app::program_flags(program);
  for (const app::Command* command : shown_commands()) {
    const std::vector<app::Flag> flags = flags_in(*command);
    all.insert(all.end(), flags.begin(), flags.end());
  }
  return all;
}

std::string documentation() {
  const std::filesystem::path root(TSCATTER_SOURCE_DIR);
  std::string text = read_file(root / "README.md");
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root / "docs"))
    if (entry.path().extension() == ".md") text += read_file(entry.path());
  return text;
}

Names missing_in(const Names& names, const Names& others) {
  Names missing;
  std::ranges::set_difference(names, others, std::inserter(missing, missing.end()));
  return missing;
}

}  // namespace

// The parser takes the first flag of a name.
TEST_CASE("flags: no two of a command have one name or letter", "[app]") {
  for (const app::Command* const command : shown_commands()) {
    app::ProgramFlags program;
    std::vector<app::Flag> flags = command->bind(operation_of(*command)).flags;
    for (app::Flag& flag : app::common_flags(program)) flags.push_back(std::move(flag));
    Names names;
    for (const app::Flag& flag : flags) {
      INFO(command->name << ": " << flag.name << " -" << flag.letter);
      if (!flag.name.empty()) CHECK(names.insert(flag.name).second);
      for (const std::string& alias : flag.aliases) CHECK(names.insert(alias).second);
      if (flag.letter != 0) CHECK(names.insert({'-', flag.letter}).second);
    }
  }
}

TEST_CASE("flags: help, completion and the manual page name those of the command", "[app]") {
  const std::string page = plain_page();
  const auto all = shown_commands();
  for (std::size_t i = 0; i < all.size(); i += property::is_slowed ? 3 : 1) {
    const app::Command* const command = all[i];
    INFO(command->name);
    CHECK(in_help(*command) == all_flags_of(*command));
    CHECK(in_completion(*command) == all_flags_of(*command));
    const Names on_page = in_page(page, *command);
    CHECK(missing_in(flags_of(*command), on_page) == Names{});
    if (command->group == app::CommandGroup::commands) CHECK(on_page == flags_of(*command));
    if (command->group != app::CommandGroup::operations) continue;
    const Names in_own_line = in_line(page, *command);
    CHECK_FALSE(in_own_line.empty());
    CHECK(missing_in(in_own_line, flags_of(*command)) == Names{});
  }
}

TEST_CASE("flags: the documentation names each by a name of it, and no other", "[app]") {
  const std::string text = documentation();
  Names documented = found(text, "(--[a-z][a-z0-9-]*)");
  documented.merge(found(text, "(?:^|[ `(])(-[a-zA-Z])(?![a-z-])"));
  Names accepted;
  for (const app::Flag& flag : all_flags()) {
    const Names names = {"--" + flag.name, fmt::format("-{}", flag.letter)};
    INFO(app::names_of(flag));
    CHECK(missing_in(names, documented) != names);
    accepted.insert("--" + flag.name);
    for (const std::string& alias : flag.aliases) accepted.insert("--" + alias);
  }
  // What follows tscatter in a command line, until a pipe or a comment.
  Names used;
  for (const std::string& line : found(text, R"(^(?:\$ |    )tscatter ([^|#\n]*))"))
    used.merge(found(line, "(?:^|[ [])(--[a-z][a-z0-9-]*)"));
  CHECK(missing_in(used, accepted) == Names{});
  CHECK(used.size() > 20);
}

}  // namespace tscatter
