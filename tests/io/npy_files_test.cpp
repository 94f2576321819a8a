// Every file of testdata/npy, which make_npy.py made with NumPy itself.
#include <bit>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "catch.hpp"
#include "io/expected.hpp"
#include "io/files.hpp"
#include "tscatter/io/formats/npy/npy_file.hpp"

namespace tscatter {
namespace {

using nlohmann::json;

const std::filesystem::path npy_directory = TSCATTER_NPY_DIR;

std::filesystem::path path_in(const json& row, const char* key) {
  return npy_directory / row.at(key).get<std::string>();
}

void copy(const Tensor& tensor, Output& output) {
  const std::string bytes = content(tensor);
  output.begin(tensor.header(), tensor.source()).write(0, bytes_of(bytes));
  output.commit();
}

// What NumPy writes anew.
std::string resaved(const json& row) {
  std::string text = read_file(path_in(row, "resaved"));
  if (!means_the_same_here(row.at("file"))) text[text.find('<')] = '>';
  return text;
}

// The files below `folder` that no row of `rows` names.
std::vector<std::string> strangers(const char* folder, const json& rows) {
  std::set<std::string> known;
  for (const json& row : rows) {
    known.insert(row.at("file").get<std::string>());
    if (row.contains("resaved")) known.insert(row.at("resaved").get<std::string>());
  }
  std::vector<std::string> unknown;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(npy_directory / folder)) {
    const std::string name = entry.path().lexically_relative(npy_directory).native();
    if (entry.is_regular_file() && !known.contains(name)) unknown.push_back(name);
  }
  return unknown;
}

}  // namespace

TEST_CASE("every good .npy file is read as NumPy reads it", "[io]") {
  const json rows = expected_in(npy_directory, "good");
  REQUIRE(rows.size() > 100);
  CHECK(strangers("good", rows).empty());
  for (const json& row : rows) {
    INFO(row.dump());
    const Tensor tensor = open_npy(path_in(row, "file"));
    CHECK(to_string(tensor.type()) == row.at("dtype").get<std::string>());
    CHECK(tensor.shape() == row.at("shape").get<Shape>());
    CHECK((tensor.order() == MemoryOrder::c ? "c" : "fortran") ==
          row.at("order").get<std::string>());
  }
}

TEST_CASE("every good .npy file is written byte for byte as NumPy writes it", "[io]") {
  const TemporaryDirectory temporary;
  for (const json& row : expected_in(npy_directory, "good")) {
    INFO(row.dump());
    NpyFileOutput output(temporary / "out.npy");
    copy(open_npy(path_in(row, "file")), output);
    CHECK(read_file(temporary / "out.npy") == resaved(row));
  }
  CHECK(temporary.names() == std::vector<std::string>{"out.npy"});
}

TEST_CASE("every bad .npy file is refused by its rule", "[io]") {
  const json rows = expected_in(npy_directory, "bad");
  REQUIRE(rows.size() > 100);
  CHECK(strangers("bad", rows).empty());
  for (const json& row : rows) {
    const std::filesystem::path path = path_in(row, "file");
    CHECK(refusal([&] { open_npy(path); }) == refusal_in(row, path.native()));
  }
}

TEST_CASE("there are bad .npy files for every npy rule", "[io]") {
  std::set<std::string> labels;
  for (const json& row : expected_in(npy_directory, "bad"))
    labels.insert(row.at("label").get<std::string>());
  CHECK(labels == std::set<std::string>{"npy.f1", "npy.f2", "npy.f3", "npy.f4", "npy.f5", "npy.f6",
                                        "npy.f7", "npy.f8"});
}

}  // namespace tscatter
