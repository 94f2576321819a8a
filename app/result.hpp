// Where a result goes.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "tscatter/apply.hpp"
#include "tscatter/io/npy_in_place.hpp"
#include "tscatter/io/output_file.hpp"

namespace tscatter::app {

enum class StdoutFormat : std::uint8_t { automatic, npy, json };

struct OutputWanted {
  std::optional<std::string> word;  // as -o has it; nullopt: printed
  std::string name = "--output";    // of the flag or key, for messages
  std::filesystem::path base = {};  // relative paths are relative to it
  StdoutFormat format = StdoutFormat::automatic;
  Durability durability = Durability::kill;
};

// Nothing is opened before the operation begins to write. Throws Error (usage, cli.c10).
std::unique_ptr<Output> open_output(const OutputWanted& wanted);

// Copies the tensor as it is, and commits. Throws Error (file) and Cancelled.
void write_tensor(const Tensor& tensor, Output& output);

// Applies it to the data file itself. Where that fails and the file cannot be rolled back, the
// error says that it is changed in part.
tscatter::Report apply_in_place(const Operation& operation, const Arguments& arguments,
                                NpyInPlace& output, const RunOptions& options);

// Whether stdout carries the tensor.
bool goes_to_stdout(const OutputWanted& wanted);

// Whether a signal must be caught, so that a temporary file is removed.
bool leaves_temporary(const OutputWanted& wanted);

// Writes all of `text` to stdout. Throws Error (file.f5).
void print(std::string_view text);
void print_error(std::string_view text);  // to stderr; a failure there has nobody to be told

}  // namespace tscatter::app
