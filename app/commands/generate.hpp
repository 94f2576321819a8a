// tscatter generate <Operation>: random cases with golden results.
#pragma once

#include <cstdint>
#include <filesystem>

#include "tscatter/generate/generator.hpp"

namespace tscatter::app {

enum class ProgressLine : bool { hidden, on_terminals };

// Prints the names of the cases, one a line.
void list_generated(const generate::CaseGenerator& generator);

// Throws Error (file: generate.g5, file.*) and Cancelled.
void write_generated(const generate::CaseGenerator& generator,
                     const std::filesystem::path& directory, ProgressLine progress);

}  // namespace tscatter::app
