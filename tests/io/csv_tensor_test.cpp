#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <cstring>
#include <limits>

#include "app/process.hpp"
#include "catch.hpp"
#include "io/endless_pipe.hpp"
#include "io/files.hpp"
#include "tscatter/io/formats/format.hpp"
#include "tscatter/io/formats/text/csv.hpp"
#include "tscatter/io/formats/text/json_tensor.hpp"

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

Tensor read_missing(std::string_view text, std::optional<DType> dtype = std::nullopt,
                    Separator separator = Separator::comma) {
  return csv_tensor(SpanSource(bytes_of(text)), separator,
                    {.name = "x.csv", .dtype = dtype, .missing = Missing::nan});
}

std::string doubles(std::string_view values, std::string_view shape) {
  return fmt::format(R"({{"dtype": "float64", "shape": {}, "data": [{}]}})", shape, values);
}

std::string no_number(std::string_view place, std::string_view hint, std::string_view got) {
  return fmt::format("x.csv:{}: a cell must be a number{}, got {} [csv.f2]", place, hint, got);
}

const std::string in_front = " (a header has none in its line)";
const std::string as_missing = " (--missing nan reads missing values as NaN)";
const std::string as_truth = " (true is written 1, false 0; then x.csv:NAME != 0 is the mask)";
const std::string as_name = " (names of a header begin with a letter and are no values)";
const std::string as_comment =
    " (an error word of a spreadsheet; a comment has a blank after its #)";

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

TEST_CASE("a first line of names is a header, and passed over", "[io]") {
  CHECK(csv_value("id\n5\n6\n") == list("5, 6", 2));
  CHECK(csv_value(",id\n0,5\n1,6\n") == table("[0, 5], [1, 6]", 2, 2));
  CHECK(csv_value("\"a, \"\"b\"\"\",\xff\xfe\n1,2\n") == table("[1, 2]", 1, 2));
  CHECK(csv_value("row id\n5\n", Separator::blanks) == list("5", 1));
  for (const char* name : {"_x", "x1", "n", "T", "info", "nano", "Na+", "\xc3\x84pfel", "\xc2\xb5m",
                           "\xce\xb1", "\xe5\x80\xa4", "\xe2\x84\x96", "\xdc\142er", "no.", "on"}) {
    INFO(name);
    CHECK(csv_value(std::string(name) + "\n5\n6\n") == list("5, 6", 2));
  }
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
  CHECK(csv_value("id\r1\r2\r3\r") == list("1, 2, 3", 3));
  CHECK(csv_value("1,2\r# between\r3,4\r\n5,6\n") == table("[1, 2], [3, 4], [5, 6]", 3, 2));
  CHECK(csv_value("5\n" + std::string(300000, ' ')) == list("5", 1));
  CHECK(csv_value("#" + std::string(300000, 'x') + "\n5\n") == list("5", 1));
  CHECK(csv_value(std::string(300000, ' ') + "5" + std::string(300000, ' ') + "6",
                  Separator::blanks) == table("[5, 6]", 1, 2));
}

TEST_CASE("a comment may follow the cells of a row", "[io]") {
  CHECK(csv_value("1 2\n3 4 # note\n5 6# note\n", Separator::blanks) ==
        table("[1, 2], [3, 4], [5, 6]", 3, 2));
  CHECK(csv_value("1,2 # a;b\n3,\"4\" # note\n\"5\",\"6\"# note") ==
        table("[1, 2], [3, 4], [5, 6]", 3, 2));
  CHECK(csv_value("1\t2#\n3\t4 # x\n", Separator::tab) == table("[1, 2], [3, 4]", 2, 2));
  CHECK(csv_value("id # of the row\n5#" + std::string(300000, 'x') + "\n6\n") == list("5, 6", 2));
  CHECK(csv_value("\"a # b\",c\n1,2\n") == table("[1, 2]", 1, 2));
}

TEST_CASE("an integer may be written as a whole number with a fraction or an exponent", "[io]") {
  const auto as_int64 = [](std::string_view text) {
    return csv_value(text, Separator::comma, DType::int64);
  };
  CHECK(as_int64(
            "8.000000000000000000e+00\n0.000000000000000000e+00\n3.0\n-2.50e1\n-0.0\n.0\n7.\n") ==
        list("8, 0, 3, -25, 0, 0, 7", 7));
  CHECK(as_int64("9007199254740993.0\n9.007199254740993e15\n9223372036854775807.00\n-"
                 "9223372036854775808e0\n") ==
        list("9007199254740993, 9007199254740993, 9223372036854775807, -9223372036854775808", 4));
  CHECK(csv_value("1.8446744073709551615e19\n", Separator::comma, DType::uint64) ==
        R"({"dtype": "uint64", "shape": [1], "data": [18446744073709551615]})");
  CHECK(csv_value("1.0\n0e5\n", Separator::comma, DType::boolean) ==
        R"({"dtype": "bool", "shape": [2], "data": [true, false]})");
}

TEST_CASE("NaN and infinity are read as C and Visual C++ write them", "[io]") {
  CHECK(
      csv_value(
          "1.0\n1.#QNAN\n-1.#INF\n-nan(ind)\n1.#INF00\n-1.#IND00\nnan(snan)\n1.#QNAN0e+000\n") ==
      R"({"dtype": "float64", "shape": [8], "data": [1.0, "NaN", "-Infinity", "NaN", "Infinity", )"
      R"("NaN", "NaN", "NaN"]})");
  CHECK(csv_value("-nan(ind)\n1\n") ==
        R"({"dtype": "float64", "shape": [2], "data": ["NaN", 1.0]})");
}

TEST_CASE("cells that are all true or false are booleans", "[io]") {
  const auto booleans = [](std::string_view values, std::string_view shape) {
    return fmt::format(R"({{"dtype": "bool", "shape": {}, "data": [{}]}})", shape, values);
  };
  CHECK(csv_value("True\nFALSE\n\"true\"\n") == booleans("true, false, true", "[3]"));
  CHECK(csv_value("a,b\nTrue,false\n") == booleans("[true, false]", "[1, 2]"));
  CHECK(csv_value("True\n1\n0\n", Separator::comma, DType::boolean) ==
        booleans("true, true, false", "[3]"));
  CHECK(refused_csv("1\nTrue\n") == no_number("2, column 1", as_truth, "True"));
  CHECK(refused_csv("True,2\n") == no_number("1, column 1", as_truth, "True"));
  CHECK(csv_value("a\nTrue\n", Separator::comma, DType::int64) == booleans("true", "[1]"));
  CHECK(refused_csv("True\n1\n", Separator::comma, DType::int64) ==
        no_number("1, column 1", as_truth, "True"));
  CHECK(refusal([] { read_missing("True\nNA\n"); }) == no_number("1, column 1", as_truth, "True"));
  CHECK(refusal([] { read_missing("True\nNA\n", DType::boolean); }).ends_with("[csv.f7]"));
}

TEST_CASE("a table without rows is empty", "[io]") {
  const auto empty = [](std::string_view shape) {
    return fmt::format(R"({{"dtype": "float64", "shape": {}, "data": []}})", shape);
  };
  CHECK(csv_value("") == empty("[0]"));
  CHECK(csv_value("\n# nothing\n \n") == empty("[0]"));
  CHECK(csv_value("\xef\xbb\xbf") == empty("[0]"));
  CHECK(csv_value("id\n") == empty("[0]"));
  CHECK(csv_value("id,n\n") == empty("[0, 2]"));
  CHECK(csv_value("id\n", Separator::comma, DType::int64) == list("", 0));
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
        "x.csv:2, column 1: the text has a NUL byte (UTF-16 becomes UTF-8 with iconv -f UTF-16 -t "
        "UTF-8) [csv.f1]");
  CHECK(refused_csv("\xff\xfei" + nul + "d" + nul).ends_with("[csv.f1]"));
  CHECK(refused_csv("5\n# 6" + nul + "\n").starts_with("x.csv:2: the text has a NUL"));
  CHECK(refused_csv("5 # 6" + nul + "\n").starts_with("x.csv:1: the text has a NUL"));
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
  CHECK(refused_csv("1,,2\n") == no_number("1, column 2", as_missing, "an empty cell"));
  CHECK(refused_csv("1,2,\n") == no_number("1, column 3", as_missing, "an empty cell"));
  CHECK(refused_csv("1\nNA\n") == no_number("2, column 1", as_missing, "NA"));
  CHECK(refused_csv("1\n(1.0+2.0j)\n") ==
        no_number("2, column 1", " (complex values are written as JSON, [re, im])", "(1.0+2.0j)"));
  CHECK(refused_csv("1 2\n3 4\n") ==
        no_number("1, column 1", " (blanks separate the cells of a .txt file)", "1 2"));
  CHECK(refused_csv("1,2\n", Separator::blanks) ==
        no_number("1, column 1", " (commas separate the cells of a .csv file)", "1,2"));
  CHECK(refused_csv("1\n" + std::string(50, 'x') + "\n") ==
        no_number("2, column 1", "", std::string(40, 'x') + "..."));
  for (const char* text :
       {"1\n0x10\n", "1\n1_000\n", "1\n1e\n", "1\n--1\n", "1\n+-1\n", "1\n2024-01-02\n",
        "1\nnan(1)\n", "1\n-\n", "1\n\"\"\n", "1\n1 000\n", "1\n\xc2\xa0\x32\n", "1\n1.#J\n"}) {
    INFO(text);
    CHECK(refused_csv(text).ends_with("[csv.f2]"));
  }
}

TEST_CASE("csv.f2: a first line that is neither numbers nor names is refused", "[io]") {
  CHECK(refused_csv("True\n1\n") == no_number("1, column 1", as_truth, "True"));
  CHECK(refused_csv("\"\"\n1.0\n2.0\n") == no_number("1, column 1", as_missing, "an empty cell"));
  CHECK(refused_csv("0x0000\n") == no_number("1, column 1", as_name, "0x0000"));
  CHECK(refused_csv("2024-01-02\n5\n") == no_number("1, column 1", as_name, "2024-01-02"));
  CHECK(refused_csv("id,NA\n1,2\n") == no_number("1, column 2", as_missing, "NA"));
  CHECK(refused_csv("a,,b\n1,2,3\n") == no_number("1, column 2", as_missing, "an empty cell"));
  for (const std::string& cell : with_more(
           split_words("NA na N/A n/a None null NULL <NA> nil undefined missing NaT n.a. - -- ? . "
                       "true FALSE nan(1) NAN(0x8000) -nan(xyz) inf. nan% 1.#J 12:30 0x1F $5 5% %5 "
                       "1/2 '5 kg' 01.02.2024 2024-01-02T00 \"1,5\" 1_000 1e e5 E+05 (5) (null) "
                       "\xe2\x88\x92\x35 \xc2\xa0\x35 \xef\xbc\x95 \xd9\xa5 \xe0\xa5\xab "
                       "\xe2\x88\x9e \xc2\xbd \xe2\x82\xac\x35 \xa0\x35 \x96\x35 \xe2\x80\x94 "
                       "Err:502 NaNQ qnan nan0x7 INF1 yes n/a. \"#N/A\" \"#5\""),
           {"'5"})) {
    INFO(cell);
    CHECK(refused_csv(cell + "\n1\n2\n").ends_with("[csv.f2]"));
    CHECK(refused_csv("\"" + (cell[0] == '"' ? "x" : cell) + "\",-\n1,2\n").ends_with("[csv.f2]"));
  }
}

TEST_CASE("csv.f2: an error word of a spreadsheet is no comment", "[io]") {
  CHECK(refused_csv("43025717\n#NV\n43025718\n") == no_number("2, column 1", as_comment, "#NV"));
  CHECK(refused_csv("1\n#N/A\n3\n") == no_number("2, column 1", as_missing, "#N/A"));
  CHECK(refused_csv("1;2\n#WERT!;3\n") == no_number("2, column 1", as_comment, "#WERT!"));
  CHECK(refused_csv("1 2\n5 #DIV/0!\n", Separator::blanks) ==
        no_number("2, column 2", as_comment, "#DIV/0!"));
  CHECK(refused_csv("1,2\n3,#NAME? # why\n") == no_number("2, column 2", as_comment, "#NAME?"));
  for (const char* word :
       {"#N/A", "#n/a", "#NA", "#N/A N/A", "#NV", "#N/D", "#DIV/0!", "#REF!", "#VALUE!", "#NAME?",
        "#NUM!", "#NULL!", "#BEZUG!", "#WERT!", "#\xd0\x97\xd0\x9d\xd0\x90\xd0\xa7!",
        "#\xc2\xbfNOMBRE?", "#####", " #N/A"}) {
    INFO(word);
    CHECK(refused_csv(std::string(word) + "\n1\n2\n").ends_with("[csv.f2]"));
    CHECK(refused_csv("id\n1\n" + std::string(word) + "\r\n2\n").ends_with("[csv.f2]"));
    CHECK(refused_csv("1,2\n" + std::string(word) + ",2\n").ends_with("[csv.f2]"));
    CHECK(refused_csv("1\t2\n2\t" + std::string(word), Separator::tab).ends_with("[csv.f2]"));
  }
  for (const char* comment :
       {"# N/A", "#", "#note", "#5", "# why?", "#N/A means missing", "## x"}) {
    INFO(comment);
    CHECK(csv_value("1\n" + std::string(comment) + "\n2\n") == list("1, 2", 2));
  }
  CHECK(csv_value("#####\n# x y\n#####\n1\n", Separator::blanks) == list("1", 1));
}

TEST_CASE("csv.f3: rows of another length, and empty lines within one column, are refused",
          "[io]") {
  CHECK(refused_csv("1,2\n3\n") ==
        "x.csv:2: a row must have 2 cells, as the first one has, got 1 [csv.f3]");
  CHECK(refused_csv("a,b\n1,2\n3,4,5\n") ==
        "x.csv:3: a row must have 2 cells, as the first one has, got 3 [csv.f3]");
  CHECK(refused_csv("1 2\n3 4 5\n", Separator::blanks).ends_with("got 3 [csv.f3]"));
  CHECK(refused_csv("price\n1,5\n3,25\n") ==
        "x.csv:2: a row must have 1 cells, as the header has, got 2 [csv.f3]");
  CHECK(refused_csv("a,b,c\n1,2\n").ends_with("got 2 [csv.f3]"));
  CHECK(refused_csv("1\n\n2\n") ==
        "x.csv:3: an empty line stands before this row of one column: it may be a missing value "
        "(--missing nan reads it as NaN) [csv.f3]");
  CHECK(refused_csv("1\n\n# here\n2\n").starts_with("x.csv:4: an empty line stands before"));
  CHECK(refused_csv("id\n\n2\n").starts_with("x.csv:3: an empty line stands before"));
  CHECK(csv_value("1,2\n\n3,4\n") == table("[1, 2], [3, 4]", 2, 2));
  CHECK(csv_value("a b\n\n1 2\n\n\n3 4\n", Separator::blanks) == table("[1, 2], [3, 4]", 2, 2));
}

TEST_CASE("csv.f4: a value that does not fit the dtype is refused with its place", "[io]") {
  CHECK(refused_csv("1\n300\n", Separator::comma, DType::uint8) ==
        "x.csv:2, column 1: the value must fit uint8, got 300 [csv.f4]");
  CHECK(refused_csv("1,2\n3,4.5\n", Separator::comma, DType::int64) ==
        "x.csv:2, column 2: the value must fit int64, got 4.5 [csv.f4]");
  for (const char* cell : {"5.5", "1e19", "9223372036854775808.0", "1e-1", "0.1e0", "1e400",
                           "5.000000000000000000000001", "1e99999999999999999999"}) {
    INFO(cell);
    CHECK(refused_csv(std::string(cell) + "\n", Separator::comma, DType::int64)
              .ends_with("[csv.f4]"));
  }
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

TEST_CASE("csv.f7: missing values become NaN where that is asked for, in a real dtype", "[io]") {
  CHECK(csv_value(read_missing("1,,3\n4,NA,6\n")) ==
        doubles(R"([1.0, "NaN", 3.0], [4.0, "NaN", 6.0])", "[2, 3]"));
  CHECK(csv_value(read_missing("\"\"\n1\nn/a\n<NA>\nNone\nnull\n#N/A\n#N/A N/A\n")) ==
        doubles(R"("NaN", 1.0, "NaN", "NaN", "NaN", "NaN", "NaN", "NaN")", "[8]"));
  CHECK(csv_value(read_missing("NA\n1\n")) == doubles(R"("NaN", 1.0)", "[2]"));
  CHECK(csv_value(read_missing(",id\n0,5\n")) == table("[0, 5]", 1, 2));
  CHECK(csv_value(read_missing(",id\n0,5\n", DType::int64)) == table("[0, 5]", 1, 2));
  CHECK(csv_value(read_missing("id\n\n1\n\n\n2\n\n")) ==
        doubles(R"("NaN", 1.0, "NaN", "NaN", 2.0)", "[5]"));
  CHECK(csv_value(read_missing("\n1\n2\n")) == list("1, 2", 2));
  CHECK(csv_value(read_missing("1 NA\n", DType::float16, Separator::blanks)) ==
        R"({"dtype": "float16", "shape": [1, 2], "data": [[1.0, "NaN"]]})");
  const auto refused = [](std::string_view text, DType dtype) {
    return refusal([&] { read_missing(text, dtype); });
  };
  CHECK(refused("1\nNA\n", DType::int64) ==
        "x.csv:2, column 1: a missing value must be of a real dtype, which has NaN, got NA of "
        "int64 [csv.f7]");
  CHECK(refused("1,\n", DType::boolean) ==
        "x.csv:1, column 2: a missing value must be of a real dtype, which has NaN, got an empty "
        "cell of bool [csv.f7]");
  CHECK(refused("1\n\n2\n", DType::uint8) ==
        "x.csv:3: a missing value must be of a real dtype, which has NaN, got an empty line of "
        "uint8 [csv.f7]");
  for (const char* text : {"1\n-\n", "1\n#NV\n", "1\ntrue\n", "1\n0x1F\n", "1\n?\n"}) {
    INFO(text);
    CHECK(refusal([&] { read_missing(text); }).ends_with("[csv.f2]"));
  }
}

TEST_CASE("csv.f8: a line of more than 2^26 bytes is refused", "[io]") {
  constexpr std::size_t longest = std::size_t{1} << 26U;
  const std::string too_long =
      ": a line, with the empty lines and comments before it, must be at most 67108864 bytes long, "
      "got more [csv.f8]";
  const std::string row = "5" + std::string(longest - 2, ' ') + "\n";
  CHECK(csv_value(row + "6\n", Separator::blanks) == list("5, 6", 2));
  CHECK(refused_csv("4\n " + row, Separator::blanks) == "x.csv:2" + too_long);
  CHECK(refused_csv("4\n#" + std::string(longest, 'x')) == "x.csv:2" + too_long);
  CHECK(refused_csv(std::string(longest + 1, '\n')) == "x.csv:67108865" + too_long);
}

TEST_CASE("a table in a pipe is checked as it comes", "[io]") {
  const auto is_refused = [](const std::string& front, const std::string& text,
                             std::string_view label, Separator separator = Separator::comma) {
    constexpr std::int64_t most = 100'000'000;
    const Refused refused = refused_in_pipe(front, text, [&](Spool& spool, const File& pipe) {
      csv_tensor_in_pipe(spool, pipe, separator, {.name = "x.csv"});
    });
    INFO(front << text.substr(0, 10) << refused.message << refused.taken);
    CHECK(refused.message.ends_with(label));
    CHECK(refused.taken < most);
  };
  is_refused("1\n", std::string(65536, '\0'), "[csv.f1]");
  is_refused("a b\nc d\n", std::string(65536, ' '), "[csv.f2]", Separator::blanks);
  is_refused("1,2\n3\n", std::string(65536, '\n'), "[csv.f3]");
  is_refused("1\n", std::string(65536, '7'), "[csv.f1]");
  is_refused("1\n", std::string(65536, '\n'), "[csv.f8]");
  is_refused("1\n", std::string(65536, ' '), "[csv.f8]");
  is_refused("1\n#", std::string(65536, 'x'), "[csv.f8]");
  is_refused("", "1," + std::string(1000, ' '), "[csv.f8]");
}

TEST_CASE("a table says which line was taken for its header", "[io]") {
  CHECK(table_header(read_csv("id\n5\n")) == "id");
  CHECK(table_header(read_csv(",\"a, b\",c # note\n1,2,3\n")) == "\"\", a, b, c");
  CHECK(table_header(read_csv("id\n")) == "id");
  CHECK(table_header(read_csv("5\n")).empty());
  std::string wide = "c";
  for (int i = 1; i < 100; ++i) wide += ",c";
  CHECK(table_header(read_csv(wide + "\n")) ==
        "c, c, c, c, c, c, c, c, c, c, c, c, c, c, c, c, ...");
  std::string told;
  csv_tensor(SpanSource(bytes_of("id\n5\n")), Separator::comma,
             {.name = "x.csv", .log = [&](const std::string& words) { told = words; }});
  CHECK(told == "x.csv: the first line is a header: id");
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

TEST_CASE("csv.f1: a first line of # alone is looked at once", "[io]") {
  const auto begin = std::chrono::steady_clock::now();
  for (const char* front : {"", "1.", "a "}) {
    INFO(front);
    CHECK(!refused_csv(front + std::string(200'000, '#') + "\n1\n").empty());
  }
  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(20));  // it took minutes
}

}  // namespace tscatter
