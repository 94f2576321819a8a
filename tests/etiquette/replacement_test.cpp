// How files are rewritten: what readers see, and what a file that is replaced keeps.
// docs/journal.md names these tests.
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <optional>
#include <thread>

#include "catch.hpp"
#include "etiquette/rewriting.hpp"
#include "tscatter/io/files/file.hpp"

namespace tscatter::etiquette {
namespace {

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

// The prefix that makes root's shell run a command line as nobody, with the additional group 5678.
// nullopt if that is impossible.
std::optional<std::string> as_nobody() {
  if (::geteuid() != 0) return std::nullopt;
  const std::string front = "setpriv --reuid 65534 --regid 65534 --groups 5678 ";
  if (shell(front + program() + " --version").exit_code != 0) return std::nullopt;
  return front;
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
  const OldFile old(0600);
  if (!killed_at(old.directory, {"fchmod"}, false)) {
    WARN("skipped: this system allows no tracing");
    return;
  }
  REQUIRE(old.directory.names().size() == 2);
  CHECK((status_of(old.directory / old.directory.names()[0]).st_mode & 0777U) == 0600);
}

TEST_CASE("a file that is replaced keeps its attributes and its access control list",
          "[etiquette]") {
  const OldFile old(0640);
  const fs::path& path = old.path;
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
  const OldFile old(0640);
  const fs::path& path = old.path;
  if (!give_attribute(old.directory.path(), "system.posix_acl_default", access_list())) {
    WARN("skipped: the file system of the tests keeps no attributes");
    return;
  }
  output_of({"convert", "3xu8=1", path});
  CHECK(attribute(path, "system.posix_acl_access") == "none");
  CHECK((status_of(path).st_mode & 07777U) == 0640);
  output_of({"convert", "3xu8=1", old.directory / "new.npy"});
  CHECK(attribute(old.directory / "new.npy", "system.posix_acl_access") == access_list());
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

}  // namespace tscatter::etiquette
