// A safetensors file, and an index of shards: what is accepted lies in the file, is found by its
// name, and has the bytes that its shape says.
#include "tscatter/io/formats/safetensors/safetensors.hpp"

#include <string>
#include <utility>
#include <vector>

#include "fuzz/target.hpp"
#include "tscatter/io/formats/safetensors/shards.hpp"

using namespace tscatter;

namespace {

void read_archive(const std::shared_ptr<const Source>& file) {
  const SafetensorsArchive archive(file, "fuzz");
  archive.metadata();
  std::int64_t bytes = 0;
  for (const ArchiveMember& member : archive.members()) {
    bytes += member.size;
    fuzz::is_accepted([&] {
      const Tensor tensor = archive.tensor(member.name);
      fuzz::require(tensor.byte_size() == member.size, "a tensor of another size");
      fuzz::read_all(tensor);
    });
  }
  fuzz::require(bytes <= file->size(), "more data than the file has");
}

// The header that would be written for the same tensors is accepted, too.
void write_header(const std::shared_ptr<const Source>& file) {
  const SafetensorsHeader header(file, "fuzz");
  std::vector<SafetensorsPart> parts;
  for (std::size_t i = 0; i < header.size(); ++i) {
    const SafetensorsEntry entry = header.entry(i);
    parts.push_back({.name = entry.name,
                     .dtype = entry.dtype,
                     .shape = entry.shape,
                     .size = entry.data.size()});
  }
  const SafetensorsLayout layout = safetensors_layout(std::move(parts), header.metadata(), "fuzz");
  std::string bytes = layout.front;
  bytes.resize(static_cast<std::size_t>(layout.size));
  const auto again = std::make_shared<SpanSource>(std::as_bytes(std::span(bytes)));
  const SafetensorsHeader written(again, "again");
  fuzz::require(written.size() == header.size(), "tensors that do not come back");
  fuzz::require(written.metadata() == header.metadata(), "metadata that do not come back");
}

void read_index(const std::shared_ptr<const Source>& file) {
  const ShardIndex index(file, "fuzz");
  std::string first;
  index.visit([&](const std::string& tensor, const std::string&) { first = tensor; });
  if (const auto shard = index.shard_of(first))
    fuzz::require(shard->find('/') == std::string::npos, "a shard in another folder");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto file = std::make_shared<SpanSource>(fuzz::as_bytes(data, size));
  fuzz::is_accepted([&] { read_archive(file); });
  fuzz::is_accepted([&] { write_header(file); });
  fuzz::is_accepted([&] { read_index(file); });
  return 0;
}
