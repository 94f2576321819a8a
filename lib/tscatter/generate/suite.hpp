// Writes generated cases as a batch: the operands and the expected output of each as .npy files,
// and cases.jsonl beside them. Form: docs/generate.md.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "tscatter/generate/generator.hpp"

namespace tscatter::generate {

// Cases by number, and the command line that makes them.
struct Suite {
  std::string command;     // without the program and --count: "ScatterUpdate-3 --seed 7"
  std::int64_t count = 0;  // a suite of the same command with a smaller one is a beginning of this
  std::int64_t size = 0;   // cases
  Layout layout = Layout::npy;
  std::function<GeneratedCase(std::int64_t index)> at;
};

// Creates the directory if needed. cases.jsonl is marked as incomplete until the end, so that the
// same call can be repeated after a kill. Throws Error (file, generate.g5 and file.*) and
// Cancelled.
void write_suite(const Suite& suite, const std::filesystem::path& directory,
                 const WriteOptions& options = {});

// The cases of a generator.
Suite suite_of(CaseGenerator generator);

// Creates the directory if there is none, with those above it. Throws Error (file.f4).
void make_directory(const std::filesystem::path& directory);

// Writes a small file, all or nothing. Throws Error (file).
void write_text(const std::filesystem::path& file, const std::string& text);

}  // namespace tscatter::generate
