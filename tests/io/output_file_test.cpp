#include "tscatter/io/files/output_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <thread>

#include "catch.hpp"
#include "io/files.hpp"
#include "io/forwarding_files.hpp"
#include "tscatter/io/files/sources.hpp"
#include "tscatter/io/files/temporary_file.hpp"
#include "tscatter/io/formats/npy/npy_file.hpp"

namespace tscatter {
namespace {

using Names = std::vector<std::string>;

void write_output(const std::filesystem::path& path, std::string_view text) {
  OutputFile file(path, Durability::kill);
  file.reserve(static_cast<std::int64_t>(text.size()));
  file.write(0, bytes_of(text));
  file.commit();
}

std::string refused_output(const std::filesystem::path& path) {
  return refusal([&] { write_output(path, "new"); });
}

mode_t mode_of(const std::filesystem::path& path) {
  struct stat status {};
  REQUIRE(::stat(path.c_str(), &status) == 0);
  return status.st_mode & 07777U;
}

}  // namespace

TEST_CASE("what another machine writes is left alone where flock is each machine's own", "[io]") {
  class Machine final : public ForwardingFiles {
   public:
    int open_unnamed(const Path&, mode_t) override {
      errno = EOPNOTSUPP;
      return -1;
    }
    int flock(int, int) override { return 0; }
  };
  const TemporaryDirectory directory;
  Machine files;
  const std::filesystem::path path = directory / "x";
  TemporaryFile living(path, "x", files);
  living.file().write_at(0, bytes_of("living"));
  TemporaryFile other(path, "x", files);
  other.file().write_at(0, bytes_of("other"));
  other.put_in_place(Durability::kill);
  CHECK(read_file(path) == "other");
  living.put_in_place(Durability::kill);
  CHECK(read_file(path) == "living");
  CHECK(directory.names() == Names{"x"});
}

TEST_CASE("a new file follows the umask, an existing one keeps its permissions", "[io]") {
  const TemporaryDirectory directory;
  const mode_t before = ::umask(027);
  write_output(directory / "new", "x");
  ::umask(before);
  CHECK(mode_of(directory / "new") == 0640);
  ::chmod((directory / "new").c_str(), 0604);
  write_output(directory / "new", "y");
  CHECK(mode_of(directory / "new") == 0604);
  CHECK(read_file(directory / "new") == "y");
}

TEST_CASE("an output that is not committed leaves what was there", "[io]") {
  const TemporaryDirectory directory;
  write_file(directory / "old", "old");
  for (const char* name : {"old", "new"}) {
    OutputFile file(directory / name, Durability::kill);
    file.write(0, bytes_of("half"));
  }
  CHECK(directory.names() == Names{"old"});
  CHECK(read_file(directory / "old") == "old");
}

TEST_CASE("an output that survives a power cut is written like any other", "[io]") {
  const TemporaryDirectory directory;
  OutputFile file(directory / "x", Durability::power_cut);
  file.write(0, bytes_of("synced"));
  file.commit();
  CHECK(read_file(directory / "x") == "synced");
  CHECK(directory.names() == Names{"x"});
}

TEST_CASE("a symbolic link is followed and stays", "[io]") {
  const TemporaryDirectory directory;
  std::filesystem::create_directory(directory / "sub");
  write_file(directory / "sub/target", "old");
  std::filesystem::create_symlink("sub/target", directory / "link");
  std::filesystem::create_symlink("link", directory / "link2");
  write_output(directory / "link2", "new");
  CHECK(std::filesystem::is_symlink(directory / "link"));
  CHECK(std::filesystem::is_symlink(directory / "link2"));
  CHECK(read_file(directory / "sub/target") == "new");
  CHECK(directory.names() == Names{"link", "link2", "sub"});
}

TEST_CASE("a dangling link's target is made", "[io]") {
  const TemporaryDirectory directory;
  std::filesystem::create_symlink("target", directory / "link");
  write_output(directory / "link", "new");
  CHECK(std::filesystem::is_symlink(directory / "link"));
  CHECK(read_file(directory / "target") == "new");
}

TEST_CASE("file.f4: an output that cannot be created is refused", "[io]") {
  const TemporaryDirectory directory;
  const std::string missing = (directory / "no/x").native();
  CHECK(refused_output(missing) == missing + ": cannot be created: the folder " +
                                       (directory / "no").native() + " does not exist [file.f4]");
  write_file(directory / "file", "");
  CHECK(refused_output(directory / "file/x").ends_with(": not a directory [file.f4]"));
  CHECK(refused_output(directory / "new/").ends_with(": no such file or directory [file.f4]"));
  std::filesystem::create_symlink("loop", directory / "loop");
  CHECK(refused_output(directory / "loop")
            .ends_with(": too many levels of symbolic links [file.f4]"));
  CHECK(refused_output("").ends_with(": no such file or directory [file.f4]"));
  CHECK(refused_output("/dev/fd/987654") ==
        "/dev/fd/987654: is no open descriptor: bad file descriptor [file.f4]");
}

TEST_CASE("file.f4: a file that may not be written to is refused, unless by root", "[io]") {
  const TemporaryDirectory directory;
  write_file(directory / "kept", "old");
  ::chmod((directory / "kept").c_str(), 0444);
  if (::geteuid() == 0) {
    CHECK(refused_output(directory / "kept") == "accepted");
    CHECK(mode_of(directory / "kept") == 0444);
  } else {
    CHECK(refused_output(directory / "kept").ends_with(": permission denied [file.f4]"));
    CHECK(read_file(directory / "kept") == "old");
  }
}

TEST_CASE("file.f5: a device that is full is an error", "[io]") {
  CHECK(refused_output("/dev/full") ==
        "/dev/full: cannot be written to its end: no space left on device [file.f5]");
}

TEST_CASE("file.f6: a name that was taken by a directory meanwhile is an error", "[io]") {
  const TemporaryDirectory directory;
  {
    OutputFile file(directory / "x", Durability::kill);
    std::filesystem::create_directory(directory / "x");
    CHECK(refusal([&] { file.commit(); }) ==
          (directory / "x").native() +
              ": cannot be replaced by the finished output: is a directory [file.f6]");
  }
  CHECK(directory.names() == Names{"x"});
}

TEST_CASE("file.f7: a directory as output is refused", "[io]") {
  const TemporaryDirectory directory;
  CHECK(refused_output(directory.path()) ==
        directory.path().native() + ": is a folder: name a file in it [file.f7]");
}

TEST_CASE("devices, pipes and open descriptors are written straight through", "[io]") {
  const TemporaryDirectory directory;
  CHECK(refused_output("/dev/null") == "accepted");
  REQUIRE(::mkfifo((directory / "fifo").c_str(), 0600) == 0);
  std::string got;
  std::thread reader([&] { got = read_file(directory / "fifo"); });
  write_output(directory / "fifo", "through");
  reader.join();
  CHECK(got == "through");

  const File file(::open((directory / "out").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600), "out");
  write_output("/dev/fd/" + std::to_string(file.descriptor()), "kept");
  write_output("/proc/self/fd/" + std::to_string(file.descriptor()), " open");
  CHECK(read_file(directory / "out") == "kept open");
  CHECK(directory.names() == Names{"fifo", "out"});
}

TEST_CASE("a file may be input and output at once", "[io]") {
  const TemporaryDirectory directory;
  const std::string file =
      npy_file("{'descr': '|u1', 'fortran_order': False, 'shape': (3,)}", "abc");
  write_file(directory / "x.npy", file);
  const Tensor tensor = open_npy(directory / "x.npy");
  NpyFileOutput output(directory / "x.npy");
  Sink& sink = output.begin(tensor.header(), tensor.source());
  sink.write(0, bytes_of("xy"));
  CHECK(content(tensor) == "abc");
  sink.write(2, bytes_of("z"));
  output.commit();
  CHECK(content(tensor) == "abc");
  CHECK(content(open_npy(directory / "x.npy")) == "xyz");
}

TEST_CASE("a file is cloned only if nothing follows its elements", "[io]") {
  // A clone is told, not made.
  class CloningFiles final : public ForwardingFiles {
   public:
    int clone(int, int) override { return 0; }
  };
  CloningFiles files;
  const TemporaryDirectory directory;
  write_file(directory / "x", "12abcdef");
  const auto whole = std::make_shared<FileSource>(File::open_for_reading(directory / "x"));
  OutputFile file(directory / "y", Durability::kill, files);
  OutputFileSink sink(file, {std::byte{'1'}, std::byte{'2'}});
  CHECK(!sink.adopt(PartSource(whole, 2, 5)));
  CHECK(!sink.adopt(PartSource(whole, 1, 7)));
  CHECK(sink.adopt(PartSource(whole, 2, 6)));
}

TEST_CASE("writes may come in any order where the output is a file", "[io]") {
  const TemporaryDirectory directory;
  OutputFile file(directory / "x", Durability::kill);
  CHECK(file.is_random_access());
  OutputFileSink sink(file, {std::byte{'1'}, std::byte{'2'}});
  sink.write(3, bytes_of("def"));
  sink.write(0, bytes_of("abc"));
  file.commit();
  CHECK(read_file(directory / "x") == "12abcdef");
}

}  // namespace tscatter
