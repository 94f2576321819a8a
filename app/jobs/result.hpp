// Where a result goes.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "tscatter/apply.hpp"
#include "tscatter/core/output.hpp"
#include "tscatter/io/files/durability.hpp"
#include "tscatter/io/formats/format.hpp"

namespace tscatter::app {

struct OutputWanted {
  std::optional<std::string> word;  // the value of -o; nullopt: printed
  std::string name = "--output";    // of the flag or key, for messages
  std::filesystem::path base = {};  // relative paths are relative to it
  const Format* format = nullptr;   // of stdout; nullptr: JSON for a terminal, .npy elsewhere
  Durability durability = Durability::kill;
  std::shared_ptr<const DirectoryLock> lock = {};  // of an archive's folder, if it is held already
};

// Nothing is opened before the operation begins to write. Throws Error (usage, cli.c10).
std::unique_ptr<Output> open_output(const OutputWanted& wanted);

// Copies the tensor unchanged, and commits. Throws Error (file) and Cancelled.
void write_tensor(const Tensor& tensor, Output& output);

// apply(). If it fails and leaves a partly changed file, the error says so.
tscatter::Report apply_to(Output& output, const Operation& operation, const Arguments& arguments,
                          const RunOptions& options);

// Whether stdout carries the tensor.
bool goes_to_stdout(const OutputWanted& wanted);

// Whether a signal must be caught, so that a temporary file is removed.
bool leaves_temporary(const OutputWanted& wanted);

// Writes all of `text` to stdout. Throws Error (file.f5).
void print(std::string_view text);
void print_error(std::string_view text);  // to stderr; ignores failures

}  // namespace tscatter::app
