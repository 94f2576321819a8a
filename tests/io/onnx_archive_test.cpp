// The initializers of an ONNX model: which there are, what is refused, and changes in place.
#include "tscatter/io/formats/onnx/onnx_archive.hpp"

#include <filesystem>
#include <memory>
#include <string>

#include "catch.hpp"
#include "io/files.hpp"
#include "io/pb_bytes.hpp"
#include "tscatter/io/files/sources.hpp"
#include "tscatter/io/formats/format.hpp"

namespace tscatter {
namespace {

const std::string bytes_3 = pb_integer(1, 3) + pb_integer(2, 2) + pb_text(9, "abc");
const std::string int64_1 = pb_integer(1, 1) + pb_integer(2, 7) + pb_text(7, "\x05");

OnnxArchive opened(const std::string& bytes, const std::filesystem::path& path = {}) {
  const auto given = bytes_of(bytes);
  return {owned_source(std::vector<std::byte>(given.begin(), given.end())),
          {.name = "m.onnx", .path = path}};
}

std::string refused(const std::string& model, std::string_view name = "w") {
  return refusal([&] { opened(model).tensor(name); });
}

}  // namespace

TEST_CASE("the initializers of a model are an archive of tensors", "[io]") {
  const OnnxArchive archive =
      opened(pb_model(pb_text(2, "g") + pb_initializer("w", bytes_3) +
                      pb_initializer("a:b[0]\n", int64_1) + pb_text(11, pb_text(1, "x"))));
  const auto members = archive.members();
  REQUIRE(members.size() == 2);
  CHECK(members[0].name == "w");
  CHECK(members[0].size == 3);
  CHECK(members[1].name == "a:b[0]\n");
  CHECK(content(archive.tensor("w")) == "abc");
  CHECK(archive.tensor("w").name() == "m.onnx:w");
  CHECK(archive.tensor_at(1).shape() == Shape{1});
  CHECK(content(archive.tensor("a:b[0]\n")) == std::string("\5\0\0\0\0\0\0\0", 8));
  CHECK(split_member_name("m.onnx:a:b[0]")->member == "a:b[0]");
  CHECK(!archive.place("w"));
}

TEST_CASE("the parts of a graph that stands twice add up", "[io]") {
  const OnnxArchive archive =
      opened(pb_text(7, pb_initializer("a", bytes_3)) + pb_text(7, pb_initializer("w", bytes_3)));
  CHECK(archive.members().size() == 2);
  CHECK(content(archive.tensor("w")) == "abc");
}

TEST_CASE("initializers whose elements cannot be used are listed", "[io]") {
  const std::string int4 = pb_integer(1, 3) + pb_integer(2, 22) + pb_text(9, "ab");
  const std::string text = pb_integer(1, 1) + pb_integer(2, 8) + pb_text(6, "word");
  const std::string values =
      pb_integer(1, 1) + pb_integer(2, 1) + pb_text(8, "s") + pb_text(9, "abcd");
  const std::string broken = pb_integer(1, -1) + pb_integer(2, 22);
  const OnnxArchive archive =
      opened(pb_model(pb_initializer("q", int4) + pb_initializer("t", text) +
                      pb_text(15, pb_text(1, values) + pb_text(2, int64_1) + pb_integer(3, 9)) +
                      pb_initializer("x", broken)));
  const auto members = archive.members();
  REQUIRE(members.size() == 4);
  CHECK((members[0].dtype == "INT4" && members[0].shape == Shape{3} && members[0].size == 2));
  CHECK((members[1].dtype == "STRING" && members[1].shape == Shape{1} && members[1].size == 4));
  CHECK((members[2].dtype == "sparse FLOAT" && members[2].shape == Shape{9}));
  CHECK((members[2].name == "s" && members[2].size == 4));
  CHECK((members[3].dtype.empty() && members[3].name == "x"));
  CHECK(refusal([&] { archive.tensor("q"); }) ==
        "m.onnx:q: the data_type must be of numbers of at least 8 bits (onnx.numpy_helper.to_array "
        "converts others), got INT4 [pb.f3]");
  CHECK(refusal([&] { archive.tensor_at(3); }).ends_with(" [pb.f4]"));
}

TEST_CASE("pb.f12: an initializer that does not exist is refused", "[io]") {
  const std::string model = pb_model(pb_initializer("weight", bytes_3) + pb_text(5, bytes_3));
  CHECK(refused(model, "wieght") ==
        "m.onnx: an initializer must be one of weight (nearest: weight), got wieght [pb.f12]");
  CHECK(refused(model, "") ==
        "m.onnx: an initializer must be one of weight, got an empty name [pb.f12]");
  CHECK(refused(pb_model(""), "w") ==
        "m.onnx: an initializer must be one of the 0 that there are, got w [pb.f12]");
}

TEST_CASE("pb.f13: an initializer that is used is dense, and the only one of its name", "[io]") {
  CHECK(refused(pb_model(pb_initializer("w", bytes_3) + pb_initializer("w", bytes_3))) ==
        "m.onnx:w: an initializer that is used must be the only one of its name, got another at "
        "byte 20 [pb.f13]");
  CHECK(refused(pb_model(pb_text(15, pb_text(1, bytes_3 + pb_text(8, "w"))))) ==
        "m.onnx:w: an initializer that is used must be dense, got a SparseTensorProto at byte 6 "
        "[pb.f13]");
}

TEST_CASE("pb.f14: a model without a graph, or with too many initializers, is refused", "[io]") {
  CHECK(refused("") == "m.onnx: the model has no graph (a single tensor is a .pb file) [pb.f14]");
  CHECK(refused(bytes_3).ends_with(
      "the model has no graph (a single tensor is a .pb file) [pb.f14]"));
  std::string graph;
  for (int i = 0; i <= 1 << 16; ++i) graph += pb_text(5, "");
  CHECK(
      refused(pb_text(7, graph)) ==
      "m.onnx: a graph must have at most 65536 initializers, got another at byte 131076 [pb.f14]");
}

TEST_CASE("pb.f2: an initializer has a name of UTF-8, of at most 1024 bytes", "[io]") {
  CHECK(refused(pb_model(pb_initializer("\xff", bytes_3))) ==
        "m.onnx: an initializer's name must be UTF-8, got other bytes in the message at byte 6 "
        "[pb.f2]");
  CHECK(refused(pb_model(pb_initializer(std::string(1025, 'w'), bytes_3))).ends_with(" [pb.f2]"));
  CHECK(refused(pb_integer(7, 1)) ==
        "m.onnx: graph must be bytes with a length, got a varint at byte 0 [pb.f2]");
}

TEST_CASE("a model that is cut anywhere is refused, or has fewer initializers", "[io]") {
  const std::string whole = pb_text(7, pb_initializer("w", bytes_3) + pb_initializer("x", int64_1));
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const std::string said = refused(whole.substr(0, size));
    CHECK_THAT(said, contains("[pb.f"));
  }
}

TEST_CASE("an initializer is changed in place in the model, or in the file of its data", "[io]") {
  const TemporaryDirectory folder;
  const auto path = folder / "m.onnx";
  const std::string model = pb_model(pb_initializer("w", bytes_3) + pb_initializer("n", int64_1) +
                                     pb_initializer("far", pb_elsewhere(4, "w.bin")));
  write_file(path, model);
  write_file(folder / "w.bin", "WXYZ");
  const auto change = [&](const std::string& name) {
    const auto output = open_in_place(onnx_format, path, name, {});
    Output& changed = *output;
    changed.begin(output->data().header(), output->data().source()).write(1, bytes_of("!"));
    changed.commit();
  };
  change("w");
  std::string after = model;
  after.replace(after.find("abc") + 1, 1, "!");
  CHECK(read_file(path) == after);
  change("far");
  CHECK(read_file(path) == after);
  CHECK(read_file(folder / "w.bin") == "W!YZ");
  CHECK(refusal([&] { change("n"); }).ends_with(" [file.f10]"));
  CHECK(refusal([&] { change("none"); }).ends_with(" [pb.f12]"));
  CHECK(files_of(path.native()) == std::vector{path.native(), (folder / "w.bin").native()});
  CHECK(files_of(path.native() + ":far") == std::vector{(folder / "w.bin").native()});
  CHECK(files_of(path.native() + ":w") == std::vector{path.native()});
}

}  // namespace tscatter
