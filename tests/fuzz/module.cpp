// A module of MLIR as lines of a batch: JSON, and cases that are read or skipped.
#include <sstream>
#include <string>

#include "batch/cases/case_files.hpp"
#include "batch/cases/case_reader.hpp"
#include "fuzz/target.hpp"
#include "tscatter/mlir/dense.hpp"

using namespace tscatter;

namespace {

void read_tensor(const Tensor& tensor) {
  constexpr std::int64_t most = 1 << 20;
  if (tensor.byte_size() > most) return;
  fuzz::read_all(tensor);
  std::vector<std::byte> bytes(static_cast<std::size_t>(tensor.byte_size()));
  tensor.source().read(0, bytes);
  const std::string text = mlir::dense_text(tensor.header(), bytes);
  fuzz::require(fuzz::are_equal(mlir::dense_tensor(text, "fuzz"), tensor),
                "a constant that is written as another");
}

void read_module(std::string_view text) {
  const app::BatchFile file{
      .path = "fuzz.mlir", .name = "fuzz.mlir", .base = "/", .source = app::CaseSource::module};
  std::istringstream lines(app::lines_of_module(text, "fuzz", "fuzz.mlir"));
  app::CaseReader reader;
  std::int64_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (line.empty()) continue;
    const auto each = reader.read({.number = number, .text = line, .file = &file});
    fuzz::require(each.has_value(), "a line that is no case");
    fuzz::require(!each->is_unnamed, "a case without a name");
    for (const auto& [name, word] : each->job.operands) {
      if (word.tensor) read_tensor(*word.tensor);
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::is_accepted([&] { read_module(fuzz::as_text(data, size)); });
  return 0;
}
