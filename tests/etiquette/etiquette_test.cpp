// How files are rewritten, point by point: docs/reliability.md names these tests.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <iterator>
#include <thread>

#include "app/process.hpp"
#include "catch.hpp"
#include "etiquette/mounts.hpp"
#include "faults/traced_run.hpp"
#include "io/files.hpp"
#include "tscatter/io/locked_file.hpp"
#include "tscatter/io/output_file.hpp"
#include "tscatter/io/temporary_file.hpp"

namespace tscatter {
namespace {

namespace fs = std::filesystem;

std::string bytes_npy(std::size_t count, char value) {
  return npy_file(fmt::format("{{'descr': '|u1', 'fortran_order': False, 'shape': ({},)}}", count),
                  std::string(count, value));
}

// x.npy of three bytes becomes one of `updates`.
Strings in_place(const std::string& data, const std::string& updates, Strings more = {}) {
  Strings words{"ScatterUpdate", "-d", data, "-i",        "[2, 1, 0]", "-u",
                updates,         "-a", "0",  "--in-place"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

struct stat status_of(const fs::path& path) {
  struct stat status {};
  REQUIRE(::lstat(path.c_str(), &status) == 0);
  return status;
}

std::int64_t nanoseconds(const timespec& time) {
  return std::int64_t{time.tv_sec} * 1000000000 + time.tv_nsec;
}

void append_number(std::string& bytes, std::uint64_t value, int size) {
  for (int i = 0; i < size; ++i) bytes += static_cast<char>(value >> (8 * i) & 0xFFU);
}

// user::rw- user:1234:r-- group::r-- mask::r-- other::---, as the kernel keeps it.
std::string access_list() {
  std::string list;
  append_number(list, 2, 4);  // version
  constexpr std::uint64_t nobody = 0xFFFFFFFF;
  for (const auto& [tag, may, id] : std::initializer_list<std::array<std::uint64_t, 3>>{
           {1, 6, nobody}, {2, 4, 1234}, {4, 4, nobody}, {16, 4, nobody}, {32, 0, nobody}}) {
    append_number(list, tag, 2);
    append_number(list, may, 2);
    append_number(list, id, 4);
  }
  return list;
}

std::string attribute(const fs::path& path, const char* name) {
  std::array<char, 1024> value{};
  const ssize_t size = ::lgetxattr(path.c_str(), name, value.data(), value.size());
  return size < 0 ? "none" : std::string(value.data(), static_cast<std::size_t>(size));
}

bool give_attribute(const fs::path& path, const char* name, const std::string& value) {
  return ::lsetxattr(path.c_str(), name, value.data(), value.size(), 0) == 0;
}

// What a command line of the shell says, with both streams in one.
Result shell(const std::string& line) {
  Result result;
  FILE* pipe = ::popen((line + " 2>&1").c_str(), "r");
  REQUIRE(pipe != nullptr);
  for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) result.out += static_cast<char>(c);
  const int status = ::pclose(pipe);
  result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return result;
}

using faults::Deed;

// `convert` to x.npy.
faults::Tracing traced_convert(const TemporaryDirectory& directory) {
  return {.words = {program(), "convert", "3xu8=1", directory / "x.npy"},
          .directory = directory.path().native(),
          .environment = {"ASAN_OPTIONS=detect_leaks=0"}};
}

// What a run says whose first call of this name, from the call `after` on, fails; nullopt where
// nothing can be traced.
std::optional<faults::TracedResult> with_failing(const TemporaryDirectory& directory,
                                                 const std::string& name,
                                                 const std::string& after = "openat",
                                                 int error_number = EIO) {
  const faults::Tracing tracing = traced_convert(directory);
  const auto whole = faults::traced_run(tracing);
  if (!whole) return std::nullopt;
  const auto named = [](const std::string& wanted) {
    return [wanted](const faults::SystemCall& call) { return name_of(call) == wanted; };
  };
  const auto from = std::ranges::find_if(whole->calls, named(after));
  const auto call = std::find_if(from, whole->calls.end(), named(name));
  REQUIRE(call != whole->calls.end());
  fs::remove(directory / "x.npy");
  return faults::traced_run(
      tracing,
      {.call = call - whole->calls.begin(), .deed = Deed::fail, .error_number = error_number});
}

// What a user may take, and root of what is kept back.
std::uint64_t free_space(const fs::path& path) {
  struct statvfs status {};
  REQUIRE(::statvfs(path.c_str(), &status) == 0);
  return status.f_frsize * (::geteuid() == 0 ? status.f_bfree : status.f_bavail);
}

}  // namespace

TEST_CASE("a reader sees the old or the new file, never a mix", "[etiquette]") {
  const TemporaryDirectory directory;
  const std::string path = directory / "x.npy";
  output_of({"convert", "3000000xu8=97", path});
  const std::string first = read_file(path);
  output_of({"convert", "3000000xu8=98", path});
  const std::string second = read_file(path);
  std::atomic<bool> is_over{false};
  int mixed = 0;
  int read = 0;
  std::thread reader([&] {
    while (!is_over) {
      const std::string found = read_file(path);
      mixed += found == first || found == second ? 0 : 1;
      ++read;
    }
  });
  for (int i = 0; i < 10; ++i) {
    output_of({"convert", "3000000xu8=97", path});
    output_of({"convert", "3000000xu8=98", path});
  }
  is_over = true;
  reader.join();
  CHECK(mixed == 0);
  CHECK(read > 0);
}

TEST_CASE("a file that is replaced keeps its mode, and its owner where that is allowed",
          "[etiquette]") {
  const TemporaryDirectory directory;
  const fs::path path = directory / "x.npy";
  write_file(path, "old");
  const bool is_root = ::geteuid() == 0;
  if (is_root) REQUIRE(::chown(path.c_str(), 1234, 5678) == 0);
  fs::permissions(path, fs::perms{0642});
  output_of({"convert", "3xu8=1", path});
  const struct stat status = status_of(path);
  CHECK((status.st_mode & 07777U) == 0642);
  CHECK(status.st_uid == (is_root ? 1234 : ::geteuid()));
  CHECK(status.st_gid == (is_root ? 5678 : ::getegid()));
}

TEST_CASE("a file that is replaced keeps its attributes and its access control list",
          "[etiquette]") {
  const TemporaryDirectory directory;
  const fs::path path = directory / "x.npy";
  write_file(path, "old");
  fs::permissions(path, fs::perms{0640});
  if (!give_attribute(path, "user.origin", "a sensor") ||
      !give_attribute(path, "system.posix_acl_access", access_list())) {
    WARN("skipped: the file system of the tests keeps no attributes");
    return;
  }
  const struct stat before = status_of(path);
  output_of({"convert", "3xu8=1", path});
  CHECK(status_of(path).st_ino != before.st_ino);
  CHECK(status_of(path).st_mode == before.st_mode);
  CHECK(attribute(path, "user.origin") == "a sensor");
  CHECK(attribute(path, "system.posix_acl_access") == access_list());
}

TEST_CASE("a symbolic link is followed and kept, as output and in place", "[etiquette]") {
  const TemporaryDirectory directory;
  fs::create_directory(directory / "sub");
  write_file(directory / "sub/x.npy", bytes_npy(3, 'a'));
  fs::create_symlink("sub/x.npy", directory / "link.npy");
  output_of(in_place(directory / "link.npy", "3xu8=98"));
  CHECK(read_file(directory / "sub/x.npy") == bytes_npy(3, 'b'));
  output_of({"convert", "3xu8=99", directory / "link.npy"});
  CHECK(read_file(directory / "sub/x.npy").ends_with("ccc"));
  CHECK(fs::is_symlink(directory / "link.npy"));
  CHECK(directory.names() == Strings{"link.npy", "sub"});
}

TEST_CASE("a read-only file is refused even in a directory that may be written to", "[etiquette]") {
  const TemporaryDirectory directory;
  const fs::path path = directory / "x.npy";
  write_file(path, bytes_npy(3, 'a'));
  fs::permissions(path, fs::perms{0444});
  fs::permissions(directory.path(), fs::perms{0777});
  const bool is_root = ::geteuid() == 0;
  const std::string as_user =
      is_root ? "setpriv --reuid 65534 --regid 65534 --clear-groups " : std::string();
  if (is_root && shell(as_user + program() + " --version").exit_code != 0) {
    WARN("skipped: root cannot run the program as another user here");
    return;
  }
  for (const std::string& words :
       {" convert 3xu8=1 " + path.native(),
        " ScatterUpdate -d " + path.native() + " -i '[0]' -u '[7]' -a 0 --in-place"}) {
    const Result result = shell(as_user + program() + words);
    CHECK(result.exit_code == 3);
    CHECK(result.out == "tscatter: " + path.native() +
                            ": must be an output that may be written to, got permission denied "
                            "[file.f4]\n");
  }
  CHECK(read_file(path) == bytes_npy(3, 'a'));
  CHECK(directory.names() == Strings{"x.npy"});
}

TEST_CASE("a file on which another is mounted is refused with a line that says why",
          "[etiquette]") {
  const TemporaryDirectory directory;
  write_file(directory / "x.npy", "old");
  write_file(directory / "other.npy", "other");
  const auto mount = Mount::bind(directory / "other.npy", directory / "x.npy");
  if (!mount) {
    WARN("skipped: mounting is not allowed here");
    return;
  }
  CHECK(refusal_of(3, Command({"convert", "3xu8=1", "x.npy"}).in(directory.path())) ==
        "x.npy: must take the finished output, got a file that is mounted there: device or "
        "resource busy [file.f6]");
  CHECK(read_file(directory / "x.npy") == "other");
  CHECK(directory.names() == Strings{"other.npy", "x.npy"});
}

TEST_CASE("a file is known as the same under another name", "[etiquette]") {
  const TemporaryDirectory directory;
  write_file(directory / "x.npy", bytes_npy(3, 'a'));
  fs::create_hard_link(directory / "x.npy", directory / "same.npy");
  CHECK(refusal_of(2, Command(in_place("x.npy", "same.npy")).in(directory.path())) ==
        "--updates: must be another file than the one that is changed in place, got same.npy "
        "[cli.c12]");
  CHECK(refusal_of(
            2,
            Command({"compare", "x.npy", "same.npy", "--heatmap", "same.npy"}).in(directory.path()))
            .ends_with("[cli.c14]"));
  CHECK(read_file(directory / "x.npy") == bytes_npy(3, 'a'));
  output_of({"ScatterUpdate", "-d", directory / "same.npy", "-i", "[0]", "-u", "[98]", "-a", "0",
             "-o", directory / "x.npy"});
  CHECK(read_file(directory / "x.npy").ends_with("baa"));
  CHECK(read_file(directory / "same.npy") == bytes_npy(3, 'a'));
}

TEST_CASE("no space is found before the first byte, and reported with sizes", "[etiquette]") {
  const TemporaryDirectory directory;
  const auto mount = Mount::small(directory.path());
  if (!mount) {
    WARN("skipped: mounting is not allowed here");
    return;
  }
  CHECK(refusal_of(3, Command({"convert", "4000000xu8=1", "x.npy"}).in(directory.path())) ==
        "x.npy: there must be space for 4000128 bytes, got 2097152 free [file.f5]");
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
  CHECK(refusal_of(3, Command({"convert", "20000000xu8=1", "x.npy"}).in(directory / "d")) ==
        fmt::format("x.npy: there must be space for 20000128 bytes, got {} free [file.f5]", free));
  CHECK(free_space(directory / "d") == free);
  CHECK(fs::file_size(directory / "d/x.npy") == 1000128);
  output_of({"convert", "1000000xu8=98", directory / "d/y.npy"});
}

TEST_CASE("a quota is found before the first byte", "[etiquette]") {
  const TemporaryDirectory directory;
  const auto result = with_failing(directory, "fallocate", "openat", EDQUOT);
  if (!result) {
    WARN("skipped: this system allows no tracing");
    return;
  }
  CHECK(result->exit_code == 3);
  CHECK(result->err ==
        "tscatter: " + (directory / "x.npy").native() +
            ": there must be space for 131 bytes, got disk quota exceeded [file.f5]\n");
  CHECK(directory.names().empty());
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
        "j.json: must be writable to its end, got no space left on device [file.f5]");
  const Strings all{"SliceScatter-15", "-d",      "x.npy",  "-u", "1400000xu8=98", "--start", "0",
                    "--stop",          "1400000", "--step", "1",  "--in-place"};
  CHECK(refused(all) ==
        "x.npy: the undo journal of a change in place must be writable beside the file (or "
        "--no-journal given), got no space left on device [undo.u1]");
  CHECK(std::ranges::equal(read_file(directory / "x.npy"), data));
  CHECK(read_file(directory / "a.npz") == archive);
  CHECK(directory.names() == names);
}

TEST_CASE("a failing fsync is an error", "[etiquette]") {
  const TemporaryDirectory directory;
  const faults::Tracing tracing{
      .words = {program(), "ScatterUpdate", "-d", "3xu8=0", "-i", "[0]", "-u", "[7]", "-a", "0",
                "--sync", "-o", directory / "x.npy"},
      .directory = directory.path().native(),
      .environment = {"ASAN_OPTIONS=detect_leaks=0"}};
  const auto whole = faults::traced_run(tracing);
  if (!whole) {
    WARN("skipped: this system allows no tracing");
    return;
  }
  int syncs = 0;
  for (std::int64_t i = 0; i < std::ssize(whole->calls); ++i) {
    if (name_of(whole->calls[static_cast<std::size_t>(i)]) != "fsync") continue;
    fs::remove(directory / "x.npy");
    const auto result =
        faults::traced_run(tracing, {.call = i, .deed = Deed::fail, .error_number = EIO});
    CHECK(result->exit_code == 3);
    CHECK(result->err.find(": must reach the disk, got input/output error [file.f") !=
          std::string::npos);
    ++syncs;
  }
  CHECK(syncs == 2);  // the file and its directory
}

TEST_CASE("a failing close is an error, and the output is given up", "[etiquette]") {
  const TemporaryDirectory directory;
  const auto result = with_failing(directory, "close", "fcntl");
  if (!result) {
    WARN("skipped: this system allows no tracing");
    return;
  }
  CHECK(result->exit_code == 3);
  CHECK(result->err == "tscatter: " + (directory / "x.npy").native() +
                           ": must be writable to its end, got input/output error [file.f5]\n");
  CHECK(directory.names().empty());
}

TEST_CASE("no updates in place do not touch the file", "[etiquette]") {
  const TemporaryDirectory directory;
  write_file(directory / "x.npy", bytes_npy(3, 'a'));
  const struct stat before = status_of(directory / "x.npy");
  const struct stat directory_before = status_of(directory.path());
  output_of({"ScatterUpdate", "-d", directory / "x.npy", "-i", "[]", "-u", "[]", "-a", "0",
             "--in-place"});
  const struct stat after = status_of(directory / "x.npy");
  CHECK(after.st_ino == before.st_ino);
  CHECK(nanoseconds(after.st_mtim) == nanoseconds(before.st_mtim));
  CHECK(nanoseconds(after.st_ctim) == nanoseconds(before.st_ctim));
  CHECK(nanoseconds(status_of(directory.path()).st_mtim) == nanoseconds(directory_before.st_mtim));
}

TEST_CASE("a second writer in place is kept out, with a message", "[etiquette]") {
  const TemporaryDirectory directory;
  write_file(directory / "x.npy", bytes_npy(3, 'a'));
  const File held(::open((directory / "x.npy").c_str(), O_RDWR | O_CLOEXEC), "held");
  REQUIRE(::flock(held.descriptor(), LOCK_EX) == 0);
  CHECK(refusal_of(3, Command(in_place("x.npy", "3xu8=98")).in(directory.path())) ==
        "x.npy: must not be changed by two at once, got another that is at it [file.f8]");
  CHECK(read_file(directory / "x.npy") == bytes_npy(3, 'a'));
}

TEST_CASE("devices and directories are not changed in place, nor is a directory an output",
          "[etiquette]") {
  const TemporaryDirectory directory;
  CHECK(refusal_of(3, in_place("/dev/null", "3xu8=98")) ==
        "/dev/null: what is changed in place must be a regular file, got a pipe or device "
        "[file.f4]");
  fs::create_directory(directory / "d");
  CHECK(refusal_of(3, Command(in_place("./d", "3xu8=98")).in(directory.path())) ==
        "./d: must be a file, got a directory [file.f2]");
  CHECK(refusal_of(3, Command({"convert", "3xu8=1", "./d"}).in(directory.path())) ==
        "./d: must be a file, got a directory [file.f7]");
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
  const struct stat status = status_of(directory / "x.npy");
  CHECK(status.st_size == header + size);
  CHECK(status.st_blocks * 512 < (std::int64_t{1} << 20U));
  CHECK(directory.names() == Strings{"x.npy"});
}

TEST_CASE("a symbolic link that is put in the way meanwhile is not followed", "[etiquette]") {
  const TemporaryDirectory directory;
  write_file(directory / "victim", "victim");
  {
    OutputFile output(directory / "x", Durability::kill);
    output.write(0, bytes_of("new"));
    fs::create_symlink("victim", directory / "x");
    output.commit();
  }
  CHECK(fs::is_regular_file(fs::symlink_status(directory / "x")));
  CHECK(read_file(directory / "x") == "new");
  CHECK(read_file(directory / "victim") == "victim");
  // What is changed in place is opened by the name behind all links.
  fs::create_symlink("victim", directory / "y");
  CHECK(refusal([&] { open_locked(directory / "y", "y", system_files()); }) ==
        "y: must be an output that may be written to, got too many levels of symbolic links "
        "[file.f4]");
}

TEST_CASE("a symbolic link that is put in the way gives a file neither its mode nor its owner",
          "[etiquette]") {
  const TemporaryDirectory directory;
  write_file(directory / "victim", "victim");
  fs::permissions(directory / "victim", fs::perms{0604});
  write_file(directory / "new", "");
  fs::create_symlink("victim", directory / "x");
  if (::geteuid() == 0) REQUIRE(::lchown((directory / "x").c_str(), 1234, 5678) == 0);
  TemporaryFile file(directory / "x", "x", system_files());
  file.keep_properties();
  file.put_in_place(Durability::kill);
  CHECK(status_of(directory / "x").st_mode == status_of(directory / "new").st_mode);
  CHECK(status_of(directory / "x").st_uid == ::geteuid());
  CHECK(read_file(directory / "victim") == "victim");
}

TEST_CASE("a file whose owner cannot be kept does not run as its owner", "[etiquette]") {
  const TemporaryDirectory directory;
  const fs::path path = directory / "x.npy";
  const auto make_old = [&] {
    fs::remove(path);
    write_file(path, "old");
    fs::permissions(path, fs::perms{06755});
  };
  make_old();
  const faults::Tracing tracing = traced_convert(directory);
  const auto whole = faults::traced_run(tracing);
  if (!whole) {
    WARN("skipped: this system allows no tracing");
    return;
  }
  if (::geteuid() == 0) CHECK((status_of(path).st_mode & 07777U) == 06755);
  const auto given = std::ranges::find_if(
      whole->calls, [](const faults::SystemCall& call) { return name_of(call) == "fchown"; });
  REQUIRE(given != whole->calls.end());
  make_old();
  const auto result = faults::traced_run(
      tracing, {.call = given - whole->calls.begin(), .deed = Deed::fail, .error_number = EPERM});
  CHECK(result->exit_code == 0);
  CHECK((status_of(path).st_mode & 07777U) == 0755);
}

TEST_CASE("what a killed run left of a file is removed by the next, what lives is not",
          "[etiquette]") {
  const TemporaryDirectory directory;
  write_file(directory / "x", "old");
  const faults::Tracing tracing{.words = {program(), "convert", "3xu8=1", directory / "x"},
                                .directory = directory.path().native(),
                                .environment = {"ASAN_OPTIONS=detect_leaks=0"},
                                .knows_unnamed_files = false};
  const auto whole = faults::traced_run(tracing);
  if (!whole) {
    WARN("skipped: this system allows no tracing");
    return;
  }
  const auto written = std::ranges::find_if(
      whole->calls, [](const faults::SystemCall& call) { return name_of(call) == "pwrite64"; });
  faults::traced_run(tracing, {.call = written - whole->calls.begin(), .deed = Deed::kill});
  const Strings with_left = directory.names();
  REQUIRE(with_left.size() == 2);
  CHECK(with_left[0].starts_with(".tscatter-"));
  {
    const File held(::open((directory / with_left[0]).c_str(), O_RDONLY | O_CLOEXEC), "held");
    REQUIRE(::flock(held.descriptor(), LOCK_EX) == 0);
    output_of({"convert", "3xu8=1", directory / "x"});
    CHECK(directory.names() == with_left);
  }
  output_of({"convert", "3xu8=1", directory / "x"});
  CHECK(directory.names() == Strings{"x"});
}

}  // namespace tscatter
