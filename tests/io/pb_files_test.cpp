// Every file of testdata/pb, which make_pb.py made with the package onnx.
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "catch.hpp"
#include "io/expected.hpp"
#include "io/files.hpp"
#include "tscatter/io/files/sources.hpp"
#include "tscatter/io/formats/format.hpp"
#include "tscatter/io/formats/onnx/pb_tensor.hpp"

namespace tscatter {
namespace {

using nlohmann::json;

const std::filesystem::path pb_directory =
    std::filesystem::path(TSCATTER_SOURCE_DIR) / "testdata/pb";

std::string hex(std::string_view bytes) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text;
  for (const char each : bytes) {
    text += digits[static_cast<unsigned char>(each) / 16];
    text += digits[static_cast<unsigned char>(each) % 16];
  }
  return text;
}

Tensor open(const std::filesystem::path& path) {
  auto file = std::make_shared<FileSource>(File::open_for_reading(path));
  CHECK(&format_of(*file, path.native()) == &pb_format);
  return pb_tensor(file, {.name = path.native()});
}

std::string written_file(const Tensor& tensor) {
  const TemporaryDirectory to;
  const std::filesystem::path path = to / "x.pb";
  const auto output = pb_format.create({.path = path, .name = path.native()});
  const std::string elements = content(tensor);
  output->begin(tensor.header(), tensor.source()).write(0, bytes_of(elements));
  output->commit();
  return read_file(path);
}

}  // namespace

TEST_CASE("every good .pb file is read as the package onnx reads it", "[io]") {
  const json rows = expected_in(pb_directory);
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(pb_directory / "good")) {
    const std::string name = entry.path().filename().native();
    CAPTURE(name);
    const json& row = rows.at(name);
    const Tensor tensor = open(entry.path());
    CHECK(to_string(tensor.type()) == row.at("dtype").get<std::string>());
    CHECK(tensor.shape() == row.at("shape").get<Shape>());
    CHECK(tensor.order() == MemoryOrder::c);
    CHECK(hex(content(tensor)) == row.at("bytes").get<std::string>());
    if (row.at("written").get<bool>()) CHECK(written_file(tensor) == read_file(entry.path()));
    ++files;
  }
  CHECK(files == rows.size());
}

TEST_CASE("elements that lie together in a .pb file are a part of it", "[io]") {
  for (const char* name : {"raw_float32.pb", "typed_float32.pb", "typed_float64.pb",
                           "typed_complex64.pb", "typed_complex128.pb", "empty.pb"}) {
    CAPTURE(name);
    CHECK(open(pb_directory / "good" / name).source().extent());
  }
  for (const char* name : {"typed_int32.pb", "split.pb", "unpacked.pb"}) {
    CAPTURE(name);
    CHECK(!open(pb_directory / "good" / name).source().extent());
  }
}

TEST_CASE("file.f10: elements that are stored one by one are not changed in place", "[io]") {
  const TemporaryDirectory folder;
  const auto path = folder / "x.pb";
  std::filesystem::copy(pb_directory / "good/typed_int32.pb", path);
  const auto change = [&] { open_in_place(pb_format, path, {}, {}); };
  CHECK(refusal(change) ==
        path.native() +
            ": must hold the elements in one piece to be changed in place (-o writes another "
            "file), got values that are stored one by one [file.f10]");
}

TEST_CASE("a .pb file is changed in place where its elements lie together", "[io]") {
  const TemporaryDirectory folder;
  const auto path = folder / "x.pb";
  std::filesystem::copy(pb_directory / "good/named.pb", path);
  const std::string before = read_file(path);
  const auto output = open_in_place(pb_format, path, {}, {.journaling = Journaling::left_out});
  Output& changed = *output;
  changed.begin(output->data().header(), output->data().source()).write(4, bytes_of("abcd"));
  changed.commit();
  std::string after = before;
  after.replace(before.find("\x4a\x08") + 6, 4, "abcd");
  CHECK(read_file(path) == after);
}

}  // namespace tscatter
