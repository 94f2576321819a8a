// Lines of a batch that are made of other files: of the data sets of a node test of ONNX,
// test_NAME/model.onnx, and beside it test_data_set_0 with input_0.pb … and output_0.pb; and of a
// module of MLIR, each function that scatters constants and checks the result, as StableHLO's own
// tests have them. Forms: docs/batch.md.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "tscatter/core/tensor.hpp"
#include "tscatter/onnx/node_call.hpp"

namespace tscatter::app {

inline constexpr std::string_view model_of_node_test = "model.onnx";

// Whether a file of this name holds a model.
bool is_model(const std::filesystem::path& file);

// The names of the folders test_data_set_N beside the model, by their numbers; empty if they cannot
// be read.
std::vector<std::string> data_sets_beside(const std::filesystem::path& model);

// The line of one data set. `call`: what the model calls, or why it is not run here.
std::string node_test_line(const std::variant<onnx::NodeCall, std::string>& call,
                           std::string_view name, const std::string& data_set);

// A line for each data set, with paths relative to the model's folder. What cannot be run here
// becomes a line that is skipped, with the reason. Throws Error (file; format, pb.f1, pb.f2 and
// pb.f9; usage, batch.b16 without a data set).
std::string node_test_lines(const std::filesystem::path& model);

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
