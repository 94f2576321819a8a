// A whole .npy file: header and elements. Writing what was read must give the same header.
#include "fuzz/target.hpp"
#include "tscatter/io/formats/npy/npy_file.hpp"

using namespace tscatter;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto file = std::make_shared<SpanSource>(fuzz::as_bytes(data, size));
  fuzz::is_accepted([&] {
    const Tensor tensor = npy_tensor(file, "fuzz.npy");
    fuzz::require(tensor.byte_size() <= static_cast<std::int64_t>(size),
                  "more elements than bytes");
    fuzz::read_all(tensor);
    const std::vector<std::byte> again = npy_header_bytes(tensor.header());
    const NpyHeader header = read_npy_header(SpanSource(again), "again.npy");
    fuzz::require(header.tensor == tensor.header(), "a header that does not come back");
    fuzz::require(header.data_offset == static_cast<std::int64_t>(again.size()), "a wrong offset");
  });
  return 0;
}
