// How files are rewritten where there is too little space. docs/journal.md names these tests.
#include <fmt/format.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "catch.hpp"
#include "etiquette/mounts.hpp"
#include "etiquette/rewriting.hpp"

namespace tscatter::etiquette {
namespace {

// The space that a user may take; for root, the reserved blocks too.
std::uint64_t free_space(const fs::path& path) {
  struct statvfs status {};
  REQUIRE(::statvfs(path.c_str(), &status) == 0);
  return status.f_frsize * (::geteuid() == 0 ? status.f_bfree : status.f_bavail);
}

}  // namespace

TEST_CASE("no space is found before the first byte, and reported with sizes", "[etiquette]") {
  const TemporaryDirectory directory;
  const auto mount = Mount::small(directory.path());
  if (!mount) {
    WARN("skipped: mounting is not allowed here");
    return;
  }
  CHECK(refusal_of(3, Command("convert 4000000xu8=1 x.npy").in(directory.path())) ==
        "x.npy: needs space for 4000128 bytes: 2097152 are free [file.f5]");
  CHECK(directory.names().empty());
}

TEST_CASE("no space is found before the first byte where a quota is used up", "[etiquette]") {
  const TemporaryDirectory directory;
  const Tracing tracing = tracing_of(directory, {"convert", "3xu8=1", directory / "x.npy"});
  const auto whole = faults::traced_run(tracing);
  if (!whole) {
    WARN("skipped: this system allows no tracing");
    return;
  }
  const SystemCall& taking = call_in(*whole, {"fallocate"});
  CHECK(taking.place < call_in(*whole, {"pwrite64"}).place);
  fs::remove(directory / "x.npy");
  const auto result = faults::traced_run(tracing, fault_at(taking, Deed::fail, EDQUOT));
  CHECK(result->exit_code == 3);
  CHECK(result->err == "tscatter: " + (directory / "x.npy").native() +
                           ": needs space for 131 bytes: disk quota exceeded [file.f5]\n");
  CHECK(directory.names().empty());
}

TEST_CASE("no space is found before the first byte on ext4, and nothing is taken for it",
          "[etiquette]") {
  const TemporaryDirectory directory;
  fs::create_directory(directory / "d");
  const auto mount = Mount::ext4(directory / "image", directory / "d");
  if (!mount) {
    WARN("skipped: an image with ext4 cannot be made or mounted here");
    return;
  }
  output_of({"convert", "1000000xu8=97", directory / "d/x.npy"});
  const std::uint64_t free = free_space(directory / "d");
  CHECK(refusal_of(3, Command("convert 20000000xu8=1 x.npy").in(directory / "d")) ==
        fmt::format("x.npy: needs space for 20000128 bytes: {} are free [file.f5]", free));
  CHECK(free_space(directory / "d") == free);
  CHECK(fs::file_size(directory / "d/x.npy") == 1000128);
  output_of({"convert", "1000000xu8=98", directory / "d/y.npy"});
}

TEST_CASE("a file system that fills leaves the old files, and nothing else", "[etiquette]") {
  const TemporaryDirectory directory;
  const auto mount = Mount::small(directory.path());
  if (!mount) {
    WARN("skipped: mounting is not allowed here");
    return;
  }
  output_of({"convert", "1400000xu8=97", directory / "x.npy"});
  output_of({"convert", "3xu8=97", directory / "a.npz:small"});
  output_of({"convert", "[1]", directory / "j.json"});
  const std::string data = read_file(directory / "x.npy");
  const std::string archive = read_file(directory / "a.npz");
  const Strings names = directory.names();
  const auto refused = [&](Strings words) {
    return refusal_of(3, Command(std::move(words)).in(directory.path()));
  };
  CHECK(refused({"convert", "1400000xu8=98", "x.npy"}).ends_with(" free [file.f5]"));
  CHECK(refused({"convert", "1400000xu8=98", "a.npz:large"}).ends_with(" free [file.f5]"));
  CHECK(refused({"convert", "500000xu8=98", "j.json"}) ==
        "j.json: cannot be written to its end: no space left on device [file.f5]");
  const Strings all = split_words(
      "SliceScatter-15 -d x.npy -u 1400000xu8=98 --start 0 --stop 1400000 --step 1 --in-place");
  CHECK(refused(all) ==
        "x.npy: the undo journal cannot be written beside the file (or use --no-journal): no space "
        "left on device [undo.u1]");
  CHECK(std::ranges::equal(read_file(directory / "x.npy"), data));
  CHECK(read_file(directory / "a.npz") == archive);
  CHECK(directory.names() == names);
}

TEST_CASE("a file system that fills while the holes of a file are written leaves the old file",
          "[etiquette]") {
  const TemporaryDirectory directory;
  const auto mount = Mount::small(directory.path());
  if (!mount) {
    WARN("skipped: mounting is not allowed here");
    return;
  }
  const std::string before = bytes_npy(4000000, '\0');
  write_file(directory / "x.npy", before.substr(0, 100));
  fs::resize_file(directory / "x.npy", before.size());
  // There is space for the journal, and for half the change.
  const Strings words = split_words(
      "SliceScatter-15 -d x.npy -u 1200000xu8=98 --start 0 --stop 1200000 --step 1 --in-place");
  CHECK(refusal_of(3, Command(words).in(directory.path())) ==
        "x.npy: cannot be written to its end: no space left on device [file.f5]");
  CHECK(std::ranges::equal(read_file(directory / "x.npy"), before));
  CHECK(directory.names() == Strings{"x.npy"});
}

}  // namespace tscatter::etiquette
