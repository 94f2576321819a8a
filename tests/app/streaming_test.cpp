// The file system during a run: clones, and files that are truncated meanwhile.
#include <fcntl.h>
#include <fmt/format.h>
#include <linux/fiemap.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <memory>
#include <thread>
#include <utility>

#include "app/folder.hpp"
#include "catch.hpp"
#include "tscatter/io/files/file.hpp"

namespace tscatter {
namespace {

bool succeeds(const std::string& command) {
  return std::system((command + " >/dev/null 2>&1").c_str()) == 0;
}

// An XFS in a loop-mounted image, unmounted at the end.
class XfsMount {
 public:
  XfsMount() : image_{directory_ / "image"}, point_{directory_ / "mount"} {
    std::filesystem::create_directory(point_);
    if (::geteuid() != 0) {
      why_not_ = "mounting takes root";
    } else if (!succeeds("command -v mkfs.xfs")) {
      why_not_ = "no mkfs.xfs (package xfsprogs)";
    } else if (!succeeds(fmt::format("truncate -s 512M {0} && mkfs.xfs -q -m reflink=1 {0}",
                                     image_.string()))) {
      why_not_ = "mkfs.xfs failed";
    } else if (!succeeds(fmt::format("mount -o loop {} {}", image_.string(), point_.string()))) {
      why_not_ = "a loop device cannot be mounted here";
    }
  }
  XfsMount(const XfsMount&) = delete;
  XfsMount& operator=(const XfsMount&) = delete;
  ~XfsMount() {
    if (why_not_.empty()) succeeds("umount " + point_.string());
  }

  const std::string& why_not() const { return why_not_; }  // "" where it is mounted
  const std::filesystem::path& path() const { return point_; }

 private:
  TemporaryDirectory directory_;
  std::filesystem::path image_;
  std::filesystem::path point_;
  std::string why_not_;
};

// Whether the file shares blocks with another one.
bool shares_blocks(const std::filesystem::path& path) {
  constexpr std::size_t most = 64;
  const File file = File::open_for_reading(path);
  const auto buffer = std::make_unique<std::byte[]>(sizeof(fiemap) + most * sizeof(fiemap_extent));
  auto* map = reinterpret_cast<fiemap*>(buffer.get());
  map->fm_length = ~std::uint64_t{0};
  map->fm_flags = FIEMAP_FLAG_SYNC;
  map->fm_extent_count = most;
  REQUIRE(::ioctl(file.descriptor(), FS_IOC_FIEMAP, map) == 0);
  for (std::size_t i = 0; i < map->fm_mapped_extents; ++i) {
    if ((map->fm_extents[i].fe_flags & FIEMAP_EXTENT_SHARED) != 0) return true;
  }
  return false;
}

std::string bytes_npy(std::string_view shape, const std::string& data) {
  return npy_file(fmt::format("{{'descr': '|u1', 'fortran_order': False, 'shape': {}}}", shape),
                  data);
}

}  // namespace

TEST_CASE("a sparse update of a file on XFS shares the untouched blocks with it", "[app]") {
  const XfsMount xfs;
  if (!xfs.why_not().empty()) {
    std::cout << "skipped: a clone on XFS: " << xfs.why_not() << std::endl;
    return;
  }
  constexpr std::size_t rows = 4096;
  constexpr std::size_t width = 1000;  // no row but the first begins where a page does
  std::string data(rows * width, 'd');
  const auto in = [&](const std::string& name) { return xfs.path() / name; };
  // With the header that an output has, so that data begins at the same byte.
  const auto write = [&](const std::string& name, const std::string& bytes) {
    write_file(in("raw.npy"), bytes_npy("(4096, 1000)", bytes));
    output_of({"convert", in("raw.npy"), in(name)});
  };
  write("d.npy", data);
  REQUIRE(succeeds("sync -f " + in("d.npy").string()));
  for (const std::string form : {"whole rows", "every tenth element"}) {
    Strings words{"ScatterNDUpdate", "-d", in("d.npy"), "-i", "[[5], [4095], [0]]", "-u",
                  "3x1000xu8=120",   "-o", in("o.npy")};
    if (form == "every tenth element")
      words = {"SliceScatter", "-d",     in("d.npy"), "-u",   "2x100xu8=120", "--start",  "7,0",
               "--stop",       "9,1000", "--step",    "1,10", "-o",           in("o.npy")};
    std::string expected = data;
    if (form == "whole rows") {
      for (const std::size_t row : {5U, 4095U, 0U})
        expected.replace(row * width, width, width, 'x');
    } else {
      for (std::size_t i = 7 * width; i < 9 * width; i += 10) expected[i] = 'x';
    }
    INFO(form);
    output_of(words);
    write("expected.npy", expected);
    // Not `a == b` in CHECK: four megabytes would be printed.
    const bool is_right = read_file(in("o.npy")) == read_file(in("expected.npy"));
    CHECK(is_right);
    CHECK(shares_blocks(in("o.npy")));
  }
}

TEST_CASE("file.f3: updates that are cut while a run has them mapped end it with 3",
          "[app][native]") {
  const Folder folder;
  const std::string shape = "(33554432,)";
  const std::string file = bytes_npy(shape, "");
  for (const std::string name : {"d.npy", "u.npy"}) {
    folder.put(name, file);
    std::filesystem::resize_file(folder / name, file.size() + 33554432);
  }
  // The pipe takes little; the rest waits until it is read, and by then the file is short.
  Running running(
      folder.command("SliceScatter -d d.npy -u u.npy --start 0 --stop 33554432 --step 1 -o -"));
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  std::filesystem::resize_file(folder / "u.npy", 8192);
  const Result result = running.finish();
  CHECK(result.exit_code == 3);
  CHECK(result.err ==
        "tscatter: u.npy: changed while it was read: it was cut to 8192 bytes [file.f3]\n");
}

TEST_CASE("file.f3: a file that is cut while it is compared ends the run with 3", "[app][native]") {
  const Folder folder;
  const std::string data(4194304, 'x');
  const std::string file = bytes_npy("(2048, 2048)", data);
  const std::string fortran =
      npy_file("{'descr': '|u1', 'fortran_order': True, 'shape': (2048, 2048)}", data);
  const std::string pipe = folder / "pipe";
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  // Byte by byte, and in boxes, for different memory orders.
  for (const auto& [cut, got] :
       {std::pair{file, "it ends at byte 8192"}, std::pair{fortran, "it was cut to 8192 bytes"}}) {
    folder.put("cut.npy", cut);
    Running running(folder.command("compare cut.npy pipe"));
    // The pipe is opened after the file, and nothing is compared before it ends.
    std::ofstream other(pipe, std::ios::binary);
    std::filesystem::resize_file(folder / "cut.npy", 8192);
    other << file << std::flush;
    other.close();
    const Result result = running.finish();
    CHECK(result.exit_code == 3);
    CHECK(result.out.empty());
    CHECK(result.err ==
          fmt::format("tscatter: cut.npy: changed while it was read: {} [file.f3]\n", got));
  }
}

}  // namespace tscatter
