// The model of a node test of ONNX as a line of a batch: JSON, and a case that is read or skipped.
#include <algorithm>
#include <string>
#include <variant>

#include "batch/cases/case_files.hpp"
#include "batch/cases/case_reader.hpp"
#include "fuzz/target.hpp"

using namespace tscatter;

namespace {

// `folder`: as many bytes as the first one says, before the model.
void read_line(std::span<const std::byte> model, std::string_view folder) {
  const auto call = onnx::call_of(onnx::read_model(SpanSource(model), "fuzz"));
  const std::string line = app::node_test_line(call, folder, "test_data_set_0");
  fuzz::require(line.find('\n') + 1 == line.size(), "a line that is not one");
  const app::BatchFile file{.path = "model.onnx", .name = "model.onnx", .base = "/"};
  const auto each = app::CaseReader().read({.number = 1, .text = line, .file = &file});
  fuzz::require(each.has_value(), "a line that is no case");
  const bool is_named = !folder.empty();
  fuzz::require(each->error.has_value() != is_named, "a case that is wrong in itself, or is not");
  if (!is_named) return;
  fuzz::require(each->skip.has_value() == std::holds_alternative<std::string>(call),
                "a case that is skipped, or not, against the model");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::size_t name = std::min<std::size_t>(data[0], size - 1);
  const auto bytes = fuzz::as_bytes(data, size).subspan(1);
  std::string_view folder = fuzz::as_text(data, size).substr(1, name);
  folder = folder.substr(0, folder.find('\0'));  // as the name of a file ends
  fuzz::is_accepted([&] { read_line(bytes.subspan(name), folder); });
  return 0;
}
