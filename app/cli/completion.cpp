#include "cli/completion.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "cli/command.hpp"
#include "cli/help_text.hpp"
#include "cli/parser.hpp"

namespace tscatter::app {
namespace {

struct NamesOfKind {
  ValueKind kind;
  std::string_view names;
};

// Each name of a value or an argument in help.
constexpr std::array names_of_kinds{
    NamesOfKind{ValueKind::tensor, "TENSOR ACTUAL EXPECTED IN ITEM DATA[INDEX] VALUES"},
    NamesOfKind{ValueKind::any_file, "OUT PATH FILE"},
    NamesOfKind{ValueKind::job, "JOB"},
    NamesOfKind{ValueKind::cases, "CASES"},
    NamesOfKind{ValueKind::folder, "DIR"},
    NamesOfKind{ValueKind::dtype, "DTYPE"},
    NamesOfKind{ValueKind::case_name, "--case"},
    NamesOfKind{ValueKind::case_glob, "GLOB"},
    NamesOfKind{ValueKind::case_tag, "TAG"},
    NamesOfKind{ValueKind::operation, "OPERATION NAME OTHER"},
    NamesOfKind{ValueKind::rule, "LABEL"},
    NamesOfKind{ValueKind::topic, "TOPIC"},
    NamesOfKind{ValueKind::label_prefix, "PREFIX"},
    NamesOfKind{ValueKind::choice, "SHELL FORMAT KIND SET LAYOUT ACTION WHEN BOOL"},
    NamesOfKind{ValueKind::free, "A K K/N K/P LIST N [N] POSITION R S SECONDS SIZE TEXT U X"},
};

std::string long_name(const Flag& flag) {
  return flag.name.empty() ? fmt::format("-{}", flag.letter) : "--" + flag.name;
}

// The flag that the word names, alone or at its front: "--data", "--data=x", "-d".
const Flag* flag_in(std::string_view word, const std::vector<Flag>& flags) {
  const auto is_named = [&](const Flag& flag) {
    if (word.starts_with("--")) {
      return flag.has_name(word.substr(2, word.find('=') - 2));
    }
    return flag.letter != 0 && word.size() == 2 && word[1] == flag.letter;
  };
  const auto found = std::ranges::find_if(flags, is_named);
  return found == flags.end() ? nullptr : &*found;
}

// The words after the command, read as the parser reads them.
class LineReading {
 public:
  LineReading(Invocation invocation, std::vector<Flag> common)
      : arguments_{std::move(invocation.arguments)}, flags_{std::move(invocation.flags)} {
    flags_.insert(flags_.end(), common.begin(), common.end());
  }

  void pass(const std::string& word) {
    const Flag* flag = only_arguments_ || awaited_ != nullptr ? nullptr : flag_in(word, flags_);
    if (awaited_ != nullptr) {
      awaited_ = nullptr;
    } else if (!only_arguments_ && word == "--") {
      only_arguments_ = true;
    } else if (flag != nullptr) {
      given_.push_back(flag);
      const bool has_value = word.find('=') != std::string::npos;
      if (!flag->value.empty() && flag->implied.empty() && !has_value) awaited_ = flag;
    } else if (only_arguments_ || !is_flag(word)) {
      place_.arguments.push_back(word);
    }
  }

  CursorPlace at(const std::string& word) && {
    const std::size_t equals = word.find('=');
    if (awaited_ != nullptr) {
      set_value(*awaited_, word);
    } else if (!only_arguments_ && word.starts_with("--") && equals != std::string::npos) {
      place_.front = word.substr(0, equals + 1);
      if (const Flag* flag = flag_in(word, flags_)) set_value(*flag, word.substr(equals + 1));
    } else if (!only_arguments_ && word.starts_with('-')) {
      set_flags(word);
    } else {
      set_argument(word);
    }
    return std::move(place_);
  }

 private:
  void set_value(const Flag& flag, std::string begun) {
    const std::string name = long_name(flag);
    set_value(flag.into, value_kind(name) ? std::string_view(name) : flag.value, std::move(begun));
  }

  void set_value(const Target& into, std::string_view name, std::string begun) {
    const bool has_choices = !into.choices.empty();
    place_.kind = has_choices ? ValueKind::choice : value_kind(name).value_or(ValueKind::free);
    place_.begun = std::move(begun);
    for (const std::string& choice : into.choices) place_.candidates.push_back({choice});
  }

  void set_flags(const std::string& begun) {
    place_.begun = begun;
    for (const Flag& flag : flags_) {
      const bool is_given = std::ranges::count(given_, &flag) != 0;
      if (!is_given || flag.occurrence == Occurrence::repeated)
        place_.candidates.push_back({long_name(flag), flag.help.text()});
    }
  }

  void set_argument(const std::string& word) {
    const bool is_repeated =
        !arguments_.empty() && arguments_.back().occurrence == Occurrence::repeated;
    const std::size_t given = place_.arguments.size();
    const std::size_t index = is_repeated ? std::min(given, arguments_.size() - 1) : given;
    if (index >= arguments_.size()) return set_flags(word);
    set_value(arguments_[index].into, arguments_[index].name, word);
  }

  std::vector<Argument> arguments_;
  std::vector<Flag> flags_;
  std::vector<const Flag*> given_;
  const Flag* awaited_ = nullptr;  // its value is the next word
  bool only_arguments_ = false;
  CursorPlace place_;
};

// The flags that can follow. With --case among the words: the flags for a case; else the command's
// own, and the flags for a case as well.
Invocation invocation_of(const Command& command, const NamedOperation& named,
                         std::span<const std::string> words) {
  if (command.bind_case && has_case(words)) return command.bind_case();
  return shown_invocation(command, named);
}

// Reads one word of a shell's line from the front of `rest`.
class WordReader {
 public:
  std::string word;
  bool has_ended = false;  // a blank followed

  explicit WordReader(std::string_view& rest) {
    while (!rest.empty() && !has_ended) {
      take(rest.front());
      rest.remove_prefix(1);
    }
  }

 private:
  void take(char c) {
    const bool is_literal = std::exchange(is_escaped_, false);
    const bool is_quote = (c == '\'' || c == '"') && (quote_ == 0 || quote_ == c);
    const bool is_blank = quote_ == 0 && (c == ' ' || c == '\t');
    if (!is_literal && c == '\\' && quote_ != '\'') {
      is_escaped_ = true;
    } else if (!is_literal && is_quote) {
      quote_ = quote_ == 0 ? c : '\0';
    } else if (!is_literal && is_blank) {
      has_ended = true;
    } else {
      word += c;
    }
  }

  char quote_ = 0;
  bool is_escaped_ = false;
};

}  // namespace

std::optional<ValueKind> value_kind(std::string_view name) {
  const std::string wanted = fmt::format(" {} ", name);
  const auto has_name = [&](const NamesOfKind& row) {
    return fmt::format(" {} ", row.names).find(wanted) != std::string::npos;
  };
  const auto* const row = std::ranges::find_if(names_of_kinds, has_name);
  return row == names_of_kinds.end() ? std::nullopt : std::optional(row->kind);
}

std::vector<Candidate> command_candidates(std::span<const Command> commands) {
  std::vector<Candidate> all;
  for (const Command& command : commands) {
    if (command.group != CommandGroup::hidden)
      all.push_back({std::string(command.name), std::string(command.summary)});
  }
  return all;
}

CursorPlace cursor_place(std::span<const Command> commands, std::span<const std::string> words) {
  ProgramFlags flags;
  const auto first = std::ranges::find_if_not(words, is_flag);
  const auto at = static_cast<std::size_t>(first - words.begin());
  if (at >= words.size()) {
    return LineReading({}, program_flags(flags)).at(words.back());
  }
  if (at + 1 == words.size())
    return {.begun = words.back(), .candidates = command_candidates(commands)};
  const Command* command = find_command(commands, words[at]);
  if (command == nullptr) return {};
  std::size_t next = at + 1;
  NamedOperation named{.operation = command->operation};
  if (command->takes_operation) {
    const bool is_here = next + 1 == words.size() && !is_flag(words[next]);
    if (is_here) return {.kind = ValueKind::operation, .begun = words[next]};
    named = named_operation(words[next]);
    if (named.operation != nullptr) ++next;
    if (named.operation == nullptr) named.operation = &operation_for_help();
  }
  // The last word is being written.
  LineReading reading(invocation_of(*command, named, words.first(words.size() - 1)),
                      common_flags(flags));
  for (; next + 1 < words.size(); ++next) reading.pass(words[next]);
  return std::move(reading).at(words.back());
}

std::vector<std::string> words_of_line(std::string_view line) {
  std::vector<std::string> words;
  bool has_ended = true;
  while (!line.empty()) {
    WordReader reader(line);
    has_ended = reader.has_ended;
    if (!reader.word.empty() || !has_ended) words.push_back(std::move(reader.word));
  }
  if (has_ended) words.emplace_back();
  if (!words.empty()) words.erase(words.begin());
  return words;
}

namespace {

// A candidate that ends in / : or = goes on, so no blank follows it.
constexpr std::string_view bash_script = R"(# bash completion of tscatter
_tscatter() {
  local program=${1/#\~\//$HOME/}
  mapfile -t COMPREPLY < <("$program" __complete bash "${COMP_LINE:0:COMP_POINT}" 2>/dev/null)
  [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *[/:=] ]] && compopt -o nospace
}
complete -o filenames -o bashdefault -F _tscatter tscatter
)";

constexpr std::string_view zsh_script = R"(#compdef tscatter
_tscatter() {
  local line="${(j: :)words[1,CURRENT-1]} $compstate[quote]$PREFIX" each
  local program="${${(Q)words[1]}/#\~\//$HOME/}" front=
  local any_case='m:{a-zA-Z}={A-Za-z}'
  local -a whole shown open
  [[ -z $compstate[quote] ]] && compset -P '\~/' && front='~/'
  for each in "${(@f)$("$program" __complete zsh "$line" 2>/dev/null)}"; do
    local text="${${each%%$'\t'*}#$front}"
    if [[ $text == *[/:=] ]]; then
      open+=("$text")
    elif [[ -n $text ]]; then
      whole+=("$text")
      shown+=("${each/$'\t'/  }")
    fi
  done
  compadd -M "$any_case" -S '' -a open
  compadd -M "$any_case" -l -d shown -a whole
}
if [[ $funcstack[1] == _tscatter ]]; then
  _tscatter "$@"
else
  compdef _tscatter tscatter
fi
)";

constexpr std::string_view fish_script = R"(# fish completion of tscatter
function __tscatter_complete
  set -l words (commandline -opc)
  set -l program (string replace -r '^~/' "$HOME/" -- $words[1])
  $program __complete fish (commandline -cp) 2>/dev/null
end
complete -c tscatter -f -a '(__tscatter_complete)'
)";

constexpr std::array shells{
    Shell{.name = "bash", .script = bash_script, .breaks = ":=@"},
    Shell{.name = "zsh", .script = zsh_script, .takes_help = true},
    Shell{.name = "fish", .script = fish_script, .takes_help = true},
};

}  // namespace

const Shell* find_shell(std::string_view name) {
  const auto found = std::ranges::find(shells, name, &Shell::name);
  return found == shells.end() ? nullptr : &*found;
}

std::vector<std::string> shell_names() {
  std::vector<std::string> names(shells.size());
  std::ranges::transform(shells, names.begin(),
                         [](const Shell& shell) { return std::string(shell.name); });
  return names;
}

std::string candidate_lines(const Shell& shell, std::string_view word,
                            std::span<const Candidate> candidates) {
  std::size_t kept = word.find_last_of(shell.breaks) + 1;
  if (kept > 0 && word[kept - 1] == '@') --kept;  // readline begins the word with it
  std::string lines;
  for (const Candidate& each : candidates) {
    lines += each.text.substr(kept);
    if (shell.takes_help && !each.help.empty()) lines += "\t" + each.help;
    lines += "\n";
  }
  return lines;
}

}  // namespace tscatter::app
