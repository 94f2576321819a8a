// What flags and arguments of a command line are read into, and what they mean to every command.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "commands/apply.hpp"
#include "result.hpp"

namespace tscatter::app {

// Of generate alone.
struct GenerateWords {
  std::string count;
  std::string seed;
  std::vector<std::string> dtypes;
  std::vector<std::string> reductions;
  std::string max_rank;
  std::string max_elements;
  std::string duplicates;
  std::string values;
  bool adds_errors = false;
};

// One command is run, so all share.
struct Words {
  std::map<std::string, std::string> operands;    // by the operand's name
  std::map<std::string, std::string> attributes;  // by the attribute's name
  std::string output;
  std::string format;
  std::string dtype;
  std::string threads;
  std::string color = "auto";
  std::string rule;
  std::string rtol;
  std::string atol;
  std::string max_ulp;
  std::string worst;
  std::string at;
  std::string heatmap;
  std::string actual;
  std::string nan;
  std::string filter;
  std::string shard;
  std::string failed_dir;
  std::string junit;
  std::string html;
  std::string unreferenced;
  std::vector<std::string> arguments;
  GenerateWords generate;
  int verbosity = 0;
  bool is_quiet = false;
  bool is_sync = false;
  bool is_in_place = false;
  bool keeps_no_journal = false;
  bool is_dry_run = false;
  bool is_equal_nan = false;
  bool flushes_to_zero = false;
  bool is_forced = false;
  bool fails_fast = false;
  bool lists = false;
  bool only_last_failed = false;
  bool resumes = false;
  bool updates_golden = false;
  bool wants_json = false;
  bool wants_header = false;
  bool wants_schema = false;
  bool wants_version = false;

  // Throws Error (usage, cli.c4).
  int thread_count() const;
  const Format* stdout_format() const;  // nullptr where none was asked for
  ApplyFlags apply_flags() const;
};

// A flag's text; nullopt where it was not given.
std::optional<std::string> given(const std::string& text);

// An integer from `least` to `most`. Throws Error (usage, cli.c4). `flag`: for the message.
int whole_number(const std::string& text, const std::string& flag, int least, int most);

}  // namespace tscatter::app
