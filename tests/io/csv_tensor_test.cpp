#include "tscatter/io/formats/csv_tensor.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "catch.hpp"
#include "io/files.hpp"
#include "tscatter/io/formats/csv_format.hpp"
#include "tscatter/io/formats/format.hpp"
#include "tscatter/io/formats/json_format.hpp"
#include "tscatter/io/formats/json_tensor.hpp"
#include "tscatter/io/formats/npy_format.hpp"

namespace tscatter {
namespace {

Tensor read_csv(std::string_view text, Separator separator = Separator::comma,
                std::optional<DType> dtype = std::nullopt) {
  return csv_tensor(SpanSource(bytes_of(text)), separator, {.name = "x.csv", .dtype = dtype});
}

// As the JSON form prints it, without its line breaks.
std::string csv_value(const Tensor& tensor) {
  std::string text;
  write_json(tensor, JsonForm::object, [&](std::string_view piece) { text += piece; });
  std::erase(text, '\n');
  return text;
}

std::string csv_value(std::string_view text, Separator separator = Separator::comma,
                      std::optional<DType> dtype = std::nullopt) {
  return csv_value(read_csv(text, separator, dtype));
}

std::string list(std::string_view values, int count) {
  return fmt::format(R"({{"dtype": "int64", "shape": [{}], "data": [{}]}})", count, values);
}

std::string table(std::string_view values, int rows, int columns) {
  return fmt::format(R"({{"dtype": "int64", "shape": [{}, {}], "data": [{}]}})", rows, columns,
                     values);
}

std::string refused_csv(std::string_view text, Separator separator = Separator::comma,
                        std::optional<DType> dtype = std::nullopt) {
  return refusal([&] { read_csv(text, separator, dtype); });
}

std::string no_number(std::string_view place, std::string_view hint, std::string_view got) {
  return fmt::format("x.csv:{}: a cell must be a number{}, got {} [csv.f2]", place, hint, got);
}

const std::string in_front = " (a header has none in its line)";

}  // namespace

TEST_CASE("one column is a list, more are a table", "[io]") {
  CHECK(csv_value("5\n") == list("5", 1));
  CHECK(csv_value("5\n-6\n+7\n") == list("5, -6, 7", 3));
  CHECK(csv_value("1,2\n3,4\n5,6\n") == table("[1, 2], [3, 4], [5, 6]", 3, 2));
  CHECK(csv_value("1,2,3") == table("[1, 2, 3]", 1, 3));
  CHECK(csv_value("1\t2\n3\t4\n", Separator::tab) == table("[1, 2], [3, 4]", 2, 2));
  CHECK(csv_value("1 2\n3 4\n", Separator::blanks) == table("[1, 2], [3, 4]", 2, 2));
}

TEST_CASE("a semicolon separates the cells of a .csv whose first line has one first", "[io]") {
  CHECK(csv_value("1;2\n3;4\n") == table("[1, 2], [3, 4]", 2, 2));
  CHECK(csv_value("a;b, c\n3;4\n") == table("[3, 4]", 1, 2));
  CHECK(csv_value("\"a,b\";c\n3;4\n") == table("[3, 4]", 1, 2));
  CHECK(csv_value("# a,b\n3;4\n") == table("[3, 4]", 1, 2));
  CHECK(refused_csv("a;b\n1,5;2\n") ==
        no_number("2, column 1", " (a decimal point is a dot)", "1,5"));
  CHECK(refused_csv("1,2\n3;4\n") ==
        no_number("2, column 1", " (a decimal point is a dot)", "3;4"));
}

TEST_CASE("a first line without numbers is a header, and passed over", "[io]") {
  CHECK(csv_value("id\n5\n6\n") == list("5, 6", 2));
  CHECK(csv_value(",id\n0,5\n1,6\n") == table("[0, 5], [1, 6]", 2, 2));
  CHECK(csv_value("\"a, \"\"b\"\"\",\xff\xfe\n1,2\n") == table("[1, 2]", 1, 2));
  CHECK(csv_value("row id\n5\n", Separator::blanks) == list("5", 1));
  CHECK(csv_value("id\n\n5\n") == list("5", 1));
}

TEST_CASE("what stands around numbers is passed over", "[io]") {
  CHECK(csv_value("\xef\xbb\xbf"
                  "5\r\n6\r\n") == list("5, 6", 2));
  CHECK(csv_value(" 5 ,\t6 \n") == table("[5, 6]", 1, 2));
  CHECK(csv_value("\"5\", \" 6 \" ,7\r\n") == table("[5, 6, 7]", 1, 3));
  CHECK(csv_value("\"5\" \"6\"\n", Separator::blanks) == table("[5, 6]", 1, 2));
  CHECK(csv_value("\n\n5\n6\n\n \n\r\n") == list("5, 6", 2));
  CHECK(csv_value("# made by np.savetxt\n5\n# between\n6\n#") == list("5, 6", 2));
  CHECK(csv_value("  5   6\t7  \r\n", Separator::blanks) == table("[5, 6, 7]", 1, 3));
  CHECK(csv_value("5\r") == list("5", 1));
  CHECK(csv_value("5\n" + std::string(300000, ' ')) == list("5", 1));
  CHECK(csv_value("#" + std::string(300000, 'x') + "\n5\n") == list("5", 1));
  CHECK(csv_value(std::string(300000, ' ') + "5" + std::string(300000, ' ') + "6",
                  Separator::blanks) == table("[5, 6]", 1, 2));
}

TEST_CASE("integers are exact for 64 bits, and reals as NumPy writes them", "[io]") {
  CHECK(csv_value("9223372036854775807\n-9223372036854775808\n") ==
        list("9223372036854775807, -9223372036854775808", 2));
  CHECK(csv_value("18446744073709551615\n", Separator::comma, DType::uint64) ==
        R"({"dtype": "uint64", "shape": [1], "data": [18446744073709551615]})");
  CHECK(
      csv_value("1.000000000000000000e+00\nnan\n-inf\ninf\n-0\n") ==
      R"({"dtype": "float64", "shape": [5], "data": [1.0, "NaN", "-Infinity", "Infinity", -0.0]})");
  CHECK(csv_value("1\n0.1\n1e-400\n", Separator::comma, DType::float32) ==
        R"({"dtype": "float32", "shape": [3], "data": [1.0, 0.1, 0.0]})");
  CHECK(csv_value("1\n0\n", Separator::comma, DType::boolean) ==
        R"({"dtype": "bool", "shape": [2], "data": [true, false]})");
  CHECK(csv_value("18446744073709551616\n", Separator::comma, DType::float64) ==
        R"({"dtype": "float64", "shape": [1], "data": [18446744073709552000.0]})");
}

TEST_CASE("csv.f1: a NUL byte, an open quote or a cell of over 4096 bytes is refused", "[io]") {
  const std::string nul(1, '\0');
  CHECK(refused_csv("5\n6" + nul) ==
        "x.csv:2, column 1: the text must have no NUL byte (UTF-16 becomes UTF-8 with iconv -f "
        "UTF-16 -t UTF-8), got one [csv.f1]");
  CHECK(refused_csv("\xff\xfei" + nul + "d" + nul).ends_with("[csv.f1]"));
  CHECK(refused_csv("5\n\"6\n7\n") ==
        "x.csv:2, column 1: a quote must be closed at the end of its cell, got \"6 [csv.f1]");
  CHECK(refused_csv("\"5").ends_with("got \"5 [csv.f1]"));
  CHECK(refused_csv("1,\"5\"6\n").starts_with("x.csv:1, column 2: a quote must be closed"));
  CHECK(refused_csv("\"5\"6\n", Separator::blanks).ends_with("[csv.f1]"));
  const std::string longest = "0." + std::string(4094, '0');
  CHECK(csv_value(longest + "\n") == R"({"dtype": "float64", "shape": [1], "data": [0.0]})");
  const std::string too_long = "a cell must be at most 4096 bytes long, got more [csv.f1]";
  for (const std::string& text :
       {longest + "0", longest + "0\n", std::string(1000000, '1'), "\"" + longest + "0\"",
        "\"" + std::string(1000000, '1'), "\"5\"" + std::string(1000000, ' ') + ",6"}) {
    CHECK(refused_csv(text) == "x.csv:1, column 1: " + too_long);
  }
}

TEST_CASE("csv.f2: a cell that is no number is refused with its line and column", "[io]") {
  CHECK(refused_csv("id,count\n1,2\n3,x\n") == no_number("3, column 2", "", "x"));
  CHECK(refused_csv("id,2020\n1,2\n") == no_number("1, column 1", in_front, "id"));
  CHECK(refused_csv("a\nb\n") == no_number("2, column 1", "", "b"));
  CHECK(refused_csv("1,,2\n") == no_number("1, column 2", in_front, "an empty cell"));
  CHECK(refused_csv("1,2,\n") == no_number("1, column 3", in_front, "an empty cell"));
  CHECK(refused_csv("1\n2\n3\r4\n") == no_number("3, column 1", "", "3\\r4"));
  CHECK(refused_csv("True\nFalse\n") ==
        no_number("2, column 1", " (true is written 1, false 0)", "False"));
  CHECK(refused_csv("1\n(1.0+2.0j)\n") ==
        no_number("2, column 1", " (complex values are written as JSON, [re, im])", "(1.0+2.0j)"));
  CHECK(refused_csv("2024-01-02\n5\n") == no_number("1, column 1", in_front, "2024-01-02"));
  CHECK(refused_csv("1 2\n3 4\n") ==
        no_number("1, column 1", " (blanks separate the cells of a .txt file)", "1 2"));
  CHECK(refused_csv("1,2\n", Separator::blanks) ==
        no_number("1, column 1", " (commas separate the cells of a .csv file)", "1,2"));
  CHECK(refused_csv("1\n" + std::string(50, 'x') + "\n") ==
        no_number("2, column 1", "", std::string(40, 'x') + "..."));
  for (const char* text :
       {"1\n0x10\n", "1\n1_000\n", "1\n1e\n", "1\n--1\n", "1\n+-1\n", "1\n2024-01-02\n",
        "1\nnan(1)\n", "1\n-\n", "1\n\"\"\n", "1\n1 000\n", "1\n\xc2\xa0\x32\n"}) {
    INFO(text);
    CHECK(refused_csv(text).ends_with("[csv.f2]"));
  }
}

TEST_CASE("csv.f3: rows of another length, and empty lines between rows, are refused", "[io]") {
  CHECK(refused_csv("1,2\n3\n") ==
        "x.csv:2: a row must have 2 cells, as the first one has, got 1 [csv.f3]");
  CHECK(refused_csv("a,b\n1,2\n3,4,5\n") ==
        "x.csv:3: a row must have 2 cells, as the first one has, got 3 [csv.f3]");
  CHECK(refused_csv("1 2\n3 4 5\n", Separator::blanks).ends_with("got 3 [csv.f3]"));
  CHECK(refused_csv("1\n\n2\n") ==
        "x.csv:3: no empty line must stand between rows, got one before this row [csv.f3]");
  CHECK(refused_csv("1\n\n# here\n2\n").starts_with("x.csv:4: no empty line"));
}

TEST_CASE("csv.f4: a value that does not fit the dtype is refused with its place", "[io]") {
  CHECK(refused_csv("1\n300\n", Separator::comma, DType::uint8) ==
        "x.csv:2, column 1: the value must fit uint8, got 300 [csv.f4]");
  CHECK(refused_csv("1,2\n3,4.5\n", Separator::comma, DType::int64) ==
        "x.csv:2, column 2: the value must fit int64, got 4.5 [csv.f4]");
  CHECK(refused_csv("5.000000000000000000e+00\n", Separator::comma, DType::int64) ==
        "x.csv:1, column 1: the value must fit int64 (np.savetxt writes integers with fmt='%d'), "
        "got 5.000000000000000000e+00 [csv.f4]");
  CHECK(refused_csv("70000\n", Separator::comma, DType::float16).ends_with("got 70000 [csv.f4]"));
  CHECK(refused_csv("nan\n", Separator::comma, DType::int32).ends_with("got nan [csv.f4]"));
  CHECK(refused_csv("2\n", Separator::comma, DType::boolean).ends_with("got 2 [csv.f4]"));
  CHECK(refused_csv("1e400\n") ==
        "x.csv:1, column 1: a finite number must fit float64, got 1e400 [csv.f4]");
  CHECK(refused_csv("1\n1" + std::string(400, '0') + "\n").ends_with("[csv.f4]"));
  CHECK(refused_csv("1\n", Separator::comma, DType::complex64) ==
        "x.csv: the values of a table must be real (complex ones are written as JSON, [re, im]), "
        "got complex64 [csv.f4]");
}

TEST_CASE("csv.f5: integers without a dtype that int64 does not have are refused", "[io]") {
  CHECK(refused_csv("1\n9223372036854775808\n") ==
        "x.csv:2, column 1: integers without a dtype must fit int64 (name a dtype, such as "
        "uint64), got 9223372036854775808 [csv.f5]");
  CHECK(refused_csv("0.5\n18446744073709551616\n").ends_with("[csv.f5]"));
}

TEST_CASE("csv.f6: a table without rows is refused", "[io]") {
  const std::string none =
      "x.csv: a table of numbers must have at least one row (an empty list is written []), got ";
  CHECK(refused_csv("") == none + "none [csv.f6]");
  CHECK(refused_csv("\n# nothing\n \n") == none + "none [csv.f6]");
  CHECK(refused_csv("\xef\xbb\xbf") == none + "none [csv.f6]");
  CHECK(refused_csv("id\n") == none + "a header alone [csv.f6]");
}

TEST_CASE("a table of any size is read in pieces", "[io]") {
  std::string rows;
  for (int i = 0; i < 100000; ++i) rows += fmt::format("{},{}\n", i, -i);
  const Tensor tall = read_csv(rows);
  CHECK(tall.shape() == Shape{100000, 2});
  const std::string bytes = native_content(tall);
  std::int64_t last = 0;
  std::memcpy(&last, bytes.data() + bytes.size() - sizeof last, sizeof last);
  CHECK(last == -99999);
  std::string row = "0";
  for (int i = 1; i < 100000; ++i) row += fmt::format(" {}", i);
  CHECK(read_csv(row, Separator::blanks).shape() == Shape{1, 100000});
  CHECK(refused_csv(row + "\n1\n", Separator::blanks) ==
        "x.csv:2: a row must have 100000 cells, as the first one has, got 1 [csv.f3]");
}

TEST_CASE("the pieces of a table may end anywhere in a line", "[io]") {
  constexpr std::size_t piece = std::size_t{256} * 1024;
  for (const std::string_view line : {"\"12\" , 34\r\n", "12,34\n", " 12,\t\"34\"\n"}) {
    for (std::size_t shift = 0; shift < 12; ++shift) {
      std::string text = "#" + std::string(shift, 'x') + "\n";
      while (text.size() < 2 * piece) text += line;
      const Tensor tensor = read_csv(text);
      INFO(line << shift);
      CHECK(tensor.count() * 4 == std::ranges::count(native_content(tensor), '\x0c') * 4 +
                                      std::ranges::count(native_content(tensor), '\x22') * 4);
      CHECK(tensor.shape()[1] == 2);
    }
  }
}

TEST_CASE("the ending makes a table of what begins as one", "[io]") {
  const auto format_of_text = [](std::string_view text, std::string_view name) {
    return &format_of(SpanSource(bytes_of(text)), name);
  };
  for (const char* name : {"x.csv", "x.tsv", "x.txt", "X.CSV", "X.TSV", "X.TXT"}) {
    CHECK(format_of_text("5\n", name) == &csv_format);
    CHECK(format_of_text("-1,2", name) == &csv_format);
    CHECK(format_of_text("true", name) == &csv_format);
    CHECK(format_of_text("", name) == &csv_format);
    CHECK(format_of_text("\"a\"", name) == &csv_format);
    CHECK(format_of_text("\x93NUMPY", name) == &npy_format);
    CHECK(format_of_text(" [1]", name) == &json_format);
    CHECK(format_of_text("{\"data\": 1}", name) == &json_format);
    CHECK(&format_of_name(name) == &npy_format);
  }
  CHECK(format_of_text("5\n", "x.json") == &json_format);
  CHECK(format_of_text("5\n", "x.dat") == &json_format);
  const auto opened = [](std::string_view text, const std::string& name) {
    return csv_value(csv_format.open(std::make_shared<SpanSource>(bytes_of(text)), {.name = name}));
  };
  CHECK(opened("1 2", "x.txt") == table("[1, 2]", 1, 2));
  CHECK(opened("1 2", "x.TXT") == table("[1, 2]", 1, 2));
  CHECK(opened("1\t2", "x.tsv") == table("[1, 2]", 1, 2));
  CHECK(opened("1,2", "x.csv") == table("[1, 2]", 1, 2));
}

}  // namespace tscatter
