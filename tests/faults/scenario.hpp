// A command during which something goes wrong, and what may change in its directory.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/process.hpp"
#include "faults/traced_run.hpp"
#include "io/files.hpp"

namespace tscatter::faults {

// The regular files below a directory, by their paths in it.
using Snapshot = std::map<std::string, std::string>;

Snapshot snapshot_of(const std::filesystem::path& directory);

enum class Promise : std::uint8_t {
  whole,     // each output is as before or as after
  readable,  // each output is as before, or begins and ends as it should: a report with times in it
  none,      // what is changed without a journal
};

struct Output {
  std::string name;  // in the directory
  Promise promise = Promise::whole;
  std::string begin = {};  // of a readable one
  std::string end = {};
};

class Scenario {
 public:
  Scenario(std::string name, Strings words, std::vector<Output> outputs);

  // Files in the directory beforehand, besides operands().
  Scenario& with_file(const std::string& name, std::string content);
  Scenario& without_unnamed_files();
  Scenario& in_batch();  // a case that fails makes the exit code 1
  Scenario& in_place();  // without the flag
  // A command is killed beforehand, at this call, and leaves data.npy half changed.
  Scenario& after_a_kill(Strings words, std::int64_t call);
  // Whatever happens, no file may change.
  Scenario& changing_nothing();
  // The first line that a run prints on stderr; a run with a fault may not reach it.
  Scenario& saying_first(const std::string& text);
  // What is in the directory may be gone.
  Scenario& consuming(const std::string& directory);
  // Each file of the directory is an output; cases.jsonl says whether the others are all there.
  Scenario& filling(const std::string& directory);

  const std::string& name() const { return name_; }
  const Tracing& tracing() const { return tracing_; }
  bool is_in_place() const { return is_in_place_; }
  const std::string& first_line() const { return first_line_; }

  void restore() const;

  // What is wrong with a run that was killed or met a fault; "" if nothing is. Leaves the directory
  // as after a run without a fault.
  std::string trouble_after(const TracedResult& result, const Fault& fault,
                            const SystemCall& call) const;

  // Runs it without a fault, and records the result.
  TracedResult run_whole();

 private:
  std::string message_of(const TracedResult& result) const;
  std::string trouble_with_end(const TracedResult& result, const Fault& fault,
                               const SystemCall& call) const;
  std::string trouble_with_files(const Snapshot& found, const TracedResult& result,
                                 const Fault& fault) const;
  std::string trouble_with_recovery() const;
  std::string trouble_with_next_run() const;
  Result run_on(Strings words) const;
  bool is_made_in_secret(const Snapshot& found, const TracedResult& result) const;
  bool may_be_left(const std::string& name, bool succeeded, const Fault& fault) const;
  bool is_kept(const Output& output, const std::string& content, bool succeeded) const;
  const Output* output_named(const std::string& name) const;
  Tracing tracing_of(Strings words);

  TemporaryDirectory directory_;
  std::string name_;
  Tracing tracing_;
  std::optional<Tracing> killed_;
  std::int64_t killed_at_ = 0;
  std::string filled_;
  std::string consumed_;
  std::string first_line_;
  std::vector<Output> outputs_;
  Snapshot before_;
  Snapshot after_;
  bool is_in_place_ = false;
  bool is_batch_ = false;
  bool changes_nothing_ = false;
};

// data.npy, indices.npy and updates.npy of an update of rows of 600 bytes, and what data.npy
// becomes by it, computed here.
struct Operands {
  std::string data;
  std::string indices;
  std::string updates;
  std::string result;
};
const Operands& operands();  // several tiles

std::vector<std::unique_ptr<Scenario>> all_scenarios();

}  // namespace tscatter::faults
