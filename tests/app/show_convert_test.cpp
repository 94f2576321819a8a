// tscatter show and tscatter convert.
#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "app/folder.hpp"
#include "app/process.hpp"
#include "catch.hpp"
#include "io/expected.hpp"
#include "io/files.hpp"

namespace tscatter {
namespace {

using nlohmann::json;

const std::filesystem::path npy_directory = TSCATTER_NPY_DIR;

bool has_json_form(const std::string& dtype) {
  for (const DTypeInfo& row : dtype_table) {
    if (row.dtype != DType::opaque && row.name == dtype) return true;
  }
  return false;
}

}  // namespace

TEST_CASE("show prints the header and a preview", "[app]") {
  CHECK(output_of("show 2x3xf16=0.5") ==
        "name        TENSOR\n"
        "dtype       float16\n"
        "shape       [2, 3]\n"
        "elements    6\n"
        "bytes       12\n"
        "order       c\n"
        "byte order  little\n"
        "min         0.5\n"
        "max         0.5\n"
        "mean        0.5\n"
        "nan         0\n"
        "infinite    0\n"
        "zeros       0\n"
        "\n"
        "[[0.5, 0.5, 0.5],\n"
        " [0.5, 0.5, 0.5]]\n");
  CHECK(output_of("show --json 2x3xu8=1") ==
        "{\"name\":\"TENSOR\",\"dtype\":\"uint8\",\"shape\":[2,3],\"elements\":6,\"bytes\":6,"
        "\"order\":\"c\",\"byte_order\":\"none\",\"min\":1,\"max\":1,\"mean\":1.0,\"nan\":0,"
        "\"infinite\":0,\"zeros\":0,\"histogram\":[{\"first\":1,\"last\":1,\"count\":6}]}\n");
}

TEST_CASE("show says that another array follows, and -v that it is not read", "[app]") {
  const Folder folder;
  const std::string one = npy_file("{'descr': '|u1', 'fortran_order': False, 'shape': (2,)}", "ab");
  folder.put("one.npy", one);
  folder.put("two.npy", one + one);
  CHECK_THAT(folder.out("show --header one.npy"), !contains("after it"));
  CHECK(folder.out("show --header two.npy")
            .ends_with(fmt::format("byte order  none\nafter it    {} bytes, another array\n",
                                   one.size())));
  CHECK(json::parse(folder.out("show --json two.npy")).at("bytes_after") == one.size());
  CHECK(!json::parse(folder.out("show --json one.npy")).contains("bytes_after"));
  const Result read = folder.run("convert two.npy - --format json -v");
  CHECK(read.out == "{\"dtype\": \"uint8\", \"shape\": [2], \"data\": [97, 98]}\n");
  CHECK_THAT(read.err,
             contains(fmt::format(
                 "two.npy: another array follows the first, from byte {} on, and is not read",
                 one.size())));
  CHECK_THAT(folder.err("convert one.npy - --format json -v"), !contains("another"));
}

TEST_CASE("a pipe of several arrays gives the first", "[app]") {
  const std::string one = npy_file("{'descr': '|u1', 'fortran_order': False, 'shape': (2,)}", "ab");
  const Result read = Command("convert - - --format json -v").with_input(one + one).run();
  CHECK(read.out == "{\"dtype\": \"uint8\", \"shape\": [2], \"data\": [97, 98]}\n");
  CHECK_THAT(read.err, contains("<stdin>: another array follows the first"));
}

TEST_CASE("show --header reads no element", "[app]") {
  const std::string header =
      "name        TENSOR\n"
      "dtype       uint8\n"
      "shape       [3]\n"
      "elements    3\n"
      "bytes       3\n"
      "order       c\n"
      "byte order  none\n";
  CHECK(output_of("show --header 3xu8=1") == header);
  CHECK(output_of("show --header --json 3xu8=1") ==
        "{\"name\":\"TENSOR\",\"dtype\":\"uint8\",\"shape\":[3],\"elements\":3,\"bytes\":3,"
        "\"order\":\"c\",\"byte_order\":\"none\"}\n");
}

TEST_CASE("show draws a histogram of more than ten elements", "[app]") {
  const std::string text =
      output_of("show '[0, 0, 0, 0, 1, 1, 2, 99, -1, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5]'");
  CHECK_THAT(text, contains("min         -1\n"
                            "max         99\n"
                            "mean        7.85\n"
                            "zeros       4\n"
                            "histogram\n"
                            "  [-1, 9]   19  ########################################\n"
                            "  [10, 20]   0\n"));
  CHECK_THAT(text, contains("  [98, 99]   1  ###\n\n[0, 0"));
  const std::string reals =
      output_of({"show", R"([0, 0, 0, 0, 1, 1, 2, 2, 3, 0.5, "NaN", "-Infinity"])"});
  CHECK_THAT(reals, contains("min         -Infinity\n"
                             "max         3.0\n"
                             "mean        0.95\n"
                             "nan         1\n"
                             "infinite    1\n"
                             "zeros       4\n"
                             "histogram\n"
                             "  [0.0, 0.3)  4  ########################################\n"
                             "  [0.3, 0.6)  1  ##########\n"));
  CHECK_THAT(reals, contains("  [2.7, 3.0]  1  ##########\n"));
}

TEST_CASE("show of a bool counts what is true, of complex values their parts", "[app]") {
  CHECK_THAT(output_of("show '[true, false, true]'"),
             contains("min         false\nmax         true\nmean        0.6666666666666666\n"
                      "zeros       1\ntrue        2\n\n"));
  CHECK(nlohmann::json::parse(output_of("show --json [true]")).at("true") == 1);
  CHECK_THAT(output_of("show 2xc64=1-2j,-3+4j"),
             contains("min         [-3.0, -2.0]\nmax         [1.0, 4.0]\nmean        [-1.0, 1.0]\n"
                      "nan         0\ninfinite    0\nzeros       0\n\n"));
}

TEST_CASE("show of nothing has no minimum", "[app]") {
  CHECK_THAT(output_of("show 0xf32="),
             contains("min         none\nmax         none\nmean        none\nnan         0\n"));
  CHECK_THAT(output_of("show --json 0xf32="),
             contains("\"min\":null,\"max\":null,\"mean\":null,\"nan\":0,\"infinite\":0,\"zeros\":"
                      "0,\"histogram\":[]}\n"));
}

TEST_CASE("show of a tensor of no JSON form prints its header and first bytes", "[app]") {
  const std::string text = output_of({"show", npy_directory / "good/record_nested.npy"});
  CHECK_THAT(text, contains("dtype       [('p', [('x', '<f4'), ('y', '>i2', (2,))])"));
  const std::size_t preview = text.find("byte order  none\n\n");
  REQUIRE(preview != std::string::npos);
  CHECK(text.find_first_not_of("0123456789abcdef\n.", preview + 18) == std::string::npos);
}

TEST_CASE("show of a huge tensor is quick", "[app]") {
  CHECK_THAT(output_of("show 1000000000x1000000000xu8=1"), contains("..."));
}

TEST_CASE("convert rewrites good .npy files as NumPy does", "[app]") {
  const TemporaryDirectory directory;
  int count = 0;
  for (const json& row : expected_in(npy_directory, "good")) {
    if (++count % 4 != 0 || !means_the_same_here(row.at("file")))
      continue;  // the library's test has all
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
  for (const json& row : expected_in(npy_directory, "good")) {
    if (!has_json_form(row.at("dtype"))) continue;
    if (row.at("order") == "fortran" ||
        row.at("file").get<std::string>().find("_be_") != std::string::npos ||
        !means_the_same_here(row.at("file")))
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
  const Result npy = Command("convert - -").with_input("{\"dtype\": \"i2\"").run();
  CHECK(npy.exit_code == 4);
  const Result good = Command("convert - -").with_input("[[1, 2], [3, 4]]").run();
  CHECK_THAT(good.out, contains("'descr': '<i8', 'fortran_order': False, 'shape': (2, 2)"));
  CHECK(Command("convert - - --format json").with_input(good.out).run().out ==
        "{\"dtype\": \"int64\", \"shape\": [2, 2], \"data\": [[1, 2],\n [3, 4]]}\n");
}

TEST_CASE("convert names the dtype of untyped values", "[app]") {
  const TemporaryDirectory directory;
  CHECK(output_of({"convert", "[[1, 2], [3, 4]]", directory / "m.npy", "--dtype", "float16"})
            .empty());
  CHECK_THAT(read_file(directory / "m.npy"), contains("'<f2'"));
  CHECK(output_of({"convert", "[18446744073709551615]", directory / "m.npy", "--dtype", "u64"})
            .empty());
  CHECK(read_file(directory / "m.npy").ends_with(std::string(8, '\xff')));
}

TEST_CASE("convert --to converts the values of files, members, JSON and literals", "[app]") {
  const TemporaryDirectory directory;
  const auto as_json = [](const std::string& in) {
    return output_of({"convert", in, "-", "--format", "json"});
  };
  const std::string want = "{\"dtype\": \"int64\", \"shape\": [2], \"data\": [3, 4294967295]}\n";
  output_of({"convert", "2xu32=3,4294967295", directory / "ids.npy"});
  output_of({"convert", "2xu32=3,4294967295", directory / "all.npz:ids"});
  for (const std::string& in : Strings{directory / "ids.npy", directory / "all.npz:ids",
                                       "2xu32=3,4294967295", "[3.0, 4294967295.0]"}) {
    INFO(in);
    output_of({"convert", in, directory / "new.npy", "--to", "int64"});
    CHECK(as_json(directory / "new.npy") == want);
  }
  output_of({"convert", directory / "ids.npy", directory / "all.npz:wide", "--to", "i64"});
  CHECK(as_json(directory / "all.npz:wide") == want);
  CHECK(output_of({"convert", directory / "ids.npy", "-", "--format", "json", "--to", "int64"}) ==
        want);
  output_of({"convert", "[1, 2.5]", directory / "b.npy", "--dtype", "bfloat16"});
  CHECK(output_of({"convert", directory / "b.npy", "-", "--format", "json", "--dtype", "bfloat16",
                   "--to", "float32"}) ==
        "{\"dtype\": \"float32\", \"shape\": [2], \"data\": [1.0, 2.5]}\n");
}

TEST_CASE("convert.v1: a value that does not fit is refused with its place, and nothing is written",
          "[app]") {
  const TemporaryDirectory directory;
  output_of({"convert", "3xu32=3,4294967295,4294967294", directory / "ids.npy"});
  const std::string message =
      (directory / "ids.npy").native() +
      ": the value at [1] must fit int32 exactly (--cast unsafe), got 4294967295 [convert.v1]";
  CHECK(refusal_of(5, {"convert", directory / "ids.npy", directory / "new.npy", "--to", "int32"}) ==
        message);
  CHECK(directory.names() == std::vector<std::string>{"ids.npy"});
  const Result piped = Command({"convert", directory / "ids.npy", "-", "--to", "int32"}).run();
  CHECK(piped.out.empty());
  CHECK(piped.exit_code == 5);
}

TEST_CASE("convert.v2: --to of elements without values is refused", "[app]") {
  CHECK(refusal_of(5, {"convert", npy_directory / "good/record.npy", "-", "--to", "int64"}) ==
        (npy_directory / "good/record.npy").string() +
            ": values that are converted must be of a numeric dtype, got [('a', '<f4'), ('b', "
            "'|S3')] [convert.v2]");
}

TEST_CASE("cli.c51: --to beside a view as records is refused", "[app]") {
  CHECK(
      refusal_of(2, "convert 2xf16=1 - --dtype V2 --to int64") ==
      "--to: must be left out with --dtype V2, whose records have no values, got int64 [cli.c51]");
}

TEST_CASE("cli.c103: --round goes with --to, saturate with a float8", "[app]") {
  CHECK(refusal_of(2, "convert 2xf16=1 - --round nearest") ==
        "--round: needs --to DTYPE [cli.c103]");
  CHECK(refusal_of(2, "convert 2xf16=1 - --to float32 --round saturate") ==
        "--round: saturate is for float8 dtypes (nearest is for all), got float32 [cli.c103]");
  CHECK(output_of("convert 2xf32=1.1,-0.5 - --to float16 --round nearest --format json") ==
        "{\"dtype\": \"float16\", \"shape\": [2], \"data\": [1.1, -0.5]}\n");
  CHECK(refusal_of(5, "convert 2xf32=1,7e4 - --to float16 --round nearest") ==
        "IN: the value at [1] must round to a number of float16 (--cast unsafe), got 70000.0 "
        "[convert.v3]");
  const TemporaryDirectory directory;
  const std::string file = directory / "q.safetensors:w";
  output_of({"convert", "3xf32=-0.1,9,inf", file, "--to", "FLOAT8_E4M3FN", "--round", "saturate"});
  CHECK(output_of({"convert", file, "-", "--to", "float32", "--format", "json"}) ==
        "{\"dtype\": \"float32\", \"shape\": [3], \"data\": [-0.1015625, 9.0, 448.0]}\n");
  output_of(
      {"convert", "1xf32=9", directory / "w.npy", "--to", "float8_e5m2", "--round", "nearest"});
  CHECK(output_of({"convert", directory / "w.npy", "-", "--dtype", "float8_e5m2", "--to", "int32",
                   "--format", "json"}) ==
        "{\"dtype\": \"int32\", \"shape\": [1], \"data\": [8]}\n");
}

TEST_CASE("cli.c7: bytes are named a float8 where they have no other name", "[app]") {
  CHECK(
      refusal_of(2, "show 2xf16=1 --dtype float8_e5m2") ==
      "--dtype: must not contradict the dtype that TENSOR has, float16, got float8_e5m2 [cli.c7]");
  CHECK(output_of("show 1xu8=60 --dtype float8_e5m2").ends_with("\n[1.0]\n"));
}

TEST_CASE("a bad .npy file ends with 4, its label and nothing written", "[app]") {
  const TemporaryDirectory directory;
  int count = 0;
  for (const json& row : expected_in(npy_directory, "bad")) {
    if (++count % 4 != 0 || !means_the_same_here(row.at("file")))
      continue;  // the library's test has all
    const std::string file = npy_directory / row.at("file").get<std::string>();
    CHECK(refusal_of(4, {"convert", file, directory / "x.npy"}) == refusal_in(row, file));
  }
  CHECK(directory.names().empty());
}

}  // namespace tscatter
