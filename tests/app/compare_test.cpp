// tscatter compare: reports, exit codes, refusals, pictures.
#include <filesystem>
#include <nlohmann/json.hpp>

#include "app/process.hpp"
#include "catch.hpp"
#include "io/files.hpp"

namespace tscatter {
namespace {

using nlohmann::json;

const std::filesystem::path npy_directory = TSCATTER_NPY_DIR;

// stdout of a comparison that finds a difference.
std::string difference(Strings arguments) {
  arguments.insert(arguments.begin(), "compare");
  const Result result = tscatter_run(arguments);
  CHECK(result.exit_code == 1);
  CHECK(result.err.empty());
  return result.out;
}

std::string match(Strings arguments) {
  arguments.insert(arguments.begin(), "compare");
  return output_of(arguments);
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

std::string refusal_with(Strings flags) {
  flags.insert(flags.begin(), {"compare", "2xf32=1", "2xf32=1"});
  return refusal_of(2, flags);
}

}  // namespace

TEST_CASE("compare of equal tensors says so in one line", "[app]") {
  CHECK(match({"2x3xf32=1", "2x3xf32=1"}) == "equal: 6 elements\n");
  CHECK(match({"7", "7"}) == "equal: 1 element\n");
  CHECK(match({"[]", "[]"}) == "equal: 0 elements\n");
  CHECK(match({"0x3xf16=0", "0x3xf16=0", "--rtol", "1"}) == "equal: 0 elements\n");
}

TEST_CASE("compare prints the census", "[app]") {
  CHECK(difference({R"({"dtype": "f32", "data": [[1, 2.5, 3, "Infinity"], [4, 5, "NaN", 8.25]]})",
                    "2x4xf32=1,2,3,4,4,5,6,8", "--rtol", "0.1", "--worst", "4"}) ==
        "3 of 8 elements differ beyond tolerance (37.5 %), worst at [1, 2]: got NaN, expected 6.0\n"
        "\n"
        "dtype             float32\n"
        "shape             [2, 4]\n"
        "tolerance         rtol 0.1\n"
        "elements          8\n"
        "differing         4 (50 %)\n"
        "beyond tolerance  3 (37.5 %)\n"
        "NaN               1 where a number is expected\n"
        "infinities        1 against a number or the other infinity\n"
        "\n"
        "largest       error  at      got  expected\n"
        "absolute        0.5  [0, 1]  2.5       2.0\n"
        "relative       0.25  [0, 1]  2.5       2.0\n"
        "ulp       2,097,152  [0, 1]  2.5       2.0\n"
        "\n"
        "absolute error  elements\n"
        "1e-1 to 1e0            2  ########################################\n"
        "\n"
        "worst        got  expected  absolute  relative        ulp\n"
        "[1, 2]       NaN       6.0         -         -          -\n"
        "[0, 3]  Infinity       4.0         -         -          -\n"
        "[0, 1]       2.5       2.0       0.5      0.25  2,097,152\n"
        "[1, 3]      8.25       8.0      0.25   0.03125    262,144  within tolerance\n"
        "\n"
        "they lie in [0, 1] to [1, 3]\n"
        "\n"
        "axis 1 index  elements\n"
        "1                    1  33.3 %\n"
        "2                    1  33.3 %\n"
        "3                    1  33.3 %\n");
}

TEST_CASE("compare within tolerance says what differs, and succeeds", "[app]") {
  CHECK(match({"3xi32=1,2,3", "3xi32=1,2,4", "--atol", "1"}) ==
        "within tolerance: 3 elements, 1 of them differs\n"
        "\n"
        "dtype             int32\n"
        "shape             [3]\n"
        "tolerance         atol 1\n"
        "elements          3\n"
        "differing         1 (33.3 %)\n"
        "beyond tolerance  0 (0 %)\n"
        "\n"
        "largest   error  at   got  expected\n"
        "absolute      1  [2]    3         4\n"
        "relative   0.25  [2]    3         4\n"
        "ulp           1  [2]    3         4\n"
        "\n"
        "absolute error  elements\n"
        "1e0 to 1e1             1  ########################################\n"
        "\n"
        "worst  got  expected  absolute  relative  ulp\n"
        "[2]      3         4         1      0.25    1  within tolerance\n");
}

TEST_CASE("compare says a difference of dtype and shape on stdout", "[app]") {
  CHECK(difference({"2xf32=1", "2xf64=1"}) == "dtype differs: got float32, expected float64\n");
  CHECK(difference({"2xf32=1", "1x2xf32=1"}) == "shape differs: got [2], expected [1, 2]\n");
  CHECK(difference({"2xf32=1", "3xi8=1"}) ==
        "dtype differs: got float32, expected int8; shape differs: got [2], expected [3]\n");
  CHECK(difference({"2xf32=1", "2xf64=1", "--json"}) ==
        "{\"match\":false,\"summary\":\"dtype differs: got float32, expected "
        "float64\",\"dtype\":{\"actual\":\"float32\",\"expected\":\"float64\"},\"shape\":{"
        "\"actual\":[2],\"expected\":[2]},\"tolerance\":{\"rtol\":null,\"atol\":null,\"max_ulp\":"
        "null,\"equal_nan\":false}}\n");
}

TEST_CASE("compare --json has the whole census", "[app]") {
  const std::string element =
      "{\"position\":[1],\"index\":1,\"actual\":9007199254740993,\"expected\":9007199254740992,"
      "\"beyond\":true,\"absolute\":1,\"relative\":1.1102230246251565e-16,\"ulp\":1}";
  CHECK(difference({"2xi64=1,9007199254740993", "2xi64=1,9007199254740992", "--json"}) ==
        "{\"match\":false,\"summary\":\"1 of 2 elements differ (50 %), largest at [1]: got "
        "9007199254740993, expected "
        "9007199254740992\",\"dtype\":{\"actual\":\"int64\",\"expected\":\"int64\"},\"shape\":{"
        "\"actual\":[2],\"expected\":[2]},\"tolerance\":{\"rtol\":null,\"atol\":null,\"max_ulp\":"
        "null,\"equal_nan\":false},\"elements\":2,\"differing\":1,\"differing_share\":0.5,"
        "\"beyond\":1,\"beyond_share\":0.5,\"nan\":{\"actual\":0,\"expected\":0,\"both\":0},"
        "\"infinite\":0,\"largest\":{\"absolute\":" +
            element + ",\"relative\":" + element + ",\"ulp\":" + element +
            "},\"histogram\":{\"zero\":0,\"decades\":[{\"exponent\":0,\"count\":1}],\"overflow\":0}"
            ",\"worst\":[" +
            element +
            "],\"place\":{\"low\":[1],\"high\":[1],\"axis\":0,\"unevenness\":0.5,\"indices\":1,"
            "\"shares\":[{\"first\":1,\"last\":1,\"beyond\":1,\"share\":1.0}]}}\n");
  const json equal = json::parse(match({"2xf32=1", "2xf32=1", "--json"}));
  CHECK(equal.at("match") == true);
  CHECK(equal.at("place").is_null());
  CHECK(equal.at("largest").at("ulp").is_null());
}

TEST_CASE("compare writes infinite errors and values as JSON strings", "[app]") {
  const json zero = json::parse(difference({"1xf64=1", "1xf64=0", "--json"}));
  CHECK(zero.at("worst").at(0).at("relative") == "Infinity");
  const json far = json::parse(difference({"1xf64=1e308", "1xf64=-1e308", "--json"}));
  CHECK(far.at("worst").at(0).at("absolute") == "Infinity");
  CHECK(far.at("histogram").at("overflow") == 1);
  const json nan = json::parse(difference({"[\"NaN\"]", "[1.0]", "--json"}));
  CHECK(nan.at("worst").at(0).at("actual") == "NaN");
  CHECK(nan.at("nan").at("actual") == 1);
  CHECK(nan.at("largest").at("absolute").is_null());
}

TEST_CASE("compare gives untyped values the dtype of the other side", "[app]") {
  const TemporaryDirectory directory;
  CHECK(match({"3xf16=1,2,3", "[1, 2, 3]"}) == "equal: 3 elements\n");
  CHECK(match({"[1, 2, 3]", "3xu8=1,2,3"}) == "equal: 3 elements\n");
  CHECK(match({"[1, 2, 3]", "[1.0, 2.0, 3.0]"}) == "equal: 3 elements\n");
  CHECK(match({"[1.0, 2.0, 3.0]", "[1, 2, 3]"}) == "equal: 3 elements\n");
  CHECK(first_line(difference({"2xi32=1", "[1, 1.5]"})) ==
        "dtype differs: got int32, expected float64");
  CHECK(first_line(difference({"[1, 2]", "[1, 2.5]"})) ==
        "1 of 2 elements differ (50 %), largest at [1]: got 2.0, expected 2.5");
  write_file(directory / "x.json", "[1, 2]");
  CHECK(match({directory / "x.json", "2xf32=1,2"}) == "equal: 2 elements\n");
  CHECK(Command("compare - 2xbf16=1,2").with_input("[1, 2]").run().out == "equal: 2 elements\n");
  CHECK(
      Command("compare '[1, 2]' -").with_input("{\"dtype\": \"u8\", \"data\": [1, 2]}").run().out ==
      "equal: 2 elements\n");
}

TEST_CASE("compare reads both operands of stdin once", "[app]") {
  CHECK(refusal_of(2, Command("compare - -").with_input("[1]")) ==
        "ACTUAL: only one operand can be read from stdin, got a second - [cli.c6]");
}

TEST_CASE("cli.c20: a tolerance is a finite number that is not negative", "[app]") {
  CHECK(refusal_with({"--rtol", "-1"}) == "--rtol: must be a finite number >= 0, got -1 [cli.c20]");
  CHECK(refusal_with({"--rtol", "nan"}) ==
        "--rtol: must be a finite number >= 0, got nan [cli.c20]");
  CHECK(refusal_with({"--atol", "inf"}) ==
        "--atol: must be a finite number >= 0, got inf [cli.c20]");
  CHECK(refusal_with({"--atol", "1e-3x"}) ==
        "--atol: must be a finite number >= 0, got 1e-3x [cli.c20]");
  CHECK(refusal_with({"--max-ulp", "-1"}) ==
        "--max-ulp: must be an integer >= 0, got -1 [cli.c20]");
  CHECK(refusal_with({"--max-ulp", "1.5"}) ==
        "--max-ulp: must be an integer >= 0, got 1.5 [cli.c20]");
  CHECK(refusal_with({"--worst", "10001"}) ==
        "--worst: must be an integer from 0 to 10000, got 10001 [cli.c20]");
  CHECK(match(split_words("1xi8=1 1xi8=1 --rtol 0 --atol 0 --max-ulp 0 --worst 0")) ==
        "equal: 1 element\n");
  CHECK(match(split_words("1xi8=1 1xi8=1 --max-ulp 18446744073709551615 --worst 10000")) ==
        "equal: 1 element\n");
  CHECK(refusal_with({"--max-ulp", "18446744073709551616"}).ends_with("[cli.c20]"));
}

TEST_CASE("compare knows its flags and their nearest names", "[app]") {
  CHECK(refusal_with({"--rtoll", "1"}) ==
        "compare: has no flag --rtoll (nearest: --rtol) [cli.c2]");
  CHECK(refusal_with({"--equal_nan"}) ==
        "compare: has no flag --equal_nan (nearest: --equal-nan) [cli.c2]");
  CHECK(refusal_of(2, "compare 1") ==
        "compare: EXPECTED is missing: tscatter compare ACTUAL EXPECTED [cli.c3]");
  CHECK_THAT(output_of("compare --help"),
             contains("Examples\n  tscatter compare out.npy golden.npy\n"));
}

TEST_CASE("compare.c2: a tolerance for opaque elements is refused", "[app]") {
  const std::string dates = npy_directory / "good/M8_ns_le.npy";
  CHECK(match({dates, dates, "--equal-nan"}).starts_with("equal: "));
  CHECK(refusal_of(2, {"compare", dates, dates, "--atol", "1"}) ==
        "compare: opaque elements must be compared without rtol, atol and max_ulp, got dtype "
        "<M8[ns] [compare.c2]");
}

TEST_CASE("compare refuses what cannot be read, with its exit code", "[app]") {
  CHECK(refusal_of(3, "compare nofile.npy 1").ends_with("[file.f1]"));
  CHECK_THAT(refusal_of(3, "compare 1 nofile.npy --json"), contains("file.f1"));
}

TEST_CASE("compare --heatmap writes a picture, whole or not at all", "[app]") {
  const TemporaryDirectory directory;
  const std::string picture = directory / "p.svg";
  CHECK(first_line(difference({"2x2xf32=1", "2x2xf32=1,2,3,4", "--heatmap", picture})) ==
        "3 of 4 elements differ (75 %), largest at [1, 1]: got 1.0, expected 4.0");
  const std::string svg = read_file(picture);
  CHECK(svg.starts_with("<svg "));
  CHECK(svg.ends_with("</svg>\n"));
  CHECK(directory.names() == std::vector<std::string>{"p.svg"});
  for (const char* other : {"2xi8=1", "0xf32=0", "7"}) match({other, other, "--heatmap", picture});
  difference({"2xi8=1", "2xi16=1", "--heatmap", picture});
  CHECK(read_file(picture).starts_with("<svg "));
  CHECK(refusal_of(3, {"compare", "1", "1", "--heatmap", directory / "no/p.svg"})
            .ends_with("no does not exist [file.f4]"));
}

TEST_CASE("byte order and memory order are no difference, of any dtype", "[app]") {
  int pairs = 0;
  for (const auto& entry : std::filesystem::directory_iterator(npy_directory / "good")) {
    const std::string name = entry.path().filename();
    for (const auto& [from, to] : {std::pair{"_le.npy", "_be.npy"},
                                   {"_le_c.npy", "_be_c.npy"},
                                   {"_le_c.npy", "_be_fortran.npy"},
                                   {"_le_c.npy", "_le_fortran.npy"}}) {
      if (!name.ends_with(from)) continue;
      std::string other = name.substr(0, name.size() - std::string(from).size()) + to;
      if (!std::filesystem::exists(npy_directory / "good" / other)) continue;
      INFO(name << " " << other);
      // The pairs have the same bytes except for fortran_order, so their values differ.
      const bool is_same_values = std::string(to) == "_le_fortran.npy";
      ++pairs;
      const std::string one = npy_directory / "good" / name;
      const std::string two = npy_directory / "good" / other;
      if (is_same_values) {
        CHECK(match({one, two}).starts_with("equal: "));
      } else {
        CHECK_THAT(first_line(tscatter_run({"compare", one, two}).out), !contains("dtype differs"));
      }
    }
  }
  CHECK(pairs > 30);
}

TEST_CASE("byte order is no difference inside opaque elements either", "[app]") {
  const TemporaryDirectory directory;
  const auto write = [&](const std::string& name, const std::string& descr,
                         const std::string& data) {
    write_file(directory / name,
               npy_file("{'descr': " + descr + ", 'fortran_order': False, 'shape': (1,), }", data));
    return std::string(directory / name);
  };
  const std::string date = write("m8_le", "'<M8[ns]'", "12345678");
  CHECK(match({date, write("m8_be", "'>M8[ns]'", "87654321")}) == "equal: 1 element\n");
  CHECK(first_line(difference({date, write("m8_us", "'>M8[us]'", "87654321")})) ==
        "dtype differs: got <M8[ns], expected >M8[us]");
  const std::string record =
      write("r_le", "[('a', '<f4'), ('b', '|S2'), ('c', [('d', '>i2', (2,)), ('e', '<U1')])]",
            "1234xy12345678");
  CHECK(match({record,
               write("r_be",
                     "[('a', '>f4'), ('b', '|S2'), ('c', [('d', '<i2', (2,)), ('e', '>U1')])]",
                     "4321xy21438765")}) == "equal: 1 element\n");
  const std::string swapped =
      write("r_x", "[('a', '>f4'), ('b', '|S2'), ('c', [('d', '<i2', (2,)), ('e', '>U1')])]",
            "4321yx21438765");
  CHECK(first_line(difference({record, swapped})) ==
        "1 of 1 element differs (100 %), first at [0]: got 0x3132333478793132333435363738, "
        "expected 0x3132333479783132333435363738");
  CHECK(first_line(
            difference(
                {record,
                 write("r_n",
                       "[('a', '>f4'), ('b', '|S2'), ('c', [('d', '<i2', (2,)), ('x', '>U1')])]",
                       "4321xy21438765")}))
            .starts_with("dtype differs: "));
  CHECK(match({write("f16_le", "'<f16'", "0123456789abcdef"),
               write("f16_be", "'>f16'", "fedcba9876543210")}) == "equal: 1 element\n");
}

TEST_CASE("the report of compare does not depend on threads, byte order or memory order", "[app]") {
  const TemporaryDirectory directory;
  const std::string shape = "'shape': (300, 200), }";
  std::string data(240000, '\0');
  for (std::size_t i = 0; i < data.size(); ++i)
    data[i] = static_cast<char>((i * 2654435761U) >> 13U);
  std::string other = data;
  for (std::size_t i = 2; i < data.size(); i += 4) other[i] = static_cast<char>(data[i] ^ 1);
  // The same elements with reversed bytes, and in reverse order.
  const auto turned = [](const std::string& bytes) {
    std::string result(bytes.size(), '\0');
    for (std::size_t i = 0; i < bytes.size(); ++i) result[i] = bytes[i / 4 * 4 + 3 - i % 4];
    return result;
  };
  const auto transposed = [](const std::string& bytes) {
    std::string result;
    for (std::size_t column = 0; column < 200; ++column) {
      for (std::size_t row = 0; row < 300; ++row)
        result += bytes.substr((row * 200 + column) * 4, 4);
    }
    return result;
  };
  const auto write = [&](const std::string& name, const std::string& bytes) {
    const std::string c = "'fortran_order': False, " + shape;
    const std::string f = "'fortran_order': True, " + shape;
    write_file(directory / (name + "_le_c"), npy_file("{'descr': '<f4', " + c, bytes));
    write_file(directory / (name + "_be_c"), npy_file("{'descr': '>f4', " + c, turned(bytes)));
    write_file(directory / (name + "_le_f"), npy_file("{'descr': '<f4', " + f, transposed(bytes)));
    write_file(directory / (name + "_be_f"),
               npy_file("{'descr': '>f4', " + f, turned(transposed(bytes))));
  };
  write("a", data);
  write("e", other);
  const std::string report = difference({directory / "a_le_c", directory / "e_le_c", "-j1"});
  for (const char* one : {"_le_c", "_be_c", "_le_f", "_be_f"}) {
    for (const char* two : {"_le_c", "_be_c", "_le_f", "_be_f"}) {
      INFO(one << " " << two);
      const std::string a = directory / (std::string("a") + one);
      CHECK(difference({a, directory / (std::string("e") + two), "-j3"}) == report);
      CHECK(match({a, directory / (std::string("a") + two)}) == "equal: 60,000 elements\n");
    }
  }
}

}  // namespace tscatter
