// Files of over 4 GiB, which a 32-bit machine can neither map nor count in a word. They are sparse,
// so only what is written takes space.
#include <fstream>

#include "app/folder.hpp"
#include "catch.hpp"

namespace tscatter {
namespace {

constexpr std::int64_t elements = std::int64_t{5} << 30;

Strings large_update(const std::string& indices) {
  return {"ScatterUpdate", "-d", "large.npy", "-i",        indices, "-u",
          "3xu8=7,8,9",    "-a", "0",         "--in-place"};
}

}  // namespace

TEST_CASE("a file of over 4 GiB is changed in place where it is meant", "[app]") {
  const Folder folder;
  const std::int64_t begin = write_zeros(folder / "large.npy", elements);
  const Result result = folder.run(large_update("[4294967296, 0, 5368709119]"));
  CHECK(result.err.empty());
  CHECK(result.exit_code == 0);
  CHECK(folder.names() == Strings{"large.npy"});
  const std::int64_t gib4 = std::int64_t{1} << 32;
  CHECK(bytes_at(folder / "large.npy", begin, 2) == std::string("\x08\0", 2));
  CHECK(bytes_at(folder / "large.npy", begin + gib4 - 1, 3) == std::string("\0\x07\0", 3));
  CHECK(bytes_at(folder / "large.npy", begin + elements - 2, 2) == std::string("\0\x09", 2));
}

TEST_CASE("an index behind 4 GiB is refused with its own value", "[app]") {
  const Folder folder;
  write_zeros(folder / "large.npy", elements);
  CHECK(folder.refused(5, large_update("[4294967296, 0, 5368709120]")) ==
        "scatter_update_3: indices[2] must be in [0, 5368709120) for data axis 0, got 5368709120 "
        "[scatter_update_3.c4]");
}

TEST_CASE("a slice behind 4 GiB is written where it is meant", "[app]") {
  const Folder folder;
  const std::int64_t begin = write_zeros(folder / "large.npy", elements);
  const Result result = folder.run(
      "SliceScatter -d large.npy -u 2xu8=5,6 --start -3 --stop 5368709120 --step 2 --in-place");
  CHECK(result.err.empty());
  CHECK(result.exit_code == 0);
  CHECK(bytes_at(folder / "large.npy", begin + elements - 4, 4) == std::string("\0\x05\0\x06", 4));
}

}  // namespace tscatter
