#include "tscatter/io/formats/format.hpp"

#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "catch.hpp"
#include "io/files.hpp"
#include "tscatter/io/files/sources.hpp"
#include "tscatter/io/formats/text/json_tensor.hpp"
#include "tscatter/io/formats/text/literal.hpp"
#include "tscatter/tscatter.hpp"

namespace tscatter {
namespace {

const Format* format_of_text(std::string_view text, std::string_view name) {
  return &format_of(SpanSource(bytes_of(text)), name);
}

Tensor literal_of(std::string_view text) { return *literal_tensor(text, "literal"); }

TEST_CASE("each format has a name, an ending, and a way to be opened", "[io]") {
  std::set<std::string_view> names;
  for (const Format* format : formats()) {
    CAPTURE(format->name);
    CHECK(names.insert(format->name).second);
    CHECK(names.insert(format->ending).second);
    CHECK(format->ending.starts_with('.'));
    CHECK(format->begins_as != nullptr);
    CHECK((format->spool != nullptr) != (format->open_pipe != nullptr));
    CHECK((format->open == nullptr) == format->is_archive());
    CHECK(format->is_archive() == !format->no_member.empty());
    CHECK(!format->rules().empty());
    CHECK(!format->help.empty());
    CHECK(find_format(format->name) == format);
    const bool ends_as_json = format->ending.ends_with(".json");
    const Format* other = ends_as_json ? &json_format : &npy_format;
    const Format* written = format->names_outputs() ? format : other;
    CHECK(&format_of_name(std::string("x") + std::string(format->ending)) == written);
  }
  CHECK(find_format("NPY") == nullptr);
  CHECK(find_format("") == nullptr);
}

TEST_CASE("the first bytes decide the format, and the ending where a format says so", "[io]") {
  constexpr std::string_view npy = "\x93NUMPY";
  constexpr std::string_view zip = "PK\x03\x04";
  CHECK(format_of_text(npy, "x.npy") == &npy_format);
  CHECK(format_of_text(npy, "x.npz") == &npy_format);
  CHECK(format_of_text(npy, "x.json") == &npy_format);
  CHECK(format_of_text(zip, "x.npz") == &npz_format);
  CHECK(format_of_text(zip, "x.zip") == &npy_format);
  CHECK(format_of_text(" \n[1]", "x.npy") == &json_format);
  CHECK(format_of_text("?", "x.json") == &json_format);
  CHECK(format_of_text("", "x.json") == &json_format);
  CHECK(format_of_text("?", "x.npz") == &npy_format);
  CHECK(format_of_text("", "x") == &npy_format);
}

TEST_CASE("a pipe is recognised by what it gives, not by the ending of its name", "[io]") {
  const auto format_of_pipe = [](std::string_view text, std::string_view name) {
    return format_by_first_bytes(SpanSource(bytes_of(text)), name);
  };
  CHECK(format_of_pipe("[1]", "pipe") == &json_format);
  CHECK(format_of_pipe("?", "pipe.json") == nullptr);
  CHECK(format_of_pipe("PK\x05\x06", "pipe.npz") == &npz_format);
  CHECK(format_of_pipe("PK\x05\x06", "pipe") == nullptr);
}

TEST_CASE("an archive to be listed is known by its first bytes or by its ending", "[io]") {
  const auto archive_of = [](std::string_view text, std::string_view name) {
    return archive_format_of(SpanSource(bytes_of(text)), name);
  };
  CHECK(archive_of("PK\x03\x04", "x.zip") == &npz_format);
  CHECK(archive_of("?", "x.npz") == &npz_format);
  CHECK(archive_of("[1]", "x.json") == nullptr);
}

TEST_CASE("the name of a member is split at the first ending of an archive", "[io]") {
  const auto name = split_member_name("a.npz:b.npz:c");
  REQUIRE(name);
  CHECK(name->format == &npz_format);
  CHECK(name->archive == "a.npz");
  CHECK(name->member == "b.npz:c");
  CHECK(split_member_name("a.npz:")->member.empty());
  CHECK(!split_member_name("a.npz"));
  CHECK(!split_member_name("a.npy:b"));
  CHECK(!split_member_name(std::string(std::size_t{1} << 20U, ':')));  // in linear time
}

TEST_CASE("what is changed in place is an output through the table", "[io]") {
  CHECK(&in_place_format("x.npy") == &npy_format);
  CHECK(&in_place_format("x") == &npy_format);
  CHECK(&in_place_format("x.json") == &npy_format);
  const TemporaryDirectory directory;
  const auto path = directory / "x.npy";
  const std::string before =
      npy_file("{'descr': '|u1', 'fortran_order': False, 'shape': (2,), }", "ab");
  write_file(path, before);
  const std::unique_ptr<InPlaceFile> file =
      open_in_place(npy_format, path, {}, {.journaling = Journaling::left_out});
  CHECK(content(file->data()) == "ab");
  Output& output = *file;
  output.begin(file->data().header(), file->data().source()).write(1, bytes_of("c"));
  output.commit();
  CHECK(read_file(path) == before.substr(0, before.size() - 1) + "c");
  CHECK(output.take_back() == Output::Remains::nothing);
}

TEST_CASE("the bytes of a tensor may begin anywhere in a file that is changed in place", "[io]") {
  const TemporaryDirectory directory;
  const auto path = directory / "x.bin";
  write_file(path, "0123456789");
  const auto read = [](std::shared_ptr<const Source> file, const std::string& name) {
    return Tensor({.type = ElementType::of(DType::uint16), .shape = {2}},
                  std::make_shared<PartSource>(std::move(file), 3, 4), name);
  };
  InPlaceFile output(path, read);
  CHECK(content(output.data()) == "3456");
  scatter_update_3(output.data(), literal_of("1xi64=1"), literal_of("1xu16=16961"),
                   literal_of("i64=0"), output);
  CHECK(read_file(path) == "01234AB789");
  CHECK(directory.names() == std::vector<std::string>{"x.bin"});
}

}  // namespace
}  // namespace tscatter
