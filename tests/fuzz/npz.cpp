// A whole .npz archive: its directory, and every member that it lists.
#include "tscatter/io/formats/zip/npz.hpp"

#include "fuzz/target.hpp"

using namespace tscatter;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto file = std::make_shared<SpanSource>(fuzz::as_bytes(data, size));
  fuzz::is_accepted([&] {
    const NpzArchive archive(file, {.name = "fuzz.npz"});
    const std::size_t members = archive.members().size();
    for (std::size_t i = 0; i < members; ++i) {
      fuzz::is_accepted([&] { fuzz::read_all(archive.tensor_at(i)); });
    }
  });
  return 0;
}
