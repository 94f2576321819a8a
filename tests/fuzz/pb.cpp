// A .pb file of ONNX as a tensor, and as a model: as a node, and as an archive. A tensor has as
// many elements as its shape says; of a model the lists are short, and what is kept of it comes
// back.
#include "fuzz/target.hpp"
#include "tscatter/io/formats/onnx/onnx_archive.hpp"
#include "tscatter/io/formats/onnx/pb_tensor.hpp"
#include "tscatter/onnx/node_call.hpp"

using namespace tscatter;

namespace {

void check_tensor(const Tensor& tensor, const Source& file) {
  constexpr std::int64_t most_bytes_of_value = 8;
  fuzz::require(tensor.source().size() == tensor.byte_size(), "elements that are missing");
  fuzz::require(tensor.byte_size() <= most_bytes_of_value * file.size(), "too many elements");
  fuzz::read_all(tensor);
}

void read_initializers(const std::shared_ptr<const Source>& file) {
  const OnnxArchive archive(file, {.name = "fuzz"});
  const std::vector<ArchiveMember> members = archive.members();
  fuzz::require(std::ssize(members) <= file->size(), "too many initializers");
  for (std::size_t i = 0; i < members.size(); ++i) {
    fuzz::is_accepted([&] { check_tensor(archive.tensor_at(i), *file); });
    fuzz::is_accepted([&] { check_tensor(archive.tensor(members[i].name), *file); });
  }
}

void read_model(const Source& file) {
  const onnx::Model model = onnx::read_model(file, "fuzz");
  constexpr std::size_t most = 64;
  fuzz::require(model.inputs.size() <= most && model.node.inputs.size() <= most, "a long list");
  onnx::call_of(model);
  const std::string bytes = onnx::model_bytes(model);
  const onnx::Model again = onnx::read_model(SpanSource(std::as_bytes(std::span(bytes))), "again");
  fuzz::require(again.node.op_type == model.node.op_type, "an operation that does not come back");
  fuzz::require(again.node.inputs == model.node.inputs, "inputs that do not come back");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto file = std::make_shared<SpanSource>(fuzz::as_bytes(data, size));
  fuzz::is_accepted([&] { check_tensor(pb_tensor(file, {.name = "fuzz"}), *file); });
  fuzz::is_accepted([&] { read_initializers(file); });
  fuzz::is_accepted([&] { read_model(*file); });
  return 0;
}
