#include "tscatter/generate/node_test.hpp"

#include <fmt/format.h>

#include <memory>

#include "tscatter/apply/apply.hpp"
#include "tscatter/generate/suite_files.hpp"
#include "tscatter/io/files/output_file.hpp"
#include "tscatter/io/files/own_file.hpp"
#include "tscatter/io/formats/onnx/pb_output.hpp"
#include "tscatter/onnx/node_call.hpp"

namespace tscatter::generate {
namespace {

using std::filesystem::path;

PbOutput tensor_file(const path& file, std::string_view tensor_name) {
  require_own_place(file);
  return {[file] { return std::make_unique<OutputFile>(file, Durability::kill); },
          {.name = file.native(), .tensor_name = std::string(tensor_name)}};
}

void write_tensor(const path& file, std::string_view name, const Tensor& tensor) {
  PbOutput output = tensor_file(file, name);
  output.begin(tensor.header(), tensor.source()).write(0, *tensor.source().view());
  output.commit();
}

}  // namespace

std::string write_node_test(const GeneratedCase& generated, const path& directory) {
  const Operation& operation = *generated.operation;
  std::string name = "test_" + generated.name;
  const path data_set = directory / name / "test_data_set_0";
  make_directory(data_set);
  const Arguments arguments = arguments_of(generated);
  prepared(operation, arguments);
  const onnx::Model model = onnx::model_of(operation, arguments, operation.infer_output(arguments));
  write_text(directory / name / "model.onnx", onnx::model_bytes(model));
  for (std::size_t i = 0; i < model.inputs.size(); ++i) {
    const std::string& operand = model.inputs[i].name;
    write_tensor(data_set / fmt::format("input_{}.pb", i), operand, arguments.operand(operand));
  }
  PbOutput expected = tensor_file(data_set / "output_0.pb", onnx::output_name);
  apply(operation, arguments, expected, {.threads = 1});
  return name;
}

}  // namespace tscatter::generate
