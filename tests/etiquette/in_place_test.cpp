// How files are changed in place, and devices and pipes written. docs/journal.md names these
// tests.
#include <fcntl.h>
#include <sys/file.h>
#include <sys/sysmacros.h>

#include <array>

#include "catch.hpp"
#include "etiquette/rewriting.hpp"
#include "tscatter/io/files/file.hpp"
#include "tscatter/io/formats/npy/npy_file.hpp"

namespace tscatter::etiquette {
namespace {

std::int64_t nanoseconds(const timespec& time) {
  return std::int64_t{time.tv_sec} * 1000000000 + time.tv_nsec;
}

}  // namespace

TEST_CASE("no updates in place do not touch the file", "[etiquette]") {
  const TemporaryDirectory directory;
  const fs::path path = directory / "x.npy";
  write_file(path, bytes_npy(3, 'a'));
  // A change now gets a different time, however slowly the clock ticks.
  constexpr timespec then{.tv_sec = 1000000000, .tv_nsec = 1};
  constexpr std::array<timespec, 2> old{then, then};
  REQUIRE(::utimensat(AT_FDCWD, path.c_str(), old.data(), 0) == 0);
  REQUIRE(::utimensat(AT_FDCWD, directory.path().c_str(), old.data(), 0) == 0);
  const struct stat before = status_of(path);
  const TemporaryDirectory clock;
  do {
    write_file(clock / "tick", "x");
  } while (nanoseconds(status_of(clock / "tick").st_mtim) == nanoseconds(before.st_ctim));
  const auto change = [&](Strings words, const Strings& more) {
    words.insert(words.end(), {"-d", path, "--in-place"});
    words.insert(words.end(), more.begin(), more.end());
    output_of(words);
    const struct stat after = status_of(path);
    CHECK(after.st_ino == before.st_ino);
    CHECK(nanoseconds(after.st_mtim) == nanoseconds(then));
    CHECK(nanoseconds(after.st_ctim) == nanoseconds(before.st_ctim));
    CHECK(nanoseconds(status_of(directory.path()).st_mtim) == nanoseconds(then));
  };
  for (const Strings& more : {Strings{}, Strings{"--sync"}, Strings{"--no-journal"}}) {
    change({"ScatterUpdate", "-i", "[]", "-u", "[]", "-a", "0"}, more);
    change({"ScatterNDUpdate-15", "-i", "0x1xi32=", "-u", "[]", "-r", "sum"}, more);
    change({"SliceScatter-15", "-u", "[]", "--start", "1", "--stop", "1", "--step", "1"}, more);
  }
}

TEST_CASE("a second writer in place is kept out, with a message", "[etiquette]") {
  const TemporaryDirectory directory;
  const fs::path path = directory / "x.npy";
  write_file(path, bytes_npy(3, 'a'));
  fs::create_hard_link(path, directory / "same.npy");
  const auto is_refused = [&](const std::string& name, const Strings& words) {
    CHECK(refusal_of(3, Command(words).in(directory.path())) ==
          name + ": is being changed by another tscatter (--wait SECONDS waits for it) [file.f8]");
    CHECK(read_file(path) == bytes_npy(3, 'a'));
  };
  {
    const InPlaceFile first = npy_in_place(path);
    is_refused("x.npy", in_place("x.npy", "3xu8=98"));
    is_refused("x.npy", in_place("x.npy", "3xu8=98", {"--no-journal"}));
    is_refused("same.npy", in_place("same.npy", "3xu8=98"));
    is_refused("x.npy", {"recover", "x.npy"});
  }
  {
    const File held(::open(path.c_str(), O_RDWR | O_CLOEXEC), "held");
    REQUIRE(::flock(held.descriptor(), LOCK_EX) == 0);
    is_refused("x.npy", in_place("x.npy", "3xu8=98"));
  }
  fs::remove(directory / "same.npy");
  output_of(in_place(path, "3xu8=98"));
  CHECK(read_file(path) == bytes_npy(3, 'b'));
}

TEST_CASE("devices and directories are not changed in place, nor is a directory an output",
          "[etiquette]") {
  const TemporaryDirectory directory;
  CHECK(refusal_of(3, in_place("/dev/null", "3xu8=98")) ==
        "/dev/null: a file that is changed in place must be a regular file, got a pipe or device "
        "[file.f4]");
  fs::create_directory(directory / "d");
  CHECK(refusal_of(3, Command(in_place("./d", "3xu8=98")).in(directory.path())) ==
        "./d: must be a file, got a directory [file.f2]");
  CHECK(refusal_of(3, Command("convert 3xu8=1 ./d").in(directory.path())) ==
        "./d: is a folder: name a file in it [file.f7]");
  CHECK(directory.names() == Strings{"d"});
}

TEST_CASE("devices and pipes as outputs are written straight through", "[etiquette]") {
  const TemporaryDirectory directory;
  const fs::path pipe = directory / "pipe";
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  CHECK(refusal_of(3, in_place(pipe, "3xu8=98")) ==
        pipe.native() +
            ": a file that is changed in place must be a regular file, got a pipe or device "
            "[file.f4]");
  const File reader(::open(pipe.c_str(), O_RDWR | O_CLOEXEC), "reader");
  output_of({"convert", "3xu8=98", pipe});
  CHECK(fs::is_fifo(fs::symlink_status(pipe)));
  std::string found(131, '\0');
  REQUIRE(reader.is_readable_within(1000));
  CHECK(reader.read_available(std::as_writable_bytes(std::span(found))) == found.size());
  CHECK(found.ends_with("bbb"));
  // A node of its own, so that none of the system's is lost if this fails.
  constexpr unsigned memory_devices = 1;
  constexpr unsigned full = 7;
  const fs::path node = directory / "node";
  if (::mknod(node.c_str(), S_IFCHR | 0600U, makedev(memory_devices, full)) != 0) {
    WARN("skipped: devices may not be made here");
    return;
  }
  CHECK(refusal_of(3, Command("convert 3xu8=98 node").in(directory.path())) ==
        "node: cannot be written to its end: no space left on device [file.f5]");
  CHECK(fs::is_character_file(fs::symlink_status(node)));
  CHECK(directory.names() == Strings{"node", "pipe"});
}

TEST_CASE("a sparse file stays sparse in place", "[etiquette]") {
  const TemporaryDirectory directory;
  constexpr std::int64_t size = std::int64_t{64} << 20U;
  write_file(directory / "x.npy",
             npy_file("{'descr': '|u1', 'fortran_order': False, 'shape': (67108864,)}"));
  const auto header = static_cast<std::int64_t>(fs::file_size(directory / "x.npy"));
  fs::resize_file(directory / "x.npy", static_cast<std::uintmax_t>(header + size));
  output_of({"ScatterUpdate", "-d", directory / "x.npy", "-i", "[5, 33554432, 67108863]", "-u",
             "[1, 2, 3]", "-a", "0", "--in-place"});
  output_of({"ScatterNDUpdate-15", "-d", directory / "x.npy", "-i", "[[9], [50000000]]", "-u",
             "[1, 2]", "-r", "sum", "--in-place"});
  output_of({"SliceScatter-15", "-d", directory / "x.npy", "-u", "5000xu8=3", "--start", "20000000",
             "--stop", "20005000", "--step", "1", "--in-place"});
  const struct stat status = status_of(directory / "x.npy");
  CHECK(status.st_size == header + size);
  CHECK(status.st_blocks * 512 < (std::int64_t{1} << 20U));
  CHECK(directory.names() == Strings{"x.npy"});
}

}  // namespace tscatter::etiquette
