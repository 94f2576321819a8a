// Members that are added to archives or replaced. testdata/npz/written has the expected archives,
// made by make_npz.py and read back by NumPy.
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <thread>

#include "catch.hpp"
#include "io/files.hpp"
#include "tscatter/io/formats/npy/npy_file.hpp"
#include "tscatter/io/formats/zip/npz.hpp"
#include "tscatter/io/formats/zip/zip_directory.hpp"

namespace tscatter {
namespace {

using MemberNames = std::vector<std::string>;

const std::filesystem::path npz_directory = TSCATTER_NPZ_DIR;

Tensor member(const std::string& archive, const std::string& name) {
  return NpzArchive::open(npz_directory / "good" / archive).tensor(name);
}

// Writes in pieces of `piece` bytes, the last one first.
void put(NpzMemberOutput& output, const Tensor& tensor, std::size_t piece = 5) {
  const std::string bytes = content(tensor);
  Sink& sink = output.begin(tensor.header(), tensor.source());
  for (std::size_t i = (bytes.size() + piece - 1) / piece; i-- > 0;)
    sink.write(static_cast<std::int64_t>(i * piece), bytes_of(bytes.substr(i * piece, piece)));
}

void add(const std::filesystem::path& archive, const std::string& name, const Tensor& tensor) {
  NpzMemberOutput output(archive, name);
  put(output, tensor);
  output.commit();
}

void copy_good(const TemporaryDirectory& directory, const std::string& name) {
  write_file(directory / "x.npz", read_file(npz_directory / "good" / name));
}

std::string expected_archive(const char* name) {
  return read_file(npz_directory / "written" / name);
}

MemberNames member_names(const std::filesystem::path& archive) {
  MemberNames names;
  const NpzArchive opened = NpzArchive::open(archive);
  for (const ArchiveMember& each : opened.members()) names.push_back(each.file_name);
  return names;
}

std::string refused_addition(const std::filesystem::path& archive, const std::string& name) {
  return refusal([&] { add(archive, name, member("savez.npz", "a")); });
}

}  // namespace

TEST_CASE("a new archive, and one that gets a second member", "[io]") {
  const TemporaryDirectory directory;
  add(directory / "x.npz", "a", member("savez.npz", "a"));
  CHECK(read_file(directory / "x.npz") == expected_archive("one.npz"));
  add(directory / "x.npz", "größe.npy", member("savez.npz", "b"));
  CHECK(read_file(directory / "x.npz") == expected_archive("two.npz"));
  CHECK(directory.names() == MemberNames{"x.npz"});
}

TEST_CASE("a member is replaced, the others and what is before them are kept", "[io]") {
  const TemporaryDirectory directory;
  copy_good(directory, "prefix_shifted.npz");
  add(directory / "x.npz", "a", member("savez.npz", "b"));
  CHECK(read_file(directory / "x.npz") == expected_archive("replaced.npz"));
  copy_good(directory, "prefix.npz");
  add(directory / "x.npz", "a", member("savez.npz", "b"));
  CHECK(read_file(directory / "x.npz") == expected_archive("replaced.npz"));
  copy_good(directory, "comment.npz");
  add(directory / "x.npz", "b", member("savez.npz", "b"));
  CHECK(read_file(directory / "x.npz") == expected_archive("commented.npz"));
}

TEST_CASE("members of every archive survive an addition", "[io]") {
  const TemporaryDirectory directory;
  for (const auto& entry : std::filesystem::directory_iterator(npz_directory / "good")) {
    INFO(entry.path());
    copy_good(directory, entry.path().filename());
    add(directory / "x.npz", "new one", member("savez.npz", "f"));
    const NpzArchive before = NpzArchive::open(entry.path());
    const NpzArchive after = NpzArchive::open(directory / "x.npz");
    REQUIRE(after.members().size() == before.members().size() + 1);
    for (std::size_t i = 0; i < before.members().size(); ++i) {
      CHECK(before.members()[i].file_name == after.members()[i].file_name);
      const auto bytes = [&](const NpzArchive& archive) {
        std::string got;
        const std::string text = refusal([&] { got = content(archive.tensor_at(i)); });
        return got + text.substr(std::min(text.size(), text.rfind('[')));
      };
      CHECK(bytes(before) == bytes(after));
    }
    CHECK(content(after.tensor("new one")) == content(member("savez.npz", "f")));
    CHECK(after.tensor("new one").source().extent()->offset % 64 == 0);
  }
}

TEST_CASE("a member without .npy is replaced under its own name", "[io]") {
  const TemporaryDirectory directory;
  copy_good(directory, "bare_names.npz");
  add(directory / "x.npz", "b", member("savez.npz", "a"));
  CHECK(member_names(directory / "x.npz") == MemberNames{"a", "a.npy", "b"});
  add(directory / "x.npz", "b.npy", member("savez.npz", "a"));
  CHECK(member_names(directory / "x.npz") == MemberNames{"a", "a.npy", "b", "b.npy"});
}

TEST_CASE("an empty file takes a member as a new archive does", "[io]") {
  const TemporaryDirectory directory;
  write_file(directory / "x.npz", "");
  add(directory / "x.npz", "a", member("savez.npz", "a"));
  CHECK(read_file(directory / "x.npz") == expected_archive("one.npz"));
}

TEST_CASE("an archive that is an input is replaced when the member is whole", "[io]") {
  const TemporaryDirectory directory;
  copy_good(directory, "savez_compressed.npz");
  const NpzArchive archive = NpzArchive::open(directory / "x.npz");
  const Tensor zeros = archive.tensor("zeros");
  add(directory / "x.npz", "a", zeros);
  add(directory / "x.npz", "zeros", archive.tensor("a"));
  const NpzArchive after = NpzArchive::open(directory / "x.npz");
  CHECK(content(after.tensor("a")) == content(zeros));
  CHECK(content(after.tensor("zeros")) == content(member("savez.npz", "a")));
}

TEST_CASE("bytes that are written twice have the checksum of the last", "[io]") {
  const TemporaryDirectory directory;
  const Tensor tensor = member("savez.npz", "a");
  const std::string bytes = content(tensor);
  NpzMemberOutput output(directory / "x.npz", "a");
  Sink& sink = output.begin(tensor.header(), tensor.source());
  sink.write(0, bytes_of(std::string(bytes.size(), 'x')));
  sink.write(0, bytes_of(bytes));
  output.commit();
  CHECK(read_file(directory / "x.npz") == expected_archive("one.npz"));
}

TEST_CASE("an output that is not committed leaves the archive as it was", "[io]") {
  const TemporaryDirectory directory;
  copy_good(directory, "savez.npz");
  const std::string before = read_file(directory / "x.npz");
  {
    NpzMemberOutput output(directory / "x.npz", "a");
    put(output, member("savez.npz", "b"));
    CHECK(read_file(directory / "x.npz") == before);
  }
  CHECK(read_file(directory / "x.npz") == before);
  CHECK(directory.names() == MemberNames{"x.npz"});
  const std::atomic<bool> stop{true};
  NpzMemberOutput output(directory / "x.npz", "c", Durability::kill, &stop);
  CHECK_THROWS_AS(put(output, member("savez.npz", "b")), Cancelled);
}

TEST_CASE("what is no archive is not replaced by one", "[io]") {
  const TemporaryDirectory directory;
  write_file(directory / "x.npz", "hello, this is text of some length");
  CHECK(refused_addition(directory / "x.npz", "a") ==
        (directory / "x.npz").native() +
            ": a .npz file must end with the end record of a zip archive, got a text file that "
            "begins \"hello, this is text of some length\" [npz.z1]");
  CHECK(read_file(directory / "x.npz") == "hello, this is text of some length");
  CHECK(refused_addition("/dev/null", "a") ==
        "/dev/null: an archive that is written must be a regular file, got a pipe or device "
        "[file.f4]");
}

TEST_CASE("npz.z19: a member that is written needs a name", "[io]") {
  const TemporaryDirectory directory;
  const std::string where = (directory / "x.npz").native();
  const std::string length =
      ": the name of a member that is written must be 1 to 4096 bytes long, got ";
  CHECK(refused_addition(where, "") == where + length + "0 [npz.z19]");
  CHECK(refused_addition(where, std::string(4097, 'x')) == where + length + "4097 [npz.z19]");
  CHECK(refused_addition(where, "a\xff") == where +
                                                ": the name of a member that is written must be "
                                                "UTF-8 without a zero byte, got a\\xff [npz.z19]");
  CHECK(refused_addition(where, std::string("a\0b", 3)).ends_with("got a\\x00b [npz.z19]"));
  CHECK(refused_addition(where, std::string(4096, 'x')) == "accepted");
  CHECK(member_names(where) == MemberNames{std::string(4096, 'x') + ".npy"});
}

TEST_CASE("a link is followed, permissions are kept", "[io]") {
  const TemporaryDirectory directory;
  copy_good(directory, "savez.npz");
  ::chmod((directory / "x.npz").c_str(), 0640);
  std::filesystem::create_symlink("x.npz", directory / "link.npz");
  add(directory / "link.npz", "new", member("savez.npz", "a"));
  CHECK(std::filesystem::is_symlink(directory / "link.npz"));
  CHECK(member_names(directory / "x.npz").back() == "new.npy");
  struct stat status {};
  ::stat((directory / "x.npz").c_str(), &status);
  CHECK((status.st_mode & 0777U) == 0640);
}

TEST_CASE("writers of one archive wait for each other, a new one too", "[io]") {
  const TemporaryDirectory directory;
  std::vector<std::thread> writers;
  for (int i = 0; i < 8; ++i) {
    writers.emplace_back(
        [&, i] { add(directory / "x.npz", "m" + std::to_string(i), member("savez.npz", "a")); });
  }
  for (std::thread& writer : writers) writer.join();
  CHECK(member_names(directory / "x.npz").size() == 8);
}

TEST_CASE("waiting for another writer ends when it is asked to", "[io]") {
  const TemporaryDirectory directory;
  const int lock = ::open(directory.path().c_str(), O_RDONLY | O_DIRECTORY);
  REQUIRE(::flock(lock, LOCK_EX) == 0);
  std::atomic<bool> stop{false};
  NpzMemberOutput output(directory / "x.npz", "a", Durability::kill, &stop);
  std::thread interrupter([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    stop = true;
  });
  CHECK_THROWS_AS(put(output, member("savez.npz", "a")), Cancelled);
  interrupter.join();
  ::close(lock);
  CHECK(directory.names().empty());
}

TEST_CASE("a deflated member is what was written, front to back", "[io]") {
  const TemporaryDirectory directory;
  copy_good(directory, "savez.npz");
  const std::string bytes(3000000, '\0');
  const Tensor zeros({.type = ElementType::of(DType::uint8), .shape = {3000000}}, bytes_of(bytes),
                     "zeros");
  for (const std::string name : {"a", "new"}) {
    NpzMemberOutput output(directory / "x.npz", name);
    output.compress(Compression::deflated);
    Sink& sink = output.begin(zeros.header(), zeros.source());
    CHECK(!sink.is_random_access());
    for (std::int64_t at = 0; at < 3000000; at += 1000) sink.write(at, bytes_of(bytes).first(1000));
    output.commit();
  }
  const NpzArchive archive = NpzArchive::open(directory / "x.npz");
  for (const ArchiveMember& each : archive.members()) {
    const bool is_deflated = each.name == "a" || each.name == "new";
    CHECK((each.compression == "deflated") == is_deflated);
    if (is_deflated) CHECK(each.packed_size < 4000);
  }
  CHECK(archive.members().front().name == "a");
  CHECK(content(archive.tensor("new")) == bytes);
  CHECK(content(archive.tensor("b")) == content(member("savez.npz", "b")));
  // A stored member in its place, and one behind it.
  add(directory / "x.npz", "a", member("savez.npz", "f"));
  const NpzArchive after = NpzArchive::open(directory / "x.npz");
  CHECK(after.members().front().compression == "stored");
  CHECK(content(after.tensor("new")) == bytes);
}

TEST_CASE("bytes that cannot be deflated, and none at all, are deflated too", "[io]") {
  const TemporaryDirectory directory;
  std::string noise(300000, '\0');
  std::uint32_t state = 1;
  for (char& each : noise)
    each = static_cast<char>((state = state * 1664525U + 1013904223U) >> 24U);
  for (const std::string& bytes : {noise, std::string()}) {
    const auto size = static_cast<std::int64_t>(bytes.size());
    NpzMemberOutput output(directory / "x.npz", "a");
    output.compress(Compression::deflated);
    const Tensor tensor({.type = ElementType::of(DType::uint8), .shape = {size}}, bytes_of(bytes),
                        "a");
    output.begin(tensor.header(), tensor.source()).write(0, bytes_of(bytes));
    output.commit();
    CHECK(content(NpzArchive::open(directory / "x.npz").tensor("a")) == bytes);
  }
}

TEST_CASE("npz.z17: a member that is too long to be read deflated is not written so", "[io]") {
  const TemporaryDirectory directory;
  const auto refused_size = [&](std::int64_t size) {
    NpzMemberOutput output(directory / "x.npz", "a");
    output.compress(Compression::deflated);
    const TensorHeader header{.type = ElementType::of(DType::uint8), .shape = {size}};
    return refusal([&] { output.begin(header, SpanSource({})); });
  };
  constexpr std::int64_t longest = std::int64_t{1} << 40;
  CHECK(refused_size(longest) == (directory / "x.npz").native() +
                                     ": a deflated member must be at most 1099511627776 bytes "
                                     "long, got 1099511627904 [npz.z17]");
  CHECK(refused_size(longest - 128) == "accepted");
}

TEST_CASE("npz.z20: a member that is no .npy is not replaced", "[io]") {
  const TemporaryDirectory directory;
  const auto path = directory / "x.npz";
  std::filesystem::copy_file(npz_directory / "bad/z18_text.npz", path);
  const std::string before = read_file(path);
  const std::string name = NpzArchive::open(path).members().front().file_name;
  CHECK(refusal([&] { add(path, name, member("savez.npz", "a")); })
            .ends_with(": a member that is replaced must be a .npy file (give the tensor another "
                       "name), got " +
                       name + " [npz.z20]"));
  CHECK(read_file(path) == before);
}

}  // namespace tscatter
