// How files are rewritten: links, other names of a file, and files that are refused.
// docs/journal.md names these tests.
#include <unistd.h>

#include "catch.hpp"
#include "etiquette/mounts.hpp"
#include "etiquette/rewriting.hpp"
#include "tscatter/io/files/locked_file.hpp"
#include "tscatter/io/files/output_file.hpp"
#include "tscatter/io/files/temporary_file.hpp"

namespace tscatter::etiquette {

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
    CHECK(result.out ==
          "tscatter: " + path.native() + ": may not be written to: permission denied [file.f4]\n");
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
  CHECK(refusal_of(3, Command("convert 3xu8=1 x.npy").in(directory.path())) ==
        "x.npy: cannot be replaced by the finished output: a file that is mounted there: device or "
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
        "--updates: must not be the file that is changed in place, got same.npy [cli.c12]");
  fs::create_symlink("x.npy", directory / "link.npy");
  CHECK(refusal_of(2, Command(in_place("same.npy", "link.npy")).in(directory.path())) ==
        "--updates: must not be the file that is changed in place, got link.npy [cli.c12]");
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
        "y: may not be written to: too many levels of symbolic links [file.f4]");
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

}  // namespace tscatter::etiquette
