// Where a result goes: to a file, into memory, or kept for comparison.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "jobs/array.hpp"
#include "jobs/written_file.hpp"
#include "tscatter/apply/apply.hpp"
#include "tscatter/core/tensor.hpp"
#include "tscatter/io/files/output_file.hpp"
#include "tscatter/io/files/spool.hpp"
#include "tscatter/io/formats/format.hpp"

namespace tscatter::app {

struct OutputWanted {
  std::optional<std::string> word;        // the value of -o; nullopt: printed
  std::optional<ArrayPlace> memory = {};  // takes the place of the word
  std::string name = "--output";          // of the flag or key, for messages
  std::filesystem::path base = {};        // relative paths are relative to it
  const Format* format = nullptr;  // nullptr: by the name; of -: JSON for a terminal, else .npy
  Replacing replacing = Replacing::same_kind;
  OptionWords options = {};
  Compression compression = Compression::stored;
  Durability durability = Durability::kill;
  std::shared_ptr<const OutputLock> lock = {};  // if it is held already
};

// Nothing is opened for writing before the operation begins to write. Throws Error (usage; cli.c10,
// cli.c15 to cli.c17, cli.c21, cli.c81).
std::unique_ptr<Output> open_output(const OutputWanted& wanted);

// Throws Error (usage, cli.c120) for an option that is for files where the result goes elsewhere.
void require_file_for_options(const OutputWanted& wanted);

// Writes a new archive with all of these tensors. Throws Error (usage, file) and Cancelled.
// REQUIRES: the word has the ending of an archive.
void write_archive(const OutputWanted& wanted, const Archive& tensors);

// Copies the tensor unchanged, and commits. Throws Error (file) and Cancelled.
void write_tensor(const Tensor& tensor, Output& output);

// Calls the step, which writes into the output. If it fails and leaves a partly changed file, the
// error says so.
tscatter::Report run_into(Output& output, const std::function<tscatter::Report()>& step);

// The same with apply().
tscatter::Report apply_to(Output& output, const Operation& operation, const Arguments& arguments,
                          const RunOptions& options);

// Whether stdout carries the tensor.
bool goes_to_stdout(const OutputWanted& wanted);

// Throws Error (usage, cli.c14) if it does, and stdout is the file that holds `read`.
void require_stdout_apart(const OutputWanted& wanted, const Tensor& read);

// Whether a signal must be caught, so that a temporary file is removed.
bool leaves_temporary(const OutputWanted& wanted);

// The file of a report or a picture; - is stdout. Throws Error (file).
std::unique_ptr<OutputFile> open_report(const std::string& word);

// Where what a command says goes: to stderr if stdout carries a tensor, a report or a picture.
enum class WordsGo : bool { to_stdout, to_stderr };

// Writes all of `text`. In a step of GitHub Actions, lines that look like workflow commands are
// escaped. Throws Error (file.f5) if stdout cannot be written; ignores failures of stderr. What
// goes to stdout is kept for the host, if there is one.
void print(std::string_view text, WordsGo to = WordsGo::to_stdout);
void print_error(std::string_view text);     // to stderr; ignores failures
void print_commands(std::string_view text);  // the same, without escaping workflow commands

// ---- A result that is kept for comparison: a small one in memory, a large one in a temporary file
// without a name.

class CapturedOutput final : public Output {
 public:
  Sink& begin(const TensorHeader& header, const Source& data) override;
  void commit() override {}

  // REQUIRES: the output was committed.
  Tensor tensor(const std::string& name) const;

 private:
  TensorHeader header_;
  std::shared_ptr<std::vector<std::byte>> memory_;
  std::shared_ptr<Spool> spool_;
  std::unique_ptr<Sink> sink_;
};

}  // namespace tscatter::app
