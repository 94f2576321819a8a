// The one description of a command: its name, and a table of its flags and arguments, with a target
// for each value. Parsing, help and suggestions of nearest names come from it.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "jobs/array.hpp"
#include "tscatter/ops/operation.hpp"

namespace tscatter::app {

// Where a value goes, and its type: made by the functions of targets.hpp.
struct Target {
  std::vector<std::string> choices = {};  // other values are refused; empty: `set` decides
  // Whether a value that is not among them is allowed, too: "add" for sum, any number.
  std::function<bool(const std::string& text)> is_alias = {};
  // Returns a suggestion for a value that is not a choice: " (use sum)". Empty: the nearest choice
  // is suggested.
  std::function<std::string(const std::string& text)> hint = {};
  // `where`: the flag or argument, for messages. Throws Error (usage).
  std::function<void(const std::string& text, const std::string& where)> set = {};
  // Takes a tensor in the caller's memory instead of a text; empty: the value is not an operand.
  std::function<void(const Array& array)> take = {};
};

enum class Occurrence : bool { once, repeated };

// The help of a flag: a literal, or a function that makes the text when it is shown. A call over
// arrays shows no help, and making it would take longer than reading the call's flags.
class HelpWords {
 public:
  HelpWords() = default;
  // NOLINTBEGIN(google-explicit-constructor): of what stands in a table.
  HelpWords(const char* literal) : literal_{literal} {}
  template <std::invocable Make>
  HelpWords(Make make) : make_{std::move(make)} {}
  // NOLINTEND(google-explicit-constructor)

  std::string text() const { return make_ ? make_() : std::string(literal_); }

 private:
  std::string_view literal_;
  std::function<std::string()> make_;
};

struct Flag {
  std::string name = {};          // "threads" is --threads; empty: only a letter
  char letter = 0;                // 'j' is -j; 0: none
  std::string_view group = {};    // its heading in help; these three are literals
  std::string_view value = {};    // its value's name in help; empty: it takes none
  std::string_view implied = {};  // the value if the next word is not a choice; empty: refused
  HelpWords help = {};
  Target into = {};
  Presence presence = Presence::optional;
  Occurrence occurrence = Occurrence::once;
  std::vector<std::string> aliases = {};  // other names
  // Names of flags, with blanks between them. One of only_with must be given with this flag, and
  // none of never_with may be. Empty: no such condition.
  std::string_view only_with = {};
  std::string_view never_with = {};

  // `wanted`: without its dashes.
  bool has_name(std::string_view wanted) const {
    return !wanted.empty() && (wanted == name || std::ranges::count(aliases, wanted) > 0);
  }
};

struct Argument {
  std::string name;  // "TENSOR"
  std::string help;
  Target into;
  Presence presence = Presence::required;
  Occurrence occurrence = Occurrence::once;  // only the last may be repeated
};

// Flags that every command has, for messages on stderr.
struct Messages {
  int verbosity = 0;
  bool is_quiet = false;
  std::string color = "auto";  // never, auto or always
};

// A command's flags and arguments, which write into its options, and its run, which reads them.
struct Invocation {
  std::vector<Argument> arguments = {};
  std::vector<Flag> flags = {};
  std::function<int(const Messages&)> run = {};  // returns the exit code
};

// Who draws the progress line.
enum class ProgressBy : bool { program, command };

enum class CommandGroup : std::uint8_t { words, operations, commands, hidden };

struct Command {
  std::string_view name;
  std::string_view summary;
  std::vector<std::string> examples = {};  // command lines; of an operation it has them
  // Makes new options and the flags that write into them. `operation`: the operation that the
  // command applies or is given.
  std::function<Invocation(const Operation* operation)> bind;
  CommandGroup group = CommandGroup::commands;
  const Operation* operation = nullptr;  // that the command applies
  ProgressBy progress_by = ProgressBy::program;
  bool takes_operation = false;  // as its next word: `tscatter verify ScatterUpdate-3`
  // The same for a word that stands for one, `tscatter verify add`: data[index] and values are
  // arguments. Empty: they are flags, as the operation has them.
  std::function<Invocation(const Operation* operation)> bind_word = {};
  // The same for --case, a case of a batch instead of an operation and operands; empty: the command
  // has no --case.
  std::function<Invocation()> bind_case = {};
};

// Finds the command that a word means. Ignores case, '-' and '_'; an operation's version may be
// left out. nullptr if there is none.
const Command* find_command(std::span<const Command> commands, const std::string& word);

// An operation as a command line calls it: by its name, or by a word for it (`add`).
struct NamedOperation {
  const Operation* operation = nullptr;  // nullptr: the name is none
  std::string_view word = {};            // empty: it was called by its name

  std::string_view name() const { return word.empty() ? operation->name : word; }
};

NamedOperation named_operation(const std::string& name);

// The command with an operation: bind_word() for a word, if there is one, else bind().
Invocation bound_to(const Command& command, const NamedOperation& named);

// Whether --case is among the words: bind_case() then makes the table of flags.
bool has_case(std::span<const std::string> words);

// The names of the commands that are in the help.
std::vector<std::string> command_names(std::span<const Command> commands);

// Flags of the program itself, and flags that every command has besides its own.
enum class HelpForm : bool { brief, full };

struct ProgramFlags {
  std::optional<HelpForm> help;
  bool wants_version = false;
  Messages messages;
};

std::vector<Flag> message_flags(Messages& messages);   // -v, -q and --color
std::vector<Flag> common_flags(ProgramFlags& flags);   // of every command: help and messages
std::vector<Flag> program_flags(ProgramFlags& flags);  // before the command; also --version

}  // namespace tscatter::app
