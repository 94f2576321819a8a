#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command.hpp"
#include "cli/help_text.hpp"
#include "cli/targets.hpp"
#include "commands/commands.hpp"
#include "jobs/result.hpp"
#include "jobs/rules.hpp"
#include "process/environment.hpp"
#include "tscatter/core/fail.hpp"
#include "tscatter/core/nearest.hpp"
#include "tscatter/ops/names/registry.hpp"

namespace tscatter::app {
namespace {

enum class HelpFile : bool { text, man };

struct HelpFlags {
  std::optional<std::string> topic;
  std::optional<std::string> prefix;
  HelpFile file = HelpFile::text;
};

[[noreturn]] void refuse_topic(const std::string& topic) {
  std::vector<std::string> known = command_names(commands());
  for (const std::string_view name : topic_names()) known.emplace_back(name);
  // cli.c9
  if (is_namespace(topic)) {
    fail(ErrorKind::usage, "cli.c9", "help",
         "must be a command or a topic (tscatter ops {} lists its operations), got {}", topic,
         topic);
  }
  // cli.c9
  fail(ErrorKind::usage, "cli.c9", "help", "must be a command or a topic{}, got {}",
       unknown_operation_hint(topic, known, "see tscatter help"), topic);
}

std::string help_on_prefix(const std::string& topic, std::string_view prefix) {
  // cli.c5
  if (folded(topic) != "rules") {
    fail(ErrorKind::usage, "cli.c5", "help", "takes at most TOPIC (rules takes a PREFIX), got {}",
         prefix);
  }
  if (prefix.ends_with('.')) prefix.remove_suffix(1);
  const std::vector<Rule> rules = rules_below(prefix);
  // cli.c9
  if (rules.empty()) {
    fail(ErrorKind::usage, "cli.c9", "help rules", "a prefix must be one of {}{}, got {}",
         fmt::join(label_prefixes(), ", "), nearest_hint(prefix, label_prefixes()),
         prefix.empty() ? "an empty one" : prefix);
  }
  return rules_text(rules);
}

std::string help_on(const HelpFlags& flags, const HelpLayout& layout) {
  // cli.c120
  if (flags.file == HelpFile::man && flags.topic) {
    fail(ErrorKind::usage, "cli.c120", "--format",
         "man, the page of everything, takes no topic, got {}", *flags.topic);
  }
  if (flags.file == HelpFile::man) return man_page(commands());
  if (!flags.topic) return program_help(commands(), layout);
  if (flags.prefix) return wrapped(help_on_prefix(*flags.topic, *flags.prefix), layout.width);
  if (const Command* command = find_command(commands(), *flags.topic))
    return command_help(*command, {}, layout);
  if (const auto text = topic_text(*flags.topic)) return wrapped(*text, layout.width);
  if (is_label(*flags.topic)) return wrapped(rules_text(rules_below(*flags.topic)), layout.width);
  refuse_topic(*flags.topic);
}

Invocation bind_help(const Operation*) {
  const auto flags = std::make_shared<HelpFlags>();
  return {.arguments = {{.name = "TOPIC",
                         .help = fmt::format("a command, the label of a message, or {}",
                                             fmt::join(topic_names(), ", ")),
                         .into = text(flags->topic),
                         .presence = Presence::optional},
                        {.name = "PREFIX",
                         .help = "with rules: only those whose labels begin with it, like st",
                         .into = text(flags->prefix),
                         .presence = Presence::optional}},
          .flags = {in_group(
              "Output",
              value_flag("format", "FORMAT",
                         "text (default), or man: the manual page, of all commands and topics",
                         one_of<HelpFile, HelpFile>(
                             flags->file, {{"text", HelpFile::text}, {"man", HelpFile::man}})))},
          .run = [flags](const Messages&) {
            print(help_on(*flags, {.form = HelpForm::full, .width = terminal_width()}));
            return 0;
          }};
}

}  // namespace

Command help_command() {
  return {.name = "help",
          .summary = "help on a command or a topic",
          .examples = {"tscatter help operands", "tscatter help ScatterUpdate-3",
                       "tscatter help rules st", "tscatter help --format man > tscatter.1"},
          .bind = bind_help};
}

}  // namespace tscatter::app
