// An operand of raw bytes, in the first line, over a file, the rest: what is accepted lies in the
// file.
#include <algorithm>
#include <string_view>

#include "fuzz/target.hpp"
#include "tscatter/io/formats/format.hpp"

using namespace tscatter;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = fuzz::as_text(data, size);
  const std::string_view word = text.substr(0, text.find('\n'));
  const std::string_view rest = text.substr(std::min(word.size() + 1, text.size()));
  const auto name = raw_format.split(word);
  if (!name) return 0;
  fuzz::require(word.find(name->archive) != std::string_view::npos, "a file that is not named");
  const auto file = std::make_shared<SpanSource>(std::as_bytes(std::span(rest)));
  fuzz::is_accepted([&] {
    const Tensor tensor = raw_format.open_archive(file, {.name = "fuzz"})->tensor(name->member);
    fuzz::require(tensor.byte_size() <= file->size(), "more bytes than the file has");
    fuzz::read_all(tensor);
  });
  return 0;
}
