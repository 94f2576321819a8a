// How files are replaced, point by point; docs/reliability.md names these tests.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <thread>

#include "app/process.hpp"
#include "catch.hpp"
#include "etiquette/mounts.hpp"
#include "faults/traced_run.hpp"
#include "io/files.hpp"
#include "tscatter/io/files/locked_file.hpp"
#include "tscatter/io/files/output_file.hpp"
#include "tscatter/io/files/temporary_file.hpp"
#include "tscatter/io/formats/npy_file.hpp"

namespace tscatter {
namespace {

// A file that a .npy may replace.
constexpr std::string_view old_npy = "\x93NUMPY old";

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

// cap_net_raw, as the kernel keeps it.
std::string capability() {
  std::string bytes;
  append_number(bytes, 0x02000001, 4);  // version 2, effective
  append_number(bytes, 1U << 13U, 4);
  append_number(bytes, 0, 4);
  append_number(bytes, 0, 8);
  return bytes;
}

bool give_attribute(const fs::path& path, const char* name, const std::string& value) {
  return ::lsetxattr(path.c_str(), name, value.data(), value.size(), 0) == 0;
}

// Runs a command line in the shell; both streams are captured as one.
Result shell(const std::string& line) {
  Result result;
  FILE* pipe = ::popen((line + " 2>&1").c_str(), "r");
  REQUIRE(pipe != nullptr);
  for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) result.out += static_cast<char>(c);
  const int status = ::pclose(pipe);
  result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return result;
}

// The prefix that makes root's shell run a command line as nobody, with the additional group 5678.
// nullopt if that is impossible.
std::optional<std::string> as_nobody() {
  if (::geteuid() != 0) return std::nullopt;
  const std::string front = "setpriv --reuid 65534 --regid 65534 --groups 5678 ";
  if (shell(front + program() + " --version").exit_code != 0) return std::nullopt;
  return front;
}

using faults::Deed;
using faults::SystemCall;
using faults::TracedResult;
using faults::Tracing;

Tracing tracing_of(const TemporaryDirectory& directory, const Strings& words) {
  Tracing tracing{.words = {program()},
                  .directory = directory.path().native(),
                  .environment = {"ASAN_OPTIONS=detect_leaks=0"}};
  tracing.words.insert(tracing.words.end(), words.begin(), words.end());
  return tracing;
}

// The first call of the first name, then the first of the second name after it, and so on.
const SystemCall& call_in(const TracedResult& whole, const Strings& names) {
  auto call = whole.calls.begin();
  for (const std::string& name : names) {
    call = std::find_if(call, whole.calls.end(),
                        [&](const SystemCall& each) { return name_of(each) == name; });
    INFO(name);
    REQUIRE(call != whole.calls.end());
  }
  return *call;
}

faults::Fault fault_at(const SystemCall& call, Deed deed, int error_number = 0) {
  return {.call = call.place,
          .thread = call.thread,
          .number = call.number,
          .deed = deed,
          .error_number = error_number};
}

// A run that replaces x.npy and is killed at a call.
std::optional<TracedResult> killed_at(const TemporaryDirectory& directory, const Strings& names,
                                      bool knows_unnamed_files) {
  Tracing tracing = tracing_of(directory, {"convert", "3xu8=1", directory / "x.npy"});
  tracing.knows_unnamed_files = knows_unnamed_files;
  const std::string old = read_file(directory / "x.npy");
  const auto whole = faults::traced_run(tracing);
  if (!whole) return std::nullopt;
  write_file(directory / "x.npy", old);
  auto killed = faults::traced_run(tracing, fault_at(call_in(*whole, names), Deed::kill));
  CHECK(killed->was_met);
  return killed;
}

std::string content_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return "none";
  return {std::istreambuf_iterator<char>(file), {}};
}

// The space that a user may take; for root, the reserved blocks too.
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
  const File opened = File::open_for_reading(path);
  output_of({"convert", "3000000xu8=98", path});
  const std::string second = read_file(path);
  std::string from_before(first.size(), '\0');
  opened.read_at(0, std::as_writable_bytes(std::span(from_before)));
  CHECK(std::ranges::equal(from_before, first));
  std::atomic<bool> is_over{false};
  int mixed = 0;
  int read = 0;
  std::thread reader([&] {
    while (!is_over) {
      const std::string found = content_of(path);
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

TEST_CASE("a reader sees the old file until the call that replaces it", "[etiquette]") {
  for (const bool knows_unnamed_files : {true, false}) {
    const TemporaryDirectory directory;
    write_file(directory / "x.npy", old_npy);
    if (!killed_at(directory, {"rename"}, knows_unnamed_files)) {
      WARN("skipped: this system allows no tracing");
      return;
    }
    CHECK(content_of(directory / "x.npy") == old_npy);
  }
}

TEST_CASE("a file that is replaced keeps its mode, and its owner where that is allowed",
          "[etiquette]") {
  const TemporaryDirectory directory;
  const fs::path path = directory / "x.npy";
  write_file(path, old_npy);
  const bool is_root = ::geteuid() == 0;
  if (is_root) REQUIRE(::chown(path.c_str(), 1234, 5678) == 0);
  for (const unsigned mode : {0642U, 06755U, 0600U}) {
    fs::permissions(path, fs::perms{mode});
    output_of({"convert", "3xu8=1", path});
    const struct stat status = status_of(path);
    CHECK((status.st_mode & 07777U) == mode);
    CHECK(status.st_uid == (is_root ? 1234 : ::geteuid()));
    CHECK(status.st_gid == (is_root ? 5678 : ::getegid()));
  }
}

TEST_CASE("a file that is replaced keeps its group where its owner cannot be kept", "[etiquette]") {
  const TemporaryDirectory directory;
  const auto front = as_nobody();
  if (!front) {
    WARN("skipped: the program cannot be run as another user here");
    return;
  }
  fs::permissions(directory.path(), fs::perms{0777});
  const fs::path path = directory / "x.npy";
  struct Replacing {
    uid_t user;
    gid_t group;
    unsigned mode;
    gid_t new_group;
    unsigned new_mode;
  };
  // A group other than the old file's gets only the permissions of others.
  for (const Replacing& each :
       {Replacing{1234, 5678, 0664, 5678, 0664}, Replacing{1234, 5678, 06664, 5678, 02664},
        Replacing{1234, 999, 0666, 65534, 0666}, Replacing{65534, 999, 0640, 65534, 0600},
        Replacing{65534, 999, 02644, 65534, 0644}}) {
    write_file(path, old_npy);
    REQUIRE(::chown(path.c_str(), each.user, each.group) == 0);
    fs::permissions(path, fs::perms{each.mode});
    CHECK(shell(*front + program() + " convert 3xu8=1 " + path.native()).out.empty());
    const struct stat status = status_of(path);
    CHECK(status.st_uid == 65534);
    CHECK(status.st_gid == each.new_group);
    CHECK((status.st_mode & 07777U) == each.new_mode);
    fs::remove(path);
  }
}

TEST_CASE("what replaces a secret file is secret from the beginning", "[etiquette]") {
  const TemporaryDirectory directory;
  write_file(directory / "x.npy", old_npy);
  fs::permissions(directory / "x.npy", fs::perms{0600});
  if (!killed_at(directory, {"fchmod"}, false)) {
    WARN("skipped: this system allows no tracing");
    return;
  }
  REQUIRE(directory.names().size() == 2);
  CHECK((status_of(directory / directory.names()[0]).st_mode & 0777U) == 0600);
}

TEST_CASE("a file that is replaced keeps its attributes and its access control list",
          "[etiquette]") {
  const TemporaryDirectory directory;
  const fs::path path = directory / "x.npy";
  write_file(path, old_npy);
  fs::permissions(path, fs::perms{0640});
  if (!give_attribute(path, "user.origin", "a sensor") ||
      !give_attribute(path, "system.posix_acl_access", access_list())) {
    WARN("skipped: the file system of the tests keeps no attributes");
    return;
  }
  // A system without SELinux lets root write any label.
  give_attribute(path, "security.selinux", "system_u:object_r:tmp_t:s0");
  const std::string label = attribute(path, "security.selinux");
  give_attribute(path, "security.capability", capability());
  give_attribute(path, "security.ima", std::string("\x01") + std::string(20, 'h'));
  const struct stat before = status_of(path);
  output_of({"convert", "3xu8=1", path});
  CHECK(status_of(path).st_ino != before.st_ino);
  CHECK(status_of(path).st_mode == before.st_mode);
  CHECK(attribute(path, "user.origin") == "a sensor");
  CHECK(attribute(path, "system.posix_acl_access") == access_list());
  CHECK(attribute(path, "security.selinux") == label);
  CHECK(attribute(path, "security.capability") == "none");
  CHECK(attribute(path, "security.ima") == "none");
}

TEST_CASE("a file that is replaced takes over no access control list from its directory",
          "[etiquette]") {
  const TemporaryDirectory directory;
  const fs::path path = directory / "x.npy";
  write_file(path, old_npy);
  fs::permissions(path, fs::perms{0640});
  if (!give_attribute(directory.path(), "system.posix_acl_default", access_list())) {
    WARN("skipped: the file system of the tests keeps no attributes");
    return;
  }
  output_of({"convert", "3xu8=1", path});
  CHECK(attribute(path, "system.posix_acl_access") == "none");
  CHECK((status_of(path).st_mode & 07777U) == 0640);
  output_of({"convert", "3xu8=1", directory / "new.npy"});
  CHECK(attribute(directory / "new.npy", "system.posix_acl_access") == access_list());
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
  CHECK(fs::read_symlink(directory / "link.npy") == "sub/x.npy");
  fs::create_symlink(directory / "link.npy", directory / "sub/back.npy");
  output_of(in_place(directory / "sub/back.npy", "3xu8=100"));
  CHECK(read_file(directory / "sub/x.npy").ends_with("ddd"));
  output_of({"convert", "3xu8=101", directory / "sub/back.npy"});
  CHECK(read_file(directory / "sub/x.npy").ends_with("eee"));
  CHECK(fs::read_symlink(directory / "sub/back.npy") == directory / "link.npy");
  fs::create_symlink("sub/none.npz", directory / "a.npz");
  output_of({"convert", "3xu8=102", directory / "a.npz:f"});
  output_of({"convert", "3xu8=103", directory / "a.npz:g"});
  CHECK(fs::read_symlink(directory / "a.npz") == "sub/none.npz");
  CHECK(fs::is_regular_file(fs::symlink_status(directory / "sub/none.npz")));
  CHECK(directory.names() == Strings{"a.npz", "link.npy", "sub"});
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
  write_file(directory / "x.npy", old_npy);
  write_file(directory / "other.npy", bytes_npy(1, 'b'));
  const auto mount = Mount::bind(directory / "other.npy", directory / "x.npy");
  if (!mount) {
    WARN("skipped: mounting is not allowed here");
    return;
  }
  CHECK(refusal_of(3, Command({"convert", "3xu8=1", "x.npy"}).in(directory.path())) ==
        "x.npy: must take the finished output, got a file that is mounted there: device or "
        "resource busy [file.f6]");
  CHECK(read_file(directory / "x.npy") == bytes_npy(1, 'b'));
  CHECK(read_file(directory / "other.npy") == bytes_npy(1, 'b'));
  CHECK(directory.names() == Strings{"other.npy", "x.npy"});
}

TEST_CASE("a file is known as the same under another name", "[etiquette]") {
  const TemporaryDirectory directory;
  write_file(directory / "x.npy", bytes_npy(3, 'a'));
  fs::create_hard_link(directory / "x.npy", directory / "same.npy");
  CHECK(refusal_of(2, Command(in_place("x.npy", "same.npy")).in(directory.path())) ==
        "--updates: must not be the file that is changed in place, got same.npy "
        "[cli.c12]");
  fs::create_symlink("x.npy", directory / "link.npy");
  CHECK(refusal_of(2, Command(in_place("same.npy", "link.npy")).in(directory.path())) ==
        "--updates: must not be the file that is changed in place, got link.npy "
        "[cli.c12]");
  for (const std::string name : {"same.npy", "link.npy"}) {
    const Strings words{"compare", "x.npy", "x.npy", "--heatmap", name};
    CHECK(refusal_of(2, Command(words).in(directory.path())) ==
          "--heatmap: must be another file than ACTUAL, got " + name + " [cli.c14]");
  }
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
  CHECK(result->err ==
        "tscatter: " + (directory / "x.npy").native() +
            ": there must be space for 131 bytes, got disk quota exceeded [file.f5]\n");
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
  const Strings words{"SliceScatter-15", "-d",      "x.npy",  "-u", "1200000xu8=98", "--start", "0",
                      "--stop",          "1200000", "--step", "1",  "--in-place"};
  CHECK(refusal_of(3, Command(words).in(directory.path())) ==
        "x.npy: must be writable to its end, got no space left on device [file.f5]");
  CHECK(std::ranges::equal(read_file(directory / "x.npy"), before));
  CHECK(directory.names() == Strings{"x.npy"});
}

TEST_CASE("a failing fsync is an error", "[etiquette]") {
  const TemporaryDirectory directory;
  const fs::path path = directory / "x.npy";
  struct Writing {
    Strings flags;
    std::string before;
    int syncs;
  };
  // The file and its directory; the journal, its directory, the file, the directory again.
  for (const Writing& each : {Writing{{"-d", "3xu8=97", "-o", path}, "none", 2},
                              Writing{{"-d", path, "--in-place"}, bytes_npy(3, 'a'), 4}}) {
    Strings words{"ScatterUpdate", "-i", "[0]", "-u", "[98]", "-a", "0", "--sync"};
    words.insert(words.end(), each.flags.begin(), each.flags.end());
    const auto start_again = [&] {
      fs::remove(path);
      if (each.before != "none") write_file(path, each.before);
    };
    start_again();
    const Tracing tracing = tracing_of(directory, words);
    const auto whole = faults::traced_run(tracing);
    if (!whole) {
      WARN("skipped: this system allows no tracing");
      return;
    }
    int syncs = 0;
    for (const SystemCall& call : whole->calls) {
      if (name_of(call) != "fsync") continue;
      start_again();
      const auto result = faults::traced_run(tracing, fault_at(call, Deed::fail, EIO));
      CHECK(result->exit_code == 3);
      CHECK(result->err.find(", got input/output error [") != std::string::npos);
      // At the last, that of the directory, everything is done.
      const bool is_last = ++syncs == each.syncs;
      const std::string found = content_of(path);
      CHECK((is_last ? found.ends_with("baa") : found == each.before));
      CHECK((result->err.find(" was made, and ") != std::string::npos) == is_last);
      CHECK(directory.names() == (found == "none" ? Strings{} : Strings{"x.npy"}));
    }
    CHECK(syncs == each.syncs);
  }
}

TEST_CASE("a failing close is an error, and the output is given up", "[etiquette]") {
  const TemporaryDirectory directory;
  const fs::path path = directory / "x.npy";
  const auto fails = [&](const Strings& words, Strings calls) {
    const Tracing tracing = tracing_of(directory, words);
    write_file(path, bytes_npy(3, 'a'));
    const auto whole = faults::traced_run(tracing);
    if (!whole) return false;
    write_file(path, bytes_npy(3, 'a'));
    calls.emplace_back("close");
    const auto result =
        faults::traced_run(tracing, fault_at(call_in(*whole, calls), Deed::fail, EIO));
    CHECK(result->exit_code == 3);
    CHECK(result->err == "tscatter: " + words.back() +
                             ": must be writable to its end, got input/output error [file.f5]\n");
    CHECK(read_file(path) == bytes_npy(3, 'a'));
    return true;
  };
  if (!fails({"convert", "3xu8=1", path}, {"fcntl"})) {
    WARN("skipped: this system allows no tracing");
    return;
  }
  CHECK(directory.names() == Strings{"x.npy"});
  // Before its first write the file was locked by fcntl.
  fails({"ScatterUpdate", "-i", "[0]", "-u", "[98]", "-a", "0", "--in-place", "-d", path},
        {"pwrite64", "fcntl"});
  CHECK(directory.names() == Strings{"x.npy"});
  // A pipe is written straight through.
  const fs::path pipe = directory / "pipe";
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  const File reader(::open(pipe.c_str(), O_RDWR | O_CLOEXEC), "reader");
  fails({"convert", "3xu8=1", pipe}, {"write"});
}

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
          name +
              ": must not be changed by two at once, got another tscatter changing it [file.f8]");
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
        "/dev/null: what is changed in place must be a regular file, got a pipe or device "
        "[file.f4]");
  fs::create_directory(directory / "d");
  CHECK(refusal_of(3, Command(in_place("./d", "3xu8=98")).in(directory.path())) ==
        "./d: must be a file, got a directory [file.f2]");
  CHECK(refusal_of(3, Command({"convert", "3xu8=1", "./d"}).in(directory.path())) ==
        "./d: must be a file, got a directory [file.f7]");
  CHECK(directory.names() == Strings{"d"});
}

TEST_CASE("devices and pipes as outputs are written straight through", "[etiquette]") {
  const TemporaryDirectory directory;
  const fs::path pipe = directory / "pipe";
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  CHECK(refusal_of(3, in_place(pipe, "3xu8=98")) ==
        pipe.native() +
            ": what is changed in place must be a regular file, got a pipe or device [file.f4]");
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
  CHECK(refusal_of(3, Command({"convert", "3xu8=98", "node"}).in(directory.path())) ==
        "node: must be writable to its end, got no space left on device [file.f5]");
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
  // Nor does its replacement get the mode of the link.
  {
    TemporaryFile file(directory / "z", "z", system_files());
    fs::create_symlink("victim", directory / "z");
    file.keep_properties();
    file.put_in_place(Durability::kill);
  }
  CHECK(fs::is_regular_file(fs::symlink_status(directory / "z")));
  CHECK((status_of(directory / "z").st_mode & 0777U) != 0777);
  // A change in place opens the file by its resolved name.
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
    write_file(path, old_npy);
    fs::permissions(path, fs::perms{06755});
  };
  make_old();
  const Tracing tracing = tracing_of(directory, {"convert", "3xu8=1", path});
  const auto whole = faults::traced_run(tracing);
  if (!whole) {
    WARN("skipped: this system allows no tracing");
    return;
  }
  if (::geteuid() == 0) CHECK((status_of(path).st_mode & 07777U) == 06755);
  make_old();
  const auto result =
      faults::traced_run(tracing, fault_at(call_in(*whole, {"fchown"}), Deed::fail, EPERM));
  CHECK(result->exit_code == 0);
  // The group is the file's own, and may stay.
  CHECK((status_of(path).st_mode & 07777U) == 02755);
}

TEST_CASE("what a killed run left of a file is removed by the next, what lives is not",
          "[etiquette]") {
  const TemporaryDirectory directory;
  struct Death {
    bool knows_unnamed_files;
    Strings calls;
  };
  for (const Death& each : {Death{false, {"pwrite64"}}, Death{true, {"pwrite64", "rename"}}}) {
    write_file(directory / "x.npy", old_npy);
    if (!killed_at(directory, each.calls, each.knows_unnamed_files)) {
      WARN("skipped: this system allows no tracing");
      return;
    }
    CHECK(read_file(directory / "x.npy") == old_npy);
    const Strings with_left = directory.names();
    REQUIRE(with_left.size() == 2);
    CHECK(with_left[0].starts_with(".tscatter-"));
    {
      const File held(::open((directory / with_left[0]).c_str(), O_RDONLY | O_CLOEXEC), "held");
      REQUIRE(::flock(held.descriptor(), LOCK_EX) == 0);
      output_of({"convert", "3xu8=1", directory / "x.npy"});
      CHECK(directory.names() == with_left);
    }
    output_of({"convert", "3xu8=1", directory / "x.npy"});
    CHECK(directory.names() == Strings{"x.npy"});
  }
}

TEST_CASE("what a living run writes is locked before it has a name", "[etiquette]") {
  const TemporaryDirectory directory;
  write_file(directory / "x.npy", old_npy);
  const auto whole =
      faults::traced_run(tracing_of(directory, {"convert", "3xu8=1", directory / "x.npy"}));
  if (!whole) {
    WARN("skipped: this system allows no tracing");
    return;
  }
  const SystemCall& lock = call_in(*whole, {"flock"});
  CHECK(lock.arguments[1] == (LOCK_EX | LOCK_NB));
  CHECK(lock.place < call_in(*whole, {"linkat"}).place);
}

TEST_CASE("what a living run writes is left alone where files must have names", "[etiquette]") {
  const TemporaryDirectory directory;
  const auto without_descriptors = Mount::small("/proc");
  if (!without_descriptors) {
    WARN("skipped: mounting is not allowed here");
    return;
  }
  OutputFile living(directory / "x", Durability::kill);
  living.write(0, bytes_of("living"));
  const Strings names = directory.names();
  REQUIRE(names.size() == 1);
  CHECK(names[0].starts_with(".tscatter-"));
  {
    OutputFile given_up(directory / "x", Durability::kill);
    given_up.write(0, bytes_of("given up"));
  }
  CHECK(directory.names() == names);
  OutputFile next(directory / "x", Durability::kill);
  next.write(0, bytes_of("next"));
  next.commit();
  CHECK(directory.names() == Strings{names[0], "x"});
  CHECK(read_file(directory / "x") == "next");
  living.commit();
  CHECK(directory.names() == Strings{"x"});
  CHECK(read_file(directory / "x") == "living");
}

}  // namespace tscatter
