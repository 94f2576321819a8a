// Modules of MLIR as lines of a batch: each function that scatters constants and checks the result,
// as StableHLO's own tests have them. Form: docs/batch.md.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "tscatter/core/tensor.hpp"

namespace tscatter::app {

// Whether a file of this name holds a module.
bool is_module(const std::filesystem::path& file);

// The lines of a module: each function's where it begins in the file, or on the first free line
// behind. Its operands are objects, {"mlir": "dense<[1, 2]> : tensor<2xi64>"}. What cannot be run
// here becomes a line that is skipped, with the reason. `stem`: what the cases are called. `name`:
// in messages. Throws Error (format, mlir.f1).
std::string lines_of_module(std::string_view text, std::string_view stem, const std::string& name);

// The same of a file. Throws Error (file; format, mlir.f1).
std::string module_lines(const std::filesystem::path& module);

// The tensor of such an object. `where` is used in messages. Throws Error (format, mlir.f1 to
// mlir.f4). REQUIRES: lines_of_module() made it.
Tensor tensor_of_module(const std::string& object, const std::string& where);

}  // namespace tscatter::app
