// What could stand where the cursor is in an unfinished command line. The tables of flags and
// arguments decide; what a value could be is looked up by its kind.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command.hpp"

namespace tscatter::app {

struct Candidate {
  std::string text;
  std::string help = {};
};

// What a value or an argument is, for completion.
enum class ValueKind : std::uint8_t {
  free,    // a number, a name that is new
  choice,  // one of the flag's own choices
  tensor,  // a file of tensors, or an archive's member
  job,     // a .json file
  cases,   // a .jsonl file
  any_file,
  folder,
  dtype,
  case_name,
  case_glob,  // a pattern that matches names of cases
  case_tag,
  operation,
  rule,
  topic,
  label_prefix,
};

// The kind of what help calls by this name: "TENSOR". Of a flag, "--case", if its value's name is
// not enough. nullopt: the name is not in the table.
std::optional<ValueKind> value_kind(std::string_view name);

// Where the last word of the line stands.
struct CursorPlace {
  ValueKind kind = ValueKind::free;
  std::string front = {};                   // of the word, that stays: "--data="
  std::string begun = {};                   // of the value
  std::vector<Candidate> candidates = {};   // known already: flags, choices, commands
  std::vector<std::string> arguments = {};  // that stand before
};

// The commands that are in the help.
std::vector<Candidate> command_candidates(std::span<const Command> commands);

// REQUIRES: there is a word, if only an empty one.
CursorPlace cursor_place(std::span<const Command> commands, std::span<const std::string> words);

// The words of a shell's unfinished line, without the program: "tscatter show 'a b" gives show and
// a b. A line that ends with a blank ends with an empty word.
std::vector<std::string> words_of_line(std::string_view line);

// The shells that can complete: their scripts, and how each is given candidates.
struct Shell {
  std::string_view name;
  std::string_view script;       // asks `tscatter __complete SHELL LINE` at each key
  bool takes_help = false;       // of a candidate, after a tab
  std::string_view breaks = {};  // characters after which a word begins anew
};

// nullptr: not among them.
const Shell* find_shell(std::string_view name);

std::vector<std::string> shell_names();

// A line for each candidate. `word` is the one that they complete.
std::string candidate_lines(const Shell& shell, std::string_view word,
                            std::span<const Candidate> candidates);

}  // namespace tscatter::app
