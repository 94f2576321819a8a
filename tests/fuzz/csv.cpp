// A table of numbers. Its first byte chooses the separator, whether missing values become NaN, and
// the columns.
// What is read has as many elements as its shape says, and no more than the text has bytes: each
// cell ends with one, but the last.
#include "tscatter/io/formats/text/csv.hpp"

#include <array>

#include "fuzz/target.hpp"

using namespace tscatter;

namespace {

struct Way {
  Separator separator;
  Missing missing;
  std::string columns;  // none twice; empty: all
};

void read(std::string_view text, Way way, std::optional<DType> dtype) {
  const SpanSource source(std::as_bytes(std::span(text)));
  const Tensor tensor =
      csv_tensor(source, way.separator,
                 {.name = "fuzz", .part = way.columns, .dtype = dtype, .missing = way.missing});
  fuzz::require(tensor.source().size() == tensor.byte_size(), "elements that are missing");
  fuzz::require(tensor.count() <= source.size() + 1, "more elements than bytes");
  fuzz::read_all(tensor);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  constexpr std::array<const char*, 6> columns{"", "1", "2,1", "a", "\"2\",a", "1-3"};
  const Way way{.separator = static_cast<Separator>(data[0] % 3),
                .missing = data[0] / 3 % 2 == 0 ? Missing::refused : Missing::nan,
                .columns = columns.at(data[0] / 6 % columns.size())};
  const std::string_view text = fuzz::as_text(data + 1, size - 1);
  for (const std::optional<DType> dtype :
       {std::optional<DType>(), std::optional(DType::float16), std::optional(DType::uint64)})
    fuzz::is_accepted([&] { read(text, way, dtype); });
  return 0;
}
