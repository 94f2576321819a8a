// A table of numbers, its separator chosen by the first byte. What is read has as many elements as
// its shape says, and no more than the text has bytes.
#include "fuzz/target.hpp"
#include "tscatter/io/formats/csv_tensor.hpp"

using namespace tscatter;

namespace {

void read(std::string_view text, Separator separator, std::optional<DType> dtype) {
  const SpanSource source(std::as_bytes(std::span(text)));
  const Tensor tensor = csv_tensor(source, separator, {.name = "fuzz", .dtype = dtype});
  fuzz::require(tensor.source().size() == tensor.byte_size(), "elements that are missing");
  fuzz::require(tensor.count() <= source.size(), "more elements than bytes");
  fuzz::read_all(tensor);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const auto separator = static_cast<Separator>(data[0] % 3);
  const std::string_view text = fuzz::as_text(data + 1, size - 1);
  for (const std::optional<DType> dtype :
       {std::optional<DType>(), std::optional(DType::float16), std::optional(DType::uint64)})
    fuzz::is_accepted([&] { read(text, separator, dtype); });
  return 0;
}
