// What a message proposes about files that are not there, and about names that another operation
// has.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "jobs/operand.hpp"
#include "tscatter/ops/operation.hpp"

namespace tscatter::app {

// What to write for an operand at whose path there is no file: " (nearest: data.npy)", how a job
// spells a value, or where that is explained.
std::string missing_file_hint(const std::filesystem::path& path, const OperandWord& word);

// For a word that is none of the operation's reductions: " (use sum)", " (ScatterElementsUpdate-12
// has mean)", " (nearest: sum)"; "" if nothing is near. REQUIRES: it has reductions.
std::string reduction_hint(const Operation& operation, std::string_view word);

// " (ScatterNDUpdate-15 has it)" for reduction, --reduction and -r; "" if no operation in the same
// namespace has it.
std::string other_operation_hint(const Operation& operation, std::string_view name);

}  // namespace tscatter::app
