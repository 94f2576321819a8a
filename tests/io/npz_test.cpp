// Every archive of testdata/npz, which make_npz.py made with NumPy, zipfile and by hand; and
// archives truncated or changed anywhere.
#include "tscatter/io/formats/zip/npz.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "catch.hpp"
#include "io/expected.hpp"
#include "io/files.hpp"
#include "tscatter/io/files/sources.hpp"
#include "tscatter/io/formats/zip/zip_directory.hpp"
#include "tscatter/io/formats/zip/zip_format.hpp"

namespace tscatter {
namespace {

using nlohmann::json;

const std::filesystem::path npz_files = TSCATTER_NPZ_DIR;

std::string hexadecimal(const std::string& bytes) {
  std::string text;
  for (const char c : bytes) {
    constexpr std::string_view digits = "0123456789abcdef";
    text += digits[static_cast<unsigned char>(c) >> 4U];
    text += digits[static_cast<unsigned char>(c) & 15U];
  }
  return text;
}

std::shared_ptr<const Source> source_of(const std::string& bytes) {
  return std::make_shared<SpanSource>(bytes_of(bytes));
}

// Opens the archive and all of its members, and reads them.
void read_all(std::shared_ptr<const Source> file) {
  const NpzArchive archive(std::move(file), {.name = "x.npz"});
  for (std::size_t i = 0; i < archive.members().size(); ++i) {
    const Tensor tensor = archive.tensor_at(i);
    tensor.source().check_content({});
    content(tensor);
  }
}

void check_member(const NpzArchive& archive, std::size_t index, const json& row) {
  INFO(row.dump());
  const ArchiveMember member = archive.members().at(index);
  CHECK(member.name == row.at("name").get<std::string>());
  CHECK(member.file_name == row.at("file_name").get<std::string>());
  if (!row.at("tensor").get<bool>()) {
    CHECK(refusal([&] { archive.tensor_at(index); }) != "accepted");
    return;
  }
  std::vector<Tensor> tensors{archive.tensor_at(index)};
  if (!member.is_hidden) tensors.push_back(archive.tensor(member.file_name));
  for (const Tensor& tensor : tensors) {
    CHECK(to_string(tensor.type()) == row.at("dtype").get<std::string>());
    CHECK(tensor.shape() == row.at("shape").get<Shape>());
    CHECK((tensor.order() == MemoryOrder::c ? "c" : "fortran") ==
          row.at("order").get<std::string>());
    CHECK(refusal([&] { tensor.source().check_content({.threads = 2}); }) == "accepted");
    CHECK(hexadecimal(content(tensor)) == row.at("hex").get<std::string>());
  }
}

void check_bad(const json& row) {
  const std::filesystem::path path = npz_files / row.at("file").get<std::string>();
  const bool has_member = row.at("member").is_string();
  const std::string member = has_member ? row.at("member").get<std::string>() : "";
  const std::string label = row.at("label");
  const bool names_member = has_member && label != "npz.z13";
  const std::string where = path.native() + (names_member ? ":" + member : "");
  const auto read = [&] {
    const NpzArchive archive = NpzArchive::open(path);
    if (!has_member) return;
    const Tensor tensor = archive.tensor(member);
    tensor.source().check_content({});
  };
  CHECK(refusal(read) == where + ": " + row.at("message").get<std::string>() + " [" + label + "]");
}

void check_bad_of(const std::string& label) {
  int count = 0;
  for (const json& row : expected_in(npz_files, "bad")) {
    if (row.at("label") != label) continue;
    ++count;
    check_bad(row);
  }
  CHECK(count > 0);
}

std::string small_archive() { return read_file(npz_files / "good/streamed_deflated.npz"); }

}  // namespace

TEST_CASE("every good archive is read as NumPy reads it", "[io]") {
  const json rows = expected_in(npz_files, "good");
  REQUIRE(rows.size() > 15);
  for (const json& row : rows) {
    INFO(row.at("file").get<std::string>());
    const NpzArchive archive = NpzArchive::open(npz_files / row.at("file").get<std::string>());
    const json& members = row.at("members");
    REQUIRE(archive.members().size() == members.size());
    for (std::size_t i = 0; i < members.size(); ++i) check_member(archive, i, members[i]);
  }
}

TEST_CASE("every bad archive is refused by its rule", "[io]") {
  std::set<std::string> labels;
  for (const json& row : expected_in(npz_files, "bad")) {
    check_bad(row);
    labels.insert(row.at("label").get<std::string>());
  }
  for (int i = 1; i <= 18; ++i) {
    if (i != 12) CHECK(labels.count("npz.z" + std::to_string(i)) == 1);
  }
}

TEST_CASE("npz.z1: an archive without an end record is refused", "[io]") { check_bad_of("npz.z1"); }
TEST_CASE("npz.z2: an archive on several disks is refused", "[io]") { check_bad_of("npz.z2"); }
TEST_CASE("npz.z3: a wrong zip64 end record is refused", "[io]") { check_bad_of("npz.z3"); }
TEST_CASE("npz.z4: a directory outside the file is refused", "[io]") { check_bad_of("npz.z4"); }
TEST_CASE("npz.z5: a directory of broken records is refused", "[io]") { check_bad_of("npz.z5"); }
TEST_CASE("npz.z6: a wrong zip64 field is refused", "[io]") { check_bad_of("npz.z6"); }
TEST_CASE("npz.z7: an encrypted member is refused", "[io]") { check_bad_of("npz.z7"); }
TEST_CASE("npz.z8: another compression is refused", "[io]") { check_bad_of("npz.z8"); }
TEST_CASE("npz.z9: a member outside the file is refused", "[io]") { check_bad_of("npz.z9"); }
TEST_CASE("npz.z10: a local header that disagrees is refused", "[io]") { check_bad_of("npz.z10"); }
TEST_CASE("npz.z11: members that overlap are refused", "[io]") { check_bad_of("npz.z11"); }
TEST_CASE("npz.z12: a member that is there twice is not replaced", "[io]") {
  const TemporaryDirectory temporary;
  const std::filesystem::path path = temporary / "x.npz";
  for (const auto& [name, member] : {std::pair("twice", "a"), std::pair("twice", "a.npy"),
                                     std::pair("twice_in_two_encodings", "ö")}) {
    const std::string old = read_file(npz_files / "good" / (std::string(name) + ".npz"));
    write_file(path, old);
    const Tensor tensor = NpzArchive::open(path).tensor_at(0);
    NpzMemberOutput output(path, member);
    CHECK(refusal([&] { output.begin(tensor.header(), tensor.source()); }) ==
          path.native() + ": a member that is replaced must be the only one of its name " +
              "(numpy.savez(FILE, **dict(numpy.load(FILE))) keeps the last), got several " +
              (name == std::string("twice") ? "a.npy" : "ö.npy") + " [npz.z12]");
    CHECK(read_file(path) == old);
  }
  CHECK(temporary.names() == std::vector<std::string>{"x.npz"});
}

TEST_CASE("of members of one name the last is read, as NumPy does", "[io]") {
  const NpzArchive archive = NpzArchive::open(npz_files / "good/twice.npz");
  const std::vector<ArchiveMember> members = archive.members();
  REQUIRE(members.size() == 3);
  CHECK(members[0].is_hidden);
  CHECK(!members[1].is_hidden);
  CHECK(!members[2].is_hidden);
  CHECK(to_string(archive.tensor_at(0).type()) == "float32");
  for (const char* name : {"a", "a.npy"}) {
    CHECK(to_string(archive.tensor(name).type()) == "int64");
    CHECK(archive.hides_others(name));
  }
  CHECK(to_string(archive.tensor("b").type()) == "float32");
  CHECK(!archive.hides_others("b"));
}
TEST_CASE("npz.z13: a member that does not exist is refused", "[io]") { check_bad_of("npz.z13"); }
TEST_CASE("npz.z14: another checksum is refused", "[io]") { check_bad_of("npz.z14"); }
TEST_CASE("npz.z15: another size is refused", "[io]") { check_bad_of("npz.z15"); }
TEST_CASE("npz.z16: bytes behind the deflated ones are refused", "[io]") {
  check_bad_of("npz.z16");
}
TEST_CASE("npz.z17: a bomb is refused before it is inflated", "[io]") { check_bad_of("npz.z17"); }
TEST_CASE("npz.z18: a member that is no .npy is refused", "[io]") { check_bad_of("npz.z18"); }

TEST_CASE("a member is found by its name with and without .npy, the exact one first", "[io]") {
  const NpzArchive archive = NpzArchive::open(npz_files / "good/bare_names.npz");
  CHECK(to_string(archive.tensor("a").type()) == "float32");
  CHECK(to_string(archive.tensor("a.npy").type()) == "int64");
  CHECK(to_string(archive.tensor("b").type()) == "int64");
  CHECK_THAT(refusal([&] { archive.tensor("b.npy"); }), contains("[npz.z13]"));
}

TEST_CASE("a stored member is read where it stands", "[io]") {
  const std::filesystem::path path = npz_files / "good/no_zip64.npz";
  const auto file = std::make_shared<FileSource>(File::open_for_reading(path));
  const Tensor tensor = NpzArchive(file, {.name = "x.npz"}).tensor("a");
  const auto extent = tensor.source().extent();
  REQUIRE(extent.has_value());
  CHECK(extent->descriptor == file->file().descriptor());
  CHECK(read_file(path).substr(static_cast<std::size_t>(extent->offset), 24) == content(tensor));
}

TEST_CASE("of a deflated member only the front is inflated to open it", "[io]") {
  std::string bytes = read_file(npz_files / "good/savez_compressed.npz");
  const std::size_t at = bytes.find("PK\1\2") - 1;  // the last deflated byte
  bytes[at] = static_cast<char>(~bytes[at]);
  const NpzArchive archive(source_of(bytes), {.name = "x.npz"});
  const Tensor tensor = archive.tensor("zeros");
  CHECK(tensor.shape() == Shape{5000});
  CHECK(refusal([&] { content(tensor); }).starts_with("x.npz:zeros: "));
  CHECK(refusal([&] { content(tensor); }).starts_with("x.npz:zeros: "));
}

TEST_CASE("inflating ends when it is asked to", "[io]") {
  const std::atomic<bool> stop{true};
  const NpzArchive archive = NpzArchive::open(npz_files / "good/savez_compressed.npz", &stop);
  CHECK_THROWS_AS(content(archive.tensor("a")), Cancelled);
}

TEST_CASE("an archive that is cut anywhere is refused", "[io]") {
  for (const char* name : {"streamed_deflated", "savez", "zip64_end", "prefix"}) {
    const std::string whole = read_file(npz_files / "good" / (std::string(name) + ".npz"));
    for (std::size_t size = 0; size < whole.size(); ++size) {
      const std::string cut = whole.substr(0, size);
      const std::string text = refusal([&] { read_all(source_of(cut)); });
      INFO(name << " " << size);
      CHECK(text.starts_with("x.npz: a .npz file must end with the end record"));
    }
  }
}

TEST_CASE("a byte that is changed anywhere is an error or harmless, never a crash", "[io]") {
  for (const char* name : {"streamed_deflated", "streamed_stored", "no_zip64", "zip64_end",
                           "zip64_record", "zip64_local", "prefix_zip64", "cp437_names"}) {
    const std::string whole = read_file(npz_files / "good" / (std::string(name) + ".npz"));
    int accepted = 0;
    for (std::size_t at = 0; at < whole.size(); ++at) {
      for (const unsigned change : {0x01U, 0x80U, 0xFFU}) {
        std::string bytes = whole;
        bytes[at] = static_cast<char>(static_cast<unsigned char>(bytes[at]) ^ change);
        accepted += refusal([&] { read_all(source_of(bytes)); }) == "accepted" ? 1 : 0;
      }
    }
    INFO(name);
    // Times, attributes, versions, and what stands twice. A third of these archives is headers.
    CHECK(accepted < static_cast<int>(3 * whole.size()) / 2);
  }
}

TEST_CASE("what a changed member holds is never taken for what it held", "[io]") {
  const std::string whole = small_archive();
  const auto values = [](const std::string& bytes) {
    const NpzArchive archive(source_of(bytes), {.name = "x.npz"});
    return hexadecimal(content(archive.tensor_at(0))) + hexadecimal(content(archive.tensor_at(1)));
  };
  const std::string expected_values = values(whole);
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string bytes = whole;
    bytes[at] = static_cast<char>(~bytes[at]);
    std::string got;
    if (refusal([&] { got = values(bytes); }) == "accepted") CHECK(got == expected_values);
  }
}

TEST_CASE("a member beyond 4 GiB is read, and moved", "[io]") {
  const TemporaryDirectory temporary;
  constexpr std::int64_t far = (std::int64_t{5} << 30) + 1;
  const std::string npy =
      npy_file("{'descr': '|u1', 'fortran_order': False, 'shape': (3,)}", "abc");
  const zip::WrittenMember hole{
      .name = "hole", .offset = 0, .size = far - 34, .packed_size = far - 34, .crc = 0};
  const zip::WrittenMember near{.name = "a.npy",
                                .offset = far,
                                .size = static_cast<std::int64_t>(npy.size()),
                                .packed_size = static_cast<std::int64_t>(npy.size()),
                                .crc = 0xF20E8AF3};
  const std::string header = zip::local_header(near);
  const std::int64_t records = far + static_cast<std::int64_t>(header.size() + npy.size());
  zip::WrittenMember first = hole;
  first.size = far - static_cast<std::int64_t>(zip::local_header(hole).size());
  first.packed_size = first.size;
  const std::string end = zip::directory_record(first) + zip::directory_record(near);
  const int file = ::open((temporary / "far.npz").c_str(), O_CREAT | O_RDWR, 0600);
  REQUIRE(file >= 0);
  const auto put = [&](std::int64_t offset, const std::string& text) {
    return ::pwrite(file, text.data(), text.size(), offset) == static_cast<ssize_t>(text.size());
  };
  const bool is_written =
      put(0, zip::local_header(first)) && put(far, header + npy) &&
      put(records, end + zip::end_records(records, static_cast<std::int64_t>(end.size()), 2, ""));
  ::close(file);
  if (!is_written) return;  // the file system has no files of that size
  const NpzArchive archive = NpzArchive::open(temporary / "far.npz");
  CHECK(archive.members().at(0).size > (std::int64_t{5} << 30) - 100);
  CHECK(content(archive.tensor("a")) == "abc");
  CHECK(archive.tensor("a").source().extent()->offset > far);

  const FileSource source(File::open_for_reading(temporary / "far.npz"));
  const ZipDirectory read = read_zip_directory(source, "far.npz");
  std::vector<std::byte> record(static_cast<std::size_t>(read.entries[1].record_size));
  source.read(read.entries[1].record, record);
  zip::WrittenMember moved = near;
  for (const std::int64_t offset : {std::int64_t{0}, std::int64_t{0xFFFFFFFE},
                                    std::int64_t{0xFFFFFFFF}, std::int64_t{1} << 40}) {
    moved.offset = offset;
    CHECK(zip::moved_record(record, offset) == zip::directory_record(moved));
  }
}

TEST_CASE("the directory of many members takes a zip64 end record", "[io]") {
  std::string bytes;
  std::string records;
  constexpr int count = 70000;
  for (int i = 0; i < count; ++i) {
    const zip::WrittenMember member{.name = std::to_string(i),
                                    .offset = static_cast<std::int64_t>(bytes.size()),
                                    .size = 0,
                                    .packed_size = 0,
                                    .crc = 0};
    records += zip::directory_record(member);
    bytes += zip::local_header(member);
  }
  const auto begin = static_cast<std::int64_t>(bytes.size());
  bytes += records;
  bytes += zip::end_records(begin, static_cast<std::int64_t>(records.size()), count, "");
  const NpzArchive archive(source_of(bytes), {.name = "x.npz"});
  CHECK(archive.members().size() == count);
  CHECK(archive.members().back().name == "69999");
}

}  // namespace tscatter
