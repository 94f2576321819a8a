// A generated case as a node test of ONNX: a folder with a model and a data set. Form:
// docs/generate.md. Not part of the installed interface.
#pragma once

#include <filesystem>
#include <string>

#include "tscatter/generate/generated_case.hpp"

namespace tscatter::generate {

// Writes test_NAME/model.onnx, and test_NAME/test_data_set_0 with input_0.pb … and output_0.pb;
// returns "test_NAME". Throws Error (file). REQUIRES: the case is legal, its operation is ONNX's.
std::string write_node_test(const GeneratedCase& generated, const std::filesystem::path& directory);

}  // namespace tscatter::generate
