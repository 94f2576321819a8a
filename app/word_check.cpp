#include "word_check.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <utility>

#include "tscatter/core/fail.hpp"
#include "tscatter/core/nearest.hpp"

namespace tscatter::app {
namespace {

class WordCheck {
 public:
  explicit WordCheck(const CommandWords& command) : command_{command} {}

  std::vector<std::string> check(std::span<const std::string> words) {
    bool only_arguments = false;
    for (std::size_t i = 0; i < words.size(); ++i) {
      const std::string& word = words[i];
      if (only_arguments || !is_flag(word)) {
        take_argument(word);
      } else if (word == "--") {
        only_arguments = true;
      } else if (word.starts_with("--")) {
        i += check_long(words, i);
      } else {
        i += check_short(words, i);
      }
    }
    return std::move(arguments_);
  }

 private:
  static bool is_flag(const std::string& word) {
    if (word.size() < 2 || word[0] != '-') return false;
    return !(word[1] >= '0' && word[1] <= '9') && word[1] != '.';
  }

  void take_argument(const std::string& word) {
    const std::vector<std::string>& positionals = command_.positionals;
    // cli.c5
    if (arguments_.size() == positionals.size()) {
      fail(ErrorKind::usage, "cli.c5", command_.app.get_name(), "must be followed by {}, got {}",
           positionals.empty() ? "flags only"
                               : fmt::format("at most {}", fmt::join(positionals, " ")),
           word);
    }
    arguments_.push_back(word);
  }

  // Both return how many further words the flag takes.
  std::size_t check_long(std::span<const std::string> words, std::size_t at) {
    const std::string name = words[at].substr(0, words[at].find('='));
    const CLI::Option& option = known_option(name);
    const bool has_value = name.size() < words[at].size();
    if (!takes_value(option)) {
      if (has_value)
        refuse_value(name, "must be given without a value", words[at].substr(name.size() + 1));
      return 0;
    }
    if (has_value) {
      check_value(option, name, words[at].substr(name.size() + 1));
      return 0;
    }
    if (is_left_out(option, words.subspan(at + 1))) return 0;
    check_value(option, name, next_word(words, at, name));
    return 1;
  }

  std::size_t check_short(std::span<const std::string> words, std::size_t at) {
    for (std::size_t i = 1; i < words[at].size(); ++i) {
      const std::string name = std::string("-") + words[at][i];
      const CLI::Option& option = known_option(name);
      if (!takes_value(option)) continue;
      const bool is_last = i + 1 == words[at].size();
      if (is_last && is_left_out(option, words.subspan(at + 1))) return 0;
      check_value(option, name, is_last ? next_word(words, at, name) : words[at].substr(i + 1));
      return is_last ? 1 : 0;
    }
    return 0;
  }

  static bool is_repeatable(const CLI::Option& option) {
    return option.get_items_expected_max() > 1;
  }
  // Whether the flag may do without a value, and does: what follows is none of its own.
  bool is_left_out(const CLI::Option& option, std::span<const std::string> behind) const {
    if (option.get_items_expected_min() > 0) return false;
    const auto choices = command_.choices.find(&option);
    return behind.empty() || choices == command_.choices.end() ||
           std::ranges::count(choices->second, behind.front()) == 0;
  }
  static bool takes_value(const CLI::Option& option) { return option.get_items_expected_max() > 0; }

  static std::string next_word(std::span<const std::string> words, std::size_t at,
                               const std::string& name) {
    // cli.c4
    if (at + 1 == words.size())
      fail(ErrorKind::usage, "cli.c4", name, "must be followed by a value, got nothing");
    return words[at + 1];
  }

  [[noreturn]] static void refuse_value(const std::string& name, std::string_view rule,
                                        const std::string& value) {
    // cli.c4
    fail(ErrorKind::usage, "cli.c4", name, "{}, got {}", rule, value);
  }

  void check_value(const CLI::Option& option, const std::string& name, const std::string& value) {
    // cli.c4
    if (value.empty())
      fail(ErrorKind::usage, "cli.c4", name, "must be followed by a value, got an empty one");
    if (!seen_.insert(&option).second && !is_repeatable(option))
      refuse_value(name, "must be given once", "it twice");
    const auto choices = command_.choices.find(&option);
    if (choices == command_.choices.end()) return;
    const std::vector<std::string>& known = choices->second;
    if (std::ranges::count(known, value) == 0) {
      refuse_value(
          name,
          fmt::format("must be one of {}{}", fmt::join(known, ", "), nearest_hint(value, known)),
          value);
    }
  }

  const CLI::Option& known_option(const std::string& name) {
    if (const CLI::Option* option = command_.app.get_option_no_throw(name)) return *option;
    std::vector<std::string> known;
    for (const CLI::Option* option : command_.app.get_options()) {
      for (const std::string& each : option->get_lnames()) known.push_back("--" + each);
    }
    const bool is_long = name.starts_with("--");
    // cli.c2
    fail(ErrorKind::usage, "cli.c2", command_.app.get_name(),
         "a flag must be one that the command has{}, got {}",
         is_long ? nearest_hint(name, known) : std::string(), name);
  }

  const CommandWords& command_;
  std::vector<std::string> arguments_;
  std::set<const CLI::Option*> seen_;
};

}  // namespace

std::vector<std::string> check_words(const CommandWords& command,
                                     std::span<const std::string> words) {
  return WordCheck(command).check(words);
}

}  // namespace tscatter::app
