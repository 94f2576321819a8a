#include "cli/parser.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <set>
#include <utility>

#include "jobs/hints.hpp"
#include "jobs/index_items.hpp"
#include "process/environment.hpp"
#include "tscatter/core/fail.hpp"
#include "tscatter/core/nearest.hpp"

namespace tscatter::app {

bool is_flag(std::string_view word) {
  if (word.size() < 2 || word[0] != '-') return false;
  if (word == "-Infinity" || word == "-inf" || word == "-nan") return false;
  const bool is_view = word[1] == '[';  // of stdin
  return !(word[1] >= '0' && word[1] <= '9') && word[1] != '.' && !is_view;
}

namespace {

constexpr std::array<std::string_view, 4> tolerance_flags{"--rtol", "--atol", "--max-ulp",
                                                          "--equal-nan"};

bool is_long(std::string_view word) { return word.starts_with("--"); }

// "--data" of "--data=x.npy", "-d" of "-dx.npy".
std::string name_in(const std::string& word) {
  return is_long(word) ? word.substr(0, word.find('=')) : word.substr(0, 2);
}

std::string cli11_names(const Flag& flag) {
  std::string names;
  if (flag.letter != 0) names = fmt::format("-{}", flag.letter);
  if (!flag.name.empty()) names += fmt::format("{}--{}", names.empty() ? "" : ",", flag.name);
  for (const std::string& alias : flag.aliases) names += ",--" + alias;
  return names;
}

bool is_choice(const Target& target, const std::string& value) {
  return std::ranges::count(target.choices, value) > 0 ||
         (target.is_alias && target.is_alias(value));
}

// A value given to a flag or argument.
struct Assignment {
  const Target& target;
  std::string text;
  std::string where;
};

// CLI11, which is asked for one flag at a time.
class FlagReader : public CLI::App {
 public:
  FlagReader() { set_help_flag(); }
  using CLI::App::_parse_single;
};

// Reads one flag at a time, so that the leftmost mistake is reported. What stands in one word,
// --name=value and --name of a switch, needs no CLI11: a call from C has no other words, and may be
// small. Of other flags CLI11 is told when a word names them.
class Parser {
 public:
  explicit Parser(const FlagTable& table) : table_{table} {}

  Parsed parse(std::span<const std::string> words, Stop stop) {
    Parsed parsed;
    words_.assign(words.rbegin(), words.rend());
    while (!words_.empty() && !(stop == Stop::at_command && is_command(words_.back()))) {
      const std::size_t left = words_.size();
      parsed.is_json = parsed.is_json || is_json_flag();
      note_error(parsed, [this] { read_word(); });
      if (words_.size() == left && !is_in_cluster_) words_.pop_back();  // it was refused
    }
    parsed.words = words.size() - words_.size();
    if (!parsed.error) note_error(parsed, [this] { assign(); });
    return parsed;
  }

 private:
  template <class Step>
  static void note_error(Parsed& parsed, const Step& step) {
    try {
      step();
    } catch (const Error& error) {
      if (!parsed.error) parsed.error = error;
    }
  }

  static bool is_command(const std::string& word) { return word.empty() || word[0] != '-'; }

  bool is_json_flag() const {
    return !only_arguments_ && !is_in_cluster_ && words_.back() == "--json";
  }

  void add(const Flag& flag) {
    if (!added_.insert(&flag).second) return;
    if (flag.value.empty()) {
      reader_->add_flag_callback(cli11_names(flag), [this, &flag] { take_switch(flag); })
          ->trigger_on_parse();
    } else {
      const CLI::callback_t callback = [this, &flag](const CLI::results_t& values) {
        take_value(flag, values.front());
        return true;
      };
      reader_->add_option(cli11_names(flag), callback)->trigger_on_parse();
    }
  }

  void read_word() {
    const bool is_in_cluster = std::exchange(is_in_cluster_, false);
    const std::string word = words_.back();
    if (!is_in_cluster && (only_arguments_ || !is_flag(word))) {
      words_.pop_back();
      take_argument(word);
    } else if (!is_in_cluster && word == "--") {
      words_.pop_back();
      only_arguments_ = true;
    } else {
      implied_ = nullptr;
      name_ = is_in_cluster ? word.substr(0, 2) : name_in(word);
      read_flag(word);
    }
  }

  // Refuses what CLI11 would ignore, before it sees the word.
  void read_flag(const std::string& word) {
    const Flag& flag = known_flag(word);
    if (is_implied(flag, word)) {
      words_.pop_back();
      implied_ = &flag;
      return take_value(flag, std::string(flag.implied));
    }
    if (is_long(name_) && (name_ != word || flag.value.empty())) {
      words_.pop_back();
      return take_whole(flag, word);
    }
    ask_cli11(flag);
  }

  // "--name=value", or "--name" of a switch.
  void take_whole(const Flag& flag, const std::string& word) {
    if (name_ == word) return take_switch(flag);
    const std::string value = word.substr(name_.size() + 1);
    check_after_equals(flag, value);
    take_value(flag, value);
  }

  void ask_cli11(const Flag& flag) {
    if (!reader_) reader_.emplace();
    add(flag);
    const std::size_t left = words_.size();
    try {
      reader_->_parse_single(words_, only_arguments_);
    } catch (const CLI::ParseError&) {
      // cli.c4
      fail(ErrorKind::usage, "cli.c4", name_, "needs a value: {} {}", name_, flag.value);
    }
    is_in_cluster_ = words_.size() == left;  // it puts the rest of -vq back, as -q
  }

  // Whether a flag whose value is optional has none: the next word is not one of its choices.
  bool is_implied(const Flag& flag, const std::string& word) const {
    if (flag.implied.empty() || word != name_) return false;
    return words_.size() == 1 || !is_choice(flag.into, words_[words_.size() - 2]);
  }

  const Flag& known_flag(const std::string& word) const {
    const auto is_named = [&](const Flag& flag) {
      if (is_long(name_)) return flag.has_name(name_.substr(2));
      return flag.letter != 0 && name_[1] == flag.letter;
    };
    const auto found = std::ranges::find_if(table_.flags, is_named);
    if (found == table_.flags.end()) refuse_name(word);
    return *found;
  }

  [[noreturn]] void refuse_name(const std::string& word) const {
    // cli.c2
    fail(ErrorKind::usage, "cli.c2", table_.name, "has no flag {1}{0}", name_hint(word), name_);
  }

  std::string name_hint(const std::string& word) const {
    std::error_code error;
    if (std::filesystem::exists(word, error)) return fmt::format(" (a file is written ./{})", word);
    std::vector<std::string> known;
    for (const Flag& flag : table_.flags) {
      if (!flag.name.empty()) known.push_back("--" + flag.name);
    }
    if (std::string hint = nearest_hint(name_, known); !hint.empty()) return hint;
    if (std::ranges::count(tolerance_flags, name_) > 0)
      return fmt::format(" (tscatter compare has {})", name_);
    if (name_ == "--actual") return " (tscatter verify has --actual)";
    if (name_ == "--expected") return " (tscatter compare takes ACTUAL and EXPECTED)";
    if (std::ranges::find(known, "--case") != known.end())
      return " (with --case, the case says the rest)";
    if (std::string hint = word_hint(); !hint.empty()) return hint;
    const bool has_output = std::ranges::count(table_.arguments, "OUT", &Argument::name) > 0;
    if (has_output && (name_ == "-o" || name_ == "--output"))
      return fmt::format(" (it takes {})", argument_names());
    std::string hint = table_.operation == nullptr ? std::string()
                                                   : other_operation_hint(*table_.operation, name_);
    return hint.empty() ? fmt::format(" (see {} --help)", table_.usage) : hint;
  }

  // A word for an operation, as set, has arguments for its operands.
  std::string word_hint() const {
    const Operation* const operation = operation_of_verb(table_.name);
    if (operation == nullptr) return {};
    const auto is_named = [&](const OperandInfo& each) {
      return is_long(name_) ? each.has_name(name_.substr(2)) : each.flag == name_[1];
    };
    if (!std::ranges::any_of(operation->operands, is_named)) return {};
    return fmt::format(" ({} takes {}; {} has {})", table_.name, argument_names(), operation->name,
                       name_);
  }

  // "DATA[INDEX] VALUES"
  std::string argument_names() const {
    std::vector<std::string_view> names(table_.arguments.size());
    std::ranges::transform(table_.arguments, names.begin(), &Argument::name);
    return fmt::format("{}", fmt::join(names, " "));
  }

  void check_after_equals(const Flag& flag, const std::string& value) const {
    // cli.c4
    if (flag.value.empty())
      fail(ErrorKind::usage, "cli.c4", name_, "takes no value, got {}", value);
    if (value.empty()) refuse_empty();
  }

  [[noreturn]] void refuse_empty() const {
    // cli.c4
    fail(ErrorKind::usage, "cli.c4", name_, "needs a value, got an empty one");
  }

  void note_given(const Flag& flag) {
    // cli.c4
    if (!given_.insert(&flag).second && flag.occurrence == Occurrence::once)
      fail(ErrorKind::usage, "cli.c4", name_, "is given twice");
  }

  void take_switch(const Flag& flag) {
    note_given(flag);
    flag.into.set({}, flag.name);
  }

  void take_value(const Flag& flag, const std::string& value) {
    if (value.empty()) refuse_empty();
    note_given(flag);
    check_choice(flag.into, name_, value);
    assignments_.push_back({flag.into, value, "--" + flag.name});
  }

  static void check_choice(const Target& target, const std::string& where,
                           const std::string& value) {
    const std::vector<std::string>& choices = target.choices;
    // cli.c4
    if (!choices.empty() && !is_choice(target, value)) {
      fail(ErrorKind::usage, "cli.c4", where, "must be one of {}{}, got {}",
           fmt::join(choices, ", "),
           target.hint ? target.hint(value) : nearest_hint(value, choices), value);
    }
  }

  void take_argument(const std::string& word) {
    const std::vector<Argument>& known = table_.arguments;
    const Flag* const implied = std::exchange(implied_, nullptr);
    const bool is_again = arguments_ > 0 && arguments_ == known.size() &&
                          known.back().occurrence == Occurrence::repeated;
    if (arguments_ == known.size() && !is_again) {
      // cli.c4
      if (implied != nullptr && !implied->into.choices.empty()) {
        fail(ErrorKind::usage, "cli.c4", "--" + implied->name, "must be {}, got {}",
             fmt::join(implied->into.choices, " or "), word);
      }
      // cli.c5
      if (const std::string whole = unquoted_word(word); !whole.empty()) {
        fail(ErrorKind::usage, "cli.c5", table_.name,
             "the bracket in {} is not closed: quote the word, '{}'", first_argument(), whole);
      }
      // cli.c5
      if (const std::string whole = indexed_word(word); !whole.empty()) {
        fail(ErrorKind::usage, "cli.c5", table_.name,
             "the index belongs to the word before it: '{}'", whole);
      }
      // cli.c5
      fail(ErrorKind::usage, "cli.c5", table_.name, "takes {}, got {}",
           known.empty() ? "flags only" + flag_hint(word) : "at most " + argument_names(), word);
    }
    const Argument& argument = is_again ? known.back() : known[arguments_++];
    check_choice(argument.into, argument.name, word);
    assignments_.push_back({argument.into, word, argument.name});
  }

  std::string first_argument() const {
    const auto first = std::ranges::find_if(assignments_, [&](const Assignment& each) {
      return !table_.arguments.empty() && each.where == table_.arguments.front().name;
    });
    return first == assignments_.end() ? std::string() : first->text;
  }

  static bool is_open(std::string_view word) {
    return std::ranges::count(word, '[') > std::ranges::count(word, ']');
  }

  // What a shell divided at the blanks inside its bracket, "w.npy[0, 1]" of w.npy[0, and 1]; "" if
  // the first argument has no open bracket. `word`: the one after the last argument.
  std::string unquoted_word(const std::string& word) const {
    std::string whole = first_argument();
    if (!is_open(whole)) return {};
    std::vector<std::string> others = arguments_and(word);
    others.insert(others.end(), words_.rbegin(), words_.rend());
    for (std::size_t i = 1; i < others.size() && is_open(whole); ++i) whole += " " + others[i];
    return is_open(whole) ? std::string() : whole;
  }

  // "w.npy[0:2]" of w.npy and [0:2], or of w.npy and 0:2, where one word has both; "" otherwise.
  std::string indexed_word(const std::string& word) const {
    if (table_.arguments.empty() || !table_.arguments.front().name.ends_with("[INDEX]")) return {};
    const std::vector<std::string> words = arguments_and(word);
    if (words.size() < 2 || words[0].find('[') != std::string::npos) return {};
    const bool has_brackets = words[1].starts_with('[') && words[1].ends_with(']');
    return words[0] + (has_brackets ? words[1] : "[" + words[1] + "]");
  }

  std::vector<std::string> arguments_and(const std::string& word) const {
    std::vector<std::string> texts;
    for (const Assignment& each : assignments_) {
      const auto is_where = [&](const Argument& argument) { return argument.name == each.where; };
      if (std::ranges::any_of(table_.arguments, is_where)) texts.push_back(each.text);
    }
    texts.push_back(word);
    return texts;
  }

  // " (use --data data.npy)": the first flag that must be given and has not been, else -o.
  std::string flag_hint(const std::string& word) const {
    const std::vector<const Flag*> missing = missing_flags();
    if (!missing.empty()) return fmt::format(" (use --{} {})", missing.front()->name, word);
    const auto is_open = [&](const Flag& flag) {
      return flag.letter == 'o' && std::ranges::count(given_, &flag) == 0;
    };
    return std::ranges::any_of(table_.flags, is_open) ? fmt::format(" (use -o {})", word) : "";
  }

  void assign() const {
    require_arguments();
    require_flags();
    for (const Flag* flag : given_) require_company(*flag);
    for (const Assignment& each : assignments_)
      each.target.set(stream_or_path(each.text), each.where);
  }

  void require_arguments() const {
    if (arguments_ == table_.arguments.size()) return;
    const Argument& missing = table_.arguments[arguments_];
    // cli.c3
    if (missing.presence == Presence::required) {
      std::string usage = table_.usage;
      for (const Flag& flag : table_.flags) {
        if (flag.presence == Presence::required)
          usage += fmt::format(" --{} {}", flag.name, flag.value);
      }
      for (const Argument& each : table_.arguments) usage += " " + each.name;
      fail(ErrorKind::usage, "cli.c3", table_.name, "{} is missing: {}", missing.name, usage);
    }
  }

  // `names` has blanks between them. Returns the first flag among them that was given; "" if none
  // was.
  std::string_view first_given(std::string_view names) const {
    while (!names.empty()) {
      const std::string_view name = names.substr(0, names.find(' '));
      names.remove_prefix(std::min(name.size() + 1, names.size()));
      const auto is_it = [&](const Flag* flag) { return flag->has_name(name); };
      if (std::ranges::any_of(given_, is_it)) return name;
    }
    return {};
  }

  // What has no effect beside the others is refused, and not passed over.
  void require_company(const Flag& flag) const {
    const std::string_view other = first_given(flag.never_with);
    // cli.c120
    if (!other.empty()) {
      fail(ErrorKind::usage, "cli.c120", "--" + flag.name,
           "has no effect beside --{}: leave out one of them", other);
    }
    // cli.c120
    if (!flag.only_with.empty() && first_given(flag.only_with).empty()) {
      fail(ErrorKind::usage, "cli.c120", "--" + flag.name, "needs {}", flags_text(flag.only_with));
    }
  }

  // "part digest" -> "--part or --digest"
  static std::string flags_text(std::string_view names) {
    std::string text = "--" + std::string(names);
    for (std::size_t at = text.find(' '); at != std::string::npos; at = text.find(' ', at + 4))
      text.replace(at, 1, " or --");
    return text;
  }

  std::vector<const Flag*> missing_flags() const {
    std::vector<const Flag*> missing;
    for (const Flag& flag : table_.flags) {
      const bool is_given = given_.contains(&flag);
      if (flag.presence == Presence::required && !is_given) missing.push_back(&flag);
    }
    return missing;
  }

  // "--indices TENSOR, --axis AXIS".
  static std::string with_values(const std::vector<const Flag*>& flags) {
    std::string text;
    for (const Flag* flag : flags)
      text += fmt::format("{}--{} {}", text.empty() ? "" : ", ", flag->name, flag->value);
    return text;
  }

  void require_flags() const {
    const std::vector<const Flag*> missing = missing_flags();
    if (missing.empty()) return;
    const Flag& first = *missing.front();
    // cli.c3
    if (missing.size() == 1 && !first.into.choices.empty()) {
      fail(ErrorKind::usage, "cli.c3", table_.name, "--{} is missing: {}", first.name,
           fmt::join(first.into.choices, ", "));
    }
    // cli.c3
    fail(ErrorKind::usage, "cli.c3", table_.name, "{} {} missing", with_values(missing),
         missing.size() == 1 ? "is" : "are");
  }

  const FlagTable& table_;
  std::optional<FlagReader> reader_;
  std::vector<std::string> words_;  // the next one last
  std::string name_;                // the flag that is read, as it is written
  std::set<const Flag*> added_;     // known to CLI11
  std::set<const Flag*> given_;
  const Flag* implied_ = nullptr;  // the last word, if it is a flag whose value was left out
  std::vector<Assignment> assignments_;
  std::size_t arguments_ = 0;
  bool only_arguments_ = false;
  bool is_in_cluster_ = false;
};

}  // namespace

Parsed parse(const FlagTable& table, std::span<const std::string> words, Stop stop) {
  return Parser(table).parse(words, stop);
}

}  // namespace tscatter::app
