// tscatter show and tscatter convert.
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "app/process.hpp"
#include "catch.hpp"
#include "io/files.hpp"

namespace tscatter {
namespace {

using nlohmann::json;

const std::filesystem::path npy_directory = TSCATTER_NPY_DIR;

json expected(const char* kind) {
  return json::parse(std::ifstream(npy_directory / "expected.json")).at(kind);
}

bool has_json_form(const std::string& dtype) {
  for (const DTypeInfo& row : dtype_table) {
    if (row.dtype != DType::opaque && row.name == dtype) return true;
  }
  return false;
}

}  // namespace

TEST_CASE("show prints the header and a preview", "[app]") {
  CHECK(output_of({"show", "2x3xf16=0.5"}) ==
        "name        TENSOR\n"
        "dtype       float16\n"
        "shape       [2, 3]\n"
        "elements    6\n"
        "bytes       12\n"
        "order       c\n"
        "byte order  little\n"
        "\n"
        "[[0.5, 0.5, 0.5],\n"
        " [0.5, 0.5, 0.5]]\n");
  CHECK(output_of({"show", "--json", "2x3xu8=1"}) ==
        "{\"name\":\"TENSOR\",\"dtype\":\"uint8\",\"shape\":[2,3],\"elements\":6,\"bytes\":6,"
        "\"order\":\"c\",\"byte_order\":\"none\"}\n");
}

TEST_CASE("show of a tensor of no JSON form prints its header", "[app]") {
  const std::string text = output_of({"show", npy_directory / "good/record_nested.npy"});
  CHECK(text.find("dtype       [('p', [('x', '<f4'), ('y', '>i2', (2,))])") != std::string::npos);
  CHECK(text.ends_with("byte order  none\n"));
}

TEST_CASE("show of a huge tensor is quick", "[app]") {
  CHECK(output_of({"show", "1000000000x1000000000xu8=1"}).find("...") != std::string::npos);
}

TEST_CASE("convert rewrites good .npy files as NumPy does", "[app]") {
  const TemporaryDirectory directory;
  int count = 0;
  for (const json& row : expected("good")) {
    if (++count % 4 != 0) continue;  // the library's test has them all
    INFO(row.dump());
    const std::string in = npy_directory / row.at("file").get<std::string>();
    CHECK(output_of({"convert", in, directory / "x.npy"}).empty());
    CHECK(read_file(directory / "x.npy") ==
          read_file(npy_directory / row.at("resaved").get<std::string>()));
  }
}

TEST_CASE("convert through JSON and back loses nothing", "[app]") {
  const TemporaryDirectory directory;
  int count = 0;
  for (const json& row : expected("good")) {
    if (!has_json_form(row.at("dtype"))) continue;
    if (row.at("order") == "fortran" ||
        row.at("file").get<std::string>().find("_be_") != std::string::npos)
      continue;
    INFO(row.dump());
    ++count;
    const std::string in = npy_directory / row.at("file").get<std::string>();
    const std::string want = read_file(npy_directory / row.at("resaved").get<std::string>());
    CHECK(output_of({"convert", in, directory / "x.json"}).empty());
    CHECK(output_of({"convert", directory / "x.json", directory / "x.npy"}).empty());
    const bool is_bool = row.at("dtype") == "bool";  // of which any byte but 0 is true
    if (!is_bool) CHECK(read_file(directory / "x.npy") == want);
  }
  CHECK(count > 30);
}

TEST_CASE("convert between stdin and stdout", "[app]") {
  const Result npy = Command({"convert", "-", "-"}).with_input("{\"dtype\": \"i2\"").run();
  CHECK(npy.exit_code == 4);
  const Result good = Command({"convert", "-", "-"}).with_input("[[1, 2], [3, 4]]").run();
  CHECK(good.out.find("'descr': '<i8', 'fortran_order': False, 'shape': (2, 2)") !=
        std::string::npos);
  CHECK(Command({"convert", "-", "-", "--format", "json"}).with_input(good.out).run().out ==
        "{\"dtype\": \"int64\", \"shape\": [2, 2], \"data\": [[1, 2],\n [3, 4]]}\n");
}

TEST_CASE("convert names the dtype of untyped values", "[app]") {
  const TemporaryDirectory directory;
  CHECK(output_of({"convert", "[[1, 2], [3, 4]]", directory / "m.npy", "--dtype", "float16"})
            .empty());
  CHECK(read_file(directory / "m.npy").find("'<f2'") != std::string::npos);
  CHECK(output_of({"convert", "[18446744073709551615]", directory / "m.npy", "--dtype", "u64"})
            .empty());
  CHECK(read_file(directory / "m.npy").ends_with(std::string(8, '\xff')));
}

TEST_CASE("a bad .npy file ends with 4, its label and nothing written", "[app]") {
  const TemporaryDirectory directory;
  int count = 0;
  for (const json& row : expected("bad")) {
    if (++count % 4 != 0) continue;  // the library's test has them all
    const std::string file = npy_directory / row.at("file").get<std::string>();
    const std::string text = file + ": " + row.at("message").get<std::string>() + " [" +
                             row.at("label").get<std::string>() + "]";
    CHECK(refusal_of(4, {"convert", file, directory / "x.npy"}) == text);
  }
  CHECK(directory.names().empty());
}

}  // namespace tscatter
