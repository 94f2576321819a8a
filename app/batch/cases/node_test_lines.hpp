// The data sets of a node test of ONNX as lines of a batch: test_NAME/model.onnx, and beside it
// test_data_set_0 with input_0.pb … and output_0.pb. Form: docs/batch.md.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

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

}  // namespace tscatter::app
