// For the tests of batch: a directory with a batch in it.
#pragma once

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "app/process.hpp"
#include "io/files.hpp"

namespace tscatter {

// A job whose result is [5, 2, 6], plus the members of `more`.
std::string case_line(const nlohmann::json& more);
std::string named(const std::string& name, nlohmann::json more);

// Members that such a case passes with, and fails with.
inline const nlohmann::json right{{"expected", {5, 2, 6}}};
inline const nlohmann::json wrong{{"expected", {5, 3, 6}}};

// The command in a folder that holds the state of runs, too.
Command with_state_in(const TemporaryDirectory& directory, Strings words);

class BatchDirectory {
 public:
  explicit BatchDirectory(const Strings& lines) { write(lines); }

  void write(const Strings& lines) const;

  // tscatter batch cases.jsonl with the flags, in the directory, which also holds the state of
  // runs.
  Command command(Strings flags = {}) const;
  Result run(Strings flags = {}) const { return command(std::move(flags)).run(); }

  std::filesystem::path operator/(const std::string& name) const { return directory_ / name; }
  Strings names() const { return directory_.names(); }

 private:
  TemporaryDirectory directory_;
};

// The message on the only case of a batch, which fails.
std::string failure_of(const std::string& line, Strings flags = {});
std::string failure_with(const nlohmann::json& more);  // on that of case_line(more)

// Checks that the only case of a batch passes.
void check_passes(const std::string& line);

// The objects that `run FLAGS --json` prints: the cases', then the summary's.
std::vector<nlohmann::json> json_lines(const std::string& text);

// The states of the cases by name: "passed", "failed".
std::map<std::string, std::string> states_of(const Result& result);

// The outcome of a run, and the most memory that it held, in KiB.
struct Measured {
  Result result;
  std::int64_t memory = 0;
};
Measured measured(const Command& command);

}  // namespace tscatter
