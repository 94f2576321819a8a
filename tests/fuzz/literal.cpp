// A typed literal.
#include "tscatter/io/formats/text/literal.hpp"

#include "fuzz/target.hpp"

using namespace tscatter;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::is_accepted([&] {
    const auto tensor = literal_tensor(fuzz::as_text(data, size), "fuzz");
    if (tensor) fuzz::read_all(*tensor);
  });
  return 0;
}
