// Writes generated cases as a batch: the operands and the expected output of each as .npy files,
// and cases.jsonl beside them. Form: docs/generate.md.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>

#include "tscatter/generate/generator.hpp"

namespace tscatter::generate {

// Creates the directory if needed. cases.jsonl is marked as incomplete until the end, so that the
// same call can be repeated after a kill. Throws Error (file, generate.g5 and file.*) and
// Cancelled.
void write_suite(const CaseGenerator& generator, const std::filesystem::path& directory,
                 const WriteOptions& options = {});

}  // namespace tscatter::generate
