// Files to which tscatter gives the name: what else may stand in their place.
#include <fcntl.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <string>

#include "catch.hpp"
#include "io/files.hpp"
#include "io/foreign_files.hpp"
#include "io/forwarding_files.hpp"
#include "tscatter/io/files/file_names.hpp"

namespace tscatter {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view f11 =
    "must be a regular file that tscatter has made (remove what has its name), got ";

// What was looked at is exchanged before it is opened.
class ExchangedFiles final : public ForwardingFiles {
 public:
  explicit ExchangedFiles(Path by) : by_{std::move(by)} {}
  int open(const Path& path, int flags, mode_t mode) override {
    fs::remove(path);
    fs::rename(by_, path);
    return ForwardingFiles::open(path, flags, mode);
  }

 private:
  Path by_;
};

}  // namespace

TEST_CASE("file.f11: what is no regular file is not opened in the place of one of tscatter's own",
          "[io]") {
  const TemporaryDirectory directory;
  write_file(directory / "precious", "of the user");
  const fs::path own = directory / "own";
  for (const ForeignFile& each : foreign_files(directory / "precious")) {
    INFO(each.words);
    each.make(own);
    const std::string refused = own.native() + ": " + std::string(f11) + each.words + " [file.f11]";
    for (const int flags : {O_RDONLY, O_WRONLY, O_RDWR, O_RDWR | O_CREAT})
      CHECK(refusal([&] { open_own(own, flags, system_files(), 0600); }) == refused);
    CHECK(refusal([&] { own_text(own, 100); }) == refused);
    CHECK(refusal([&] { require_own_place(own); }) == refused);
    // It comes after the look.
    fs::rename(own, directory / "by");
    write_file(own, "");
    ExchangedFiles files(directory / "by");
    int error = 0;
    const std::string late = refusal([&] {
      const File file = open_own(own, O_RDONLY, files);
      error = errno;
      throw Error(ErrorKind::file, "", "", "it was opened, or could not be");
    });
    CHECK((late == refused || error == ENXIO));  // a socket cannot be opened at all
    fs::remove_all(own);
  }
  CHECK(read_file(directory / "precious") == "of the user");
}

TEST_CASE("file.f11: a file that is written on has one name, and one that is read an end", "[io]") {
  const TemporaryDirectory directory;
  const fs::path own = directory / "own";
  write_file(directory / "precious", "of the user");
  fs::create_hard_link(directory / "precious", own);
  CHECK(refusal([&] { open_own(own, O_RDWR); }) ==
        own.native() + ": " + std::string(f11) + "one with 2 names [file.f11]");
  CHECK(own_text(own, 11) == "of the user");
  CHECK(refusal([&] { own_text(own, 10); }) ==
        own.native() + ": " + std::string(f11) + "one of 11 bytes [file.f11]");
  CHECK(own_text(directory / "none", 10) == std::nullopt);
  CHECK(open_own(directory / "none", O_RDWR).descriptor() < 0);
  CHECK(errno == ENOENT);
}

}  // namespace tscatter
