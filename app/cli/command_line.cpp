#include "cli/command_line.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>
#include <utility>

#include "cli/command.hpp"
#include "cli/help_text.hpp"
#include "cli/parser.hpp"
#include "jobs/index_items.hpp"
#include "jobs/result.hpp"
#include "process/environment.hpp"
#include "process/log.hpp"
#include "process/version.hpp"
#include "tscatter/core/fail.hpp"
#include "tscatter/core/nearest.hpp"
#include "tscatter/ops/names/registry.hpp"
#include "tscatter/ops/operation.hpp"

namespace tscatter::app {

CommandLine::CommandLine(std::span<const Command> commands, const std::vector<std::string>& words)
    : commands_{commands}, is_empty_{words.empty()} {
  read_program_flags(words);
}

void CommandLine::note(const Error& error) {
  if (!error_) error_ = error;
}

void CommandLine::read_program_flags(Words words) {
  const FlagTable table{.name = "tscatter", .arguments = {}, .flags = program_flags(program_)};
  const Parsed parsed = parse(table, words, Stop::at_command);
  is_json_ = parsed.is_json;
  if (parsed.error) note(*parsed.error);
  if (parsed.words < words.size()) return read_command(words.subspan(parsed.words));
  // cli.c3
  missing_error_.emplace(ErrorKind::usage, "cli.c3", "command line",
                         "a command is missing (tscatter --help lists them)");
}

namespace {

struct PythonAssignment {
  std::string_view sign;
  std::string_view verb;
};
constexpr std::array assignments{PythonAssignment{"+=", "add"}, PythonAssignment{"-=", "sub"},
                                 PythonAssignment{"*=", "mul"}, PythonAssignment{"&=", "and"},
                                 PythonAssignment{"|=", "or"},  PythonAssignment{"^=", "xor"},
                                 PythonAssignment{"=", "set"}};

// " (write tscatter add 'a.npy[0]' 3)" for a.npy[0] += 3, in one word or in three; "" for others.
std::string assignment_hint(std::span<const std::string> words) {
  const std::string text = fmt::format("{}", fmt::join(words, ""));
  for (const auto& [sign, verb] : assignments) {
    const std::size_t at = text.find(fmt::format("]{}", sign));
    const bool is_it = at != std::string::npos && at + 1 + sign.size() < text.size() &&
                       text[at + 1 + sign.size()] != '=' && text.find('[') < at;
    if (!is_it) continue;
    return fmt::format(" (write tscatter {} '{}' {})", verb, text.substr(0, at + 1),
                       text.substr(at + 1 + sign.size()));
  }
  return {};
}

// What the first word may have meant: of a file, ls means show.
std::string first_word_hint(std::span<const std::string> words,
                            const std::vector<std::string>& others) {
  if (std::string hint = assignment_hint(words); !hint.empty()) return hint;
  std::error_code error;
  std::string hint = unknown_operation_hint(words.front(), others, "see tscatter --help");
  const bool has_file = words.size() > 1 && std::filesystem::exists(words[1], error);
  return has_file && hint == " (use ops)" ? " (use show)" : hint;
}

}  // namespace

void CommandLine::read_command(Words words) {
  const std::string& word = words.front();
  command_ = find_command(commands_, word);
  if (command_ == nullptr && error_) return;  // a flag before it is wrong
  if (command_ == nullptr) {
    std::vector<std::string> others = command_names(commands_);
    others.emplace_back("--version");
    // cli.c1
    name_error_.emplace(
        ErrorKind::usage, "cli.c1", "command line",
        fmt::format("the first word must be a command or an operation{}, got {}",
                    first_word_hint(words, others), word.empty() ? "an empty one" : word));
  } else if (command_->bind_case && has_case(words)) {
    invocation_ = command_->bind_case();
    is_of_case_ = true;
  } else if (command_->takes_operation) {
    return read_operation(words.subspan(1));
  } else {
    invocation_ = command_->bind(command_->operation);
  }
  read_flags(words.subspan(1));
}

void CommandLine::read_operation(Words words) {
  const bool is_given = !words.empty() && !words.front().starts_with('-');
  if (is_given) {
    named_ = named_operation(words.front());
    // cli.c1
    if (named_.operation == nullptr) {
      std::vector<std::string> others;
      for (const IndexVerb& each : index_verbs()) others.emplace_back(each.word);
      name_error_.emplace(
          ErrorKind::usage, "cli.c1", command_->name,
          fmt::format("the next word must be an operation{}, got {}",
                      unknown_operation_hint(words.front(), others, "see tscatter ops"),
                      words.front()));
    }
  } else {
    // cli.c3
    missing_error_.emplace(
        ErrorKind::usage, "cli.c3", command_->name,
        words.empty()
            ? std::string("an operation is missing (tscatter ops lists them)")
            : fmt::format("an operation must come first (tscatter ops lists them), got {}",
                          words.front()));
  }
  invocation_ = bound_to(*command_, {.operation = shown_operation(), .word = named_.word});
  read_flags(words.subspan(is_given ? 1 : 0));
}

const Operation* CommandLine::shown_operation() const {
  if (command_ == nullptr || named_.operation != nullptr || is_of_case_) return named_.operation;
  return command_->takes_operation ? &operation_for_help() : command_->operation;
}

// What --help is asked of, in hints.
std::string CommandLine::usage() const {
  if (command_ == nullptr) return "tscatter";
  return named_.word.empty() ? fmt::format("tscatter {}", command_->name)
                             : fmt::format("tscatter {} {}", command_->name, named_.word);
}

void CommandLine::read_flags(Words words) {
  FlagTable table{.name = std::string(named_.operation != nullptr ? named_.name()
                                      : command_ != nullptr       ? command_->name
                                                                  : "tscatter"),
                  .usage = usage(),
                  .operation = shown_operation(),
                  .arguments = invocation_.arguments,
                  .flags = common_flags(program_)};
  table.flags.insert(table.flags.end(), invocation_.flags.begin(), invocation_.flags.end());
  const Parsed parsed = parse(table, words);
  is_json_ = is_json_ || parsed.is_json;
  if (parsed.error) note(*parsed.error);
}

void CommandLine::print_help() const {
  const HelpLayout layout{.form = *program_.help, .width = terminal_width()};
  print(command_ == nullptr ? program_help(commands_, layout)
                            : command_help(*command_, named_, layout));
}

int CommandLine::run() const {
  if (is_empty_) {
    print(introduction(terminal_width()));
    return 0;
  }
  if (name_error_) throw Error(*name_error_);
  if (program_.help) {
    print_help();
    return 0;
  }
  if (command_ != nullptr && missing_error_) throw Error(*missing_error_);
  if (program_.wants_version) {
    print(version_text());
    return 0;
  }
  if (error_) throw Error(*error_);
  if (missing_error_) throw Error(*missing_error_);
  const Messages& messages = program_.messages;
  set_up_log(messages.is_quiet ? 0 : messages.verbosity, messages.color);
  const bool is_shown = !messages.is_quiet && command_->progress_by == ProgressBy::program;
  const ProgressLine progress(is_shown ? ShowProgress::on_terminals : ShowProgress::no);
  return invocation_.run(messages);
}

const Command* find_command(std::span<const Command> commands, const std::string& word) {
  const Operation* operation = find_operation(word);
  const auto is_meant = [&](const Command& command) {
    if (operation != nullptr) return command.operation == operation;
    return folded(command.name) == folded(word);
  };
  const auto found = std::ranges::find_if(commands, is_meant);
  return found == commands.end() ? nullptr : &*found;
}

NamedOperation named_operation(const std::string& name) {
  const auto verb = std::ranges::find(index_verbs(), folded(name), &IndexVerb::word);
  if (verb == index_verbs().end()) return {.operation = find_operation(name)};
  return {.operation = find_operation(verb->operation), .word = verb->word};
}

Invocation bound_to(const Command& command, const NamedOperation& named) {
  const bool is_word = !named.word.empty() && command.bind_word;
  return is_word ? command.bind_word(named.operation) : command.bind(named.operation);
}

bool has_case(std::span<const std::string> words) {
  return std::ranges::any_of(words, [](const std::string& word) {
    return word == "--case" || word.starts_with("--case=");
  });
}

std::vector<std::string> command_names(std::span<const Command> commands) {
  std::vector<std::string> names;
  for (const Command& command : commands) {
    if (command.group != CommandGroup::hidden) names.emplace_back(command.name);
  }
  return names;
}

}  // namespace tscatter::app
