// External data of ONNX tensors: where they may be, what is refused, and changes in place.
#include <fcntl.h>
#include <sys/stat.h>

#include <filesystem>
#include <memory>
#include <string>

#include "catch.hpp"
#include "io/files.hpp"
#include "io/left_journal.hpp"
#include "io/pb_bytes.hpp"
#include "tscatter/io/files/sources.hpp"
#include "tscatter/io/formats/format.hpp"
#include "tscatter/io/formats/onnx/pb_message.hpp"
#include "tscatter/io/formats/onnx/pb_tensor.hpp"

namespace tscatter {
namespace {

using namespace std::string_literals;

// A folder with t.pb, w.bin of eight bytes, and sub/w.bin.
struct External {
  TemporaryDirectory above;
  std::filesystem::path folder = above / "model";
  std::filesystem::path pb = folder / "t.pb";

  External() {
    std::filesystem::create_directories(folder / "sub");
    write_file(folder / "w.bin", "abcdefgh");
    write_file(folder / "sub/w.bin", "ABCDEFGH");
    write_file(above / "out.bin", "secret!!");
  }

  std::string read(const std::string& tensor) const {
    write_file(pb, tensor);
    const auto given = bytes_of(tensor);
    return content(pb_tensor(owned_source(std::vector<std::byte>(given.begin(), given.end())),
                             {.name = "t.pb", .path = pb}));
  }
  std::string refused(const std::string& tensor) const {
    std::string said = refusal([&] { read(tensor); });
    const std::string place = folder.native() + "/";
    for (std::size_t at = 0; (at = said.find(place)) != std::string::npos;)
      said.erase(at, place.size());
    return said;
  }
  std::string refused_at(const std::string& location) const {
    return refused(pb_elsewhere(8, location));
  }
};

std::string without_length(const std::string& more) {
  return pb_integer(1, 4) + pb_integer(2, 2) + pb_external("location", "w.bin") + more +
         pb_integer(14, 1);
}

}  // namespace

TEST_CASE("external data are read where onnx reads them", "[io]") {
  const External files;
  CHECK(files.read(pb_elsewhere(8, "w.bin")) == "abcdefgh");
  CHECK(files.read(pb_elsewhere(8, "./sub//w.bin")) == "ABCDEFGH");
  CHECK(files.read(without_length(pb_external("offset", "4"))) == "efgh");
  CHECK(files.read(without_length(pb_external("offset", "02") + pb_external("length", "4"))) ==
        "cdef");
  CHECK(files.read(without_length(pb_external("length", "4") + pb_external("checksum", "?") +
                                  pb_external("basepath", "/"))) == "abcd");
  // What is given twice, and values that are not external.
  CHECK(files.read(pb_external("location", "gone") + pb_elsewhere(8, "w.bin")) == "abcdefgh");
  CHECK(files.read(pb_elsewhere(2, "gone") + pb_integer(14, 0) + pb_text(9, "xy")) == "xy");
  CHECK(files.read(pb_elsewhere(8, "w.bin") + pb_integer(14, 7)) == "abcdefgh");
  CHECK(files.read(pb_elsewhere(0, "w.bin", "8") + pb_external("length", "0")).empty());
  // Links within the folder.
  std::filesystem::create_symlink("sub/w.bin", files.folder / "link");
  std::filesystem::create_symlink("sub", files.folder / "folder");
  CHECK(files.read(pb_elsewhere(8, "link")) == "ABCDEFGH");
  CHECK(files.read(pb_elsewhere(8, "folder/w.bin")) == "ABCDEFGH");
}

TEST_CASE("pb.f11: external data outside the folder are refused", "[io]") {
  const External files;
  const auto plain = [](const std::string& got) {
    return "t.pb: the location of external data must be a relative path without .., got " + got +
           " [pb.f11]";
  };
  CHECK(files.refused_at("") == plain("an empty one"));
  CHECK(files.refused(pb_integer(1, 8) + pb_integer(2, 2) + pb_integer(14, 1)) ==
        plain("an empty one"));
  CHECK(files.refused_at("/etc/hostname") == plain("/etc/hostname"));
  CHECK(files.refused_at("../out.bin") == plain("../out.bin"));
  CHECK(files.refused_at("sub/../w.bin") == plain("sub/../w.bin"));
  CHECK(files.refused_at("w.bin\0x"s) == plain("w.bin\\x00x"));
  std::filesystem::create_symlink("../out.bin", files.folder / "link");
  std::filesystem::create_symlink("..", files.folder / "up");
  for (const std::string location : {"link", "up/out.bin"}) {
    CHECK(files.refused_at(location) ==
          "t.pb: external data must be in the folder of the file that names it, or below (copy it "
          "there), got " +
              location + ", which leads to " + (files.above / "out.bin").native() + " [pb.f11]");
  }
}

TEST_CASE("pb.f11: external data are in a regular file of their own", "[io]") {
  const External files;
  const auto of_one_name = [](const std::string& got) {
    return "t.pb: external data must be in a regular file of one name (copy it), got " + got +
           " [pb.f11]";
  };
  CHECK(files.refused_at("sub") == of_one_name("sub, a directory"));
  REQUIRE(::mkfifo((files.folder / "pipe").c_str(), 0600) == 0);
  CHECK(files.refused_at("pipe") == of_one_name("pipe, a pipe"));
  std::filesystem::create_hard_link(files.folder / "w.bin", files.folder / "hard");
  CHECK(files.refused_at("hard") == of_one_name("hard, a file of several hard links"));
  CHECK(
      files.refused_at("t.pb") ==
      "t.pb: external data must be in another file than the one that names it, got t.pb [pb.f11]");
  CHECK(files.refused_at("gone") ==
        "t.pb: its external data, gone, cannot be opened: no such file or directory [file.f1]");
  const std::string tensor = pb_elsewhere(8, "w.bin");
  const auto source = std::make_shared<SpanSource>(bytes_of(tensor));
  CHECK(refusal([&] { pb_tensor(source, {.name = "t.pb"}); }) ==
        "t.pb: external data must be beside a file that is named, got a pipe [pb.f11]");
}

TEST_CASE("pb.f11: external data have the keys of ONNX, and the bytes that dims need", "[io]") {
  const External files;
  const auto refused = [&](const std::string& key, const std::string& value) {
    return files.refused(without_length(pb_external(key, value)));
  };
  CHECK(refused("prepacked_0", "1") ==
        "t.pb: the keys of external data must be location, offset, length, checksum and basepath, "
        "got prepacked_0 [pb.f11]");
  for (const std::string value : {"-1", "0x0", "4.0", " 4", "+4", "9223372036854775808"}) {
    CHECK(refused("offset", value) ==
          "t.pb: the offset of external data must be an integer from 0 to 2^63 - 1, got " + value +
              " [pb.f11]");
  }
  CHECK(refused("length", "") ==
        "t.pb: the length of external data must be an integer from 0 to 2^63 - 1, got an empty "
        "text [pb.f11]");
  CHECK(refused("offset", "0") ==
        "t.pb: external data must have the 4 bytes that dims and data_type need, got 8 to the end "
        "of w.bin [pb.f11]");
  CHECK(refused("length", "5") ==
        "t.pb: external data must have the 4 bytes that dims and data_type need, got 5 [pb.f11]");
  CHECK(files.refused(without_length(pb_external("offset", "5") + pb_external("length", "4"))) ==
        "t.pb: external data must lie in its file, w.bin of 8 bytes, got 4 bytes from byte 5 on "
        "[pb.f11]");
  CHECK(files
            .refused(without_length(pb_external("offset", "9223372036854775807") +
                                    pb_external("length", "4")))
            .ends_with("got 4 bytes from byte 9223372036854775807 on [pb.f11]"));
}

TEST_CASE("external data are changed in place in the file that has them", "[io]") {
  const External files;
  const std::string tensor = without_length(pb_external("offset", "4"));
  write_file(files.pb, tensor);
  {
    const auto output = open_in_place(pb_format, files.pb, {}, {});
    CHECK(output->target() == files.folder / "w.bin");
    Output& changed = *output;
    changed.begin(output->data().header(), output->data().source()).write(1, bytes_of("xy"));
    changed.commit();
  }
  CHECK(read_file(files.folder / "w.bin") == "abcdexyh");
  CHECK(read_file(files.pb) == tensor);
  CHECK(files_of(files.pb.native()) ==
        std::vector{files.pb.native(), (files.folder / "w.bin").native()});
}

TEST_CASE("external data of each dtype are found as raw bytes", "[io]") {
  const External files;
  for (const OnnxType& type : onnx_types()) {
    if (!type.dtype) continue;
    CAPTURE(type.name);
    const TensorHeader header{.type = element_type_of(type), .shape = {2, 3}};
    write_file(files.folder / "w.bin",
               std::string(static_cast<std::size_t>(header.byte_size()), 'x'));
    write_file(files.pb, pb_integer(1, 2) + pb_integer(1, 3) + pb_integer(2, type.number) +
                             pb_external("location", "w.bin") + pb_integer(14, 1));
    const auto output = open_in_place(pb_format, files.pb, {}, {});
    CHECK(output->data().shape() == Shape{2, 3});
    CHECK(output->data().type() == header.type);
    CHECK(output->target() == files.folder / "w.bin");
  }
}

TEST_CASE("undo.u5: external data that are half changed are not read", "[io]") {
  const External files;
  leave_journal(files.folder / "w.bin", {{.begin = 0, .end = 2}});
  CHECK(files.refused_at("w.bin").starts_with("w.bin: is half changed: "));
}

}  // namespace tscatter
