// Columns of tables: x.csv:id, x.csv:2, x.csv:row,col, csv:-.
#include <fmt/format.h>

#include <cstring>

#include "catch.hpp"
#include "io/endless_pipe.hpp"
#include "io/files.hpp"
#include "tscatter/io/formats/format.hpp"
#include "tscatter/io/formats/tensor_files.hpp"
#include "tscatter/io/formats/text/csv.hpp"
#include "tscatter/io/formats/text/json_tensor.hpp"

namespace tscatter {
namespace {

struct HowRead {
  Separator separator = Separator::comma;
  std::optional<DType> dtype = std::nullopt;
  Missing missing = Missing::refused;
};

Tensor columns_of(std::string_view text, const std::string& list, HowRead how = {}) {
  return csv_tensor(SpanSource(bytes_of(text)), how.separator,
                    {.name = "x.csv", .part = list, .dtype = how.dtype, .missing = how.missing});
}

// "[2] 5, 6"
std::string read_columns(std::string_view text, const std::string& list, HowRead how = {}) {
  const Tensor tensor = columns_of(text, list, how);
  std::string values;
  write_json(tensor, JsonForm::object, [&](std::string_view piece) { values += piece; });
  std::erase(values, '\n');
  const std::size_t begin = values.find("\"data\": ") + 8;
  return to_string(tensor.shape()) + " " + values.substr(begin, values.size() - begin - 1);
}

std::string refused_columns(std::string_view text, const std::string& list, HowRead how = {}) {
  return refusal([&] { columns_of(text, list, how); });
}

const std::string people = "id,name,price\n3,Ann,1.5\n1,\"B, \"\"C\"\"\",2\n";

}  // namespace

TEST_CASE("columns are chosen by name, number and range, in any order", "[io]") {
  CHECK(read_columns(people, "id") == "[2] [3, 1]");
  CHECK(read_columns(people, "1") == "[2] [3, 1]");
  CHECK(read_columns(people, " price ") == "[2] [1.5, 2.0]");
  CHECK(read_columns(people, "id,price") == "[2, 2] [[3.0, 1.5], [1.0, 2.0]]");
  CHECK(read_columns(people, "price, id") == "[2, 2] [[1.5, 3.0], [2.0, 1.0]]");
  CHECK(read_columns(people, "3,1,3") == "[2, 3] [[1.5, 3.0, 1.5], [2.0, 1.0, 2.0]]");
  CHECK(read_columns("1,2,3,4\n5,6,7,8\n", "2-4") == "[2, 3] [[2, 3, 4], [6, 7, 8]]");
  CHECK(read_columns("1,2,3,4\n5,6,7,8\n", "4,1-2") == "[2, 3] [[4, 1, 2], [8, 5, 6]]");
  CHECK(read_columns("5\n6\n", "1") == "[2] [5, 6]");
  CHECK(read_columns("a\tb\n1\t2\n", "b", {.separator = Separator::tab}) == "[1] [2]");
  CHECK(read_columns("a  b\n1 2\n3  4\n", "b", {.separator = Separator::blanks}) == "[2] [2, 4]");
  CHECK(read_columns("a;b\n1;2\n", "b") == "[1] [2]");
}

TEST_CASE("only chosen columns must be numbers", "[io]") {
  CHECK(read_columns("apple,5\npear,6\n", "2") == "[2] [5, 6]");
  CHECK(read_columns("5,C#, 1.#QNAN #x\n6,,NA\n", "1") == "[2] [5, 6]");
  CHECK(read_columns("name,n\n\"two\nlines, \"\"x\"\"\"  ,5\n\"\",6\n", "n") == "[2] [5, 6]");
  CHECK(read_columns("\"first\nname\",\"n, m\"\na,5\n", "2") == "[1] [5]");
  CHECK(read_columns("id,\"a \"\"b\"\", c\"\n1,5\n", R"("a ""b"", c")") == "[1] [5]");
  CHECK(read_columns("id,\"a \"\"b\"\", c\"\n1,5\n", R"("a ""b"", c" , id)") == "[1, 2] [[5, 1]]");
  CHECK(read_columns("n,t\n5,true\n6,2021-01-01\n", "n") == "[2] [5, 6]");
  CHECK(read_columns("n,t\n5,True\n6,False\n", "t") == "[2] [true, false]");
  CHECK(read_columns("a b\n\"x y\" 5\nz 6 # note\n", "2", {.separator = Separator::blanks}) ==
        "[2] [5, 6]");
  CHECK(read_columns("n\tt\n5\tx, y\n", "n", {.separator = Separator::tab}) == "[1] [5]");
}

TEST_CASE("a text beside chosen columns may be of any length", "[io]") {
  constexpr std::size_t piece = std::size_t{256} * 1024;  // of the text that is held
  for (std::size_t size = piece - 16; size < piece + 4; ++size) {
    INFO(size);
    const std::string text(size, 'x');
    CHECK(read_columns("t,n\r\n" + text + ",5\r\n\"" + text + "\",6\r\n", "n") == "[2] [5, 6]");
    CHECK(read_columns("n,t\r\n5," + text + "\r\n6,\"" + text + "\"\r\n", "n") == "[2] [5, 6]");
    CHECK(read_columns("n,t\n5,\"" + text + "\"\"\n\"\n", "1") == "[1] [5]");
    CHECK(read_columns(text + "\r\n5\r\n", "1") == "[1] [5]");
  }
  const std::string text(300'000, '#');
  CHECK(read_columns(text + ",5\n" + text + ",6\n", "2") == "[2] [5, 6]");
  CHECK(refused_columns(std::string(5000, '7') + ",5\n", "1") ==
        "x.csv:1, column 1: a cell must be at most 4096 bytes long, got more [csv.f1]");
}

TEST_CASE("the first line is a header if a name chooses, or its chosen cells are names", "[io]") {
  CHECK(read_columns("id,2020\n1,5\n", "id") == "[1] [1]");
  CHECK(read_columns("id,2020\n1,5\n", "2020") == "[1] [5]");
  CHECK(read_columns("id,2020\n1,5\n", "id,2020") == "[1, 2] [[1, 5]]");
  CHECK(read_columns("2019,2020\n1,5\n", "\"2020\"") == "[1] [5]");
  CHECK(read_columns("name,n\nx,5\n", "2") == "[1] [5]");
  CHECK(read_columns(",n\n0,5\n", "1,2") == "[1, 2] [[0, 5]]");
  CHECK(read_columns("2,3\n4,5\n", "2") == "[2] [3, 5]");
  CHECK(read_columns("a,2\nb,3\n", "2") == "[2] [2, 3]");
  // A header that has the number as a name wins.
  CHECK(read_columns("id,2,1\n7,8,9\n", "2") == "[1] [8]");
  CHECK(read_columns("id,2,1\n7,8,9\n", "1") == "[1] [9]");
  CHECK(read_columns("id,2-3,1\n7,8,9\n", "2-3") == "[1] [8]");
  CHECK(table_header(columns_of(people, "price,1")) == "price, id");
  CHECK(table_header(columns_of("apple,5\n", "2")).empty());
  CHECK(columns_of(people, "price,1").name() == "x.csv:price,1");
}

TEST_CASE("csv.f2: a first line that may be a header and a row is refused", "[io]") {
  CHECK(refused_columns("id,2020\n1,5\n", "2") ==
        "x.csv: a first line must be a header or a row (a name in double quotes chooses a header; "
        "a line of names may be put before a row), got a name above a number in column 1 and a "
        "number in column 2 [csv.f2]");
  CHECK(refused_columns("id,2020\nTrue,5\n", "2").ends_with("number in column 2 [csv.f2]"));
  CHECK(read_columns("id,2020\n1,5\n", "\"2020\"") == "[1] [5]");
  CHECK(read_columns("code,n\nB2,5\n12,7\n", "2") == "[2] [5, 7]");
  CHECK(refused_columns("id,2020\n1,5\n", "1,2").starts_with("x.csv:1, column 1: a cell must be"));
  CHECK(refused_columns("a,5\nb,x\n", "2") ==
        "x.csv:2, column 2: a cell must be a number, got x [csv.f2]");
}

TEST_CASE("csv.f3: rows of another length are refused, whichever columns are chosen", "[io]") {
  CHECK(refused_columns("id,t\n1,a\n2,b,c\n", "id") ==
        "x.csv:3: a row must have 2 cells, as the first one has, got 3 [csv.f3]");
  CHECK(refused_columns("id,t\n1\n", "id") ==
        "x.csv:2: a row must have 2 cells, as the header has, got 1 [csv.f3]");
  CHECK(refused_columns("1,2\n3\n", "2").ends_with("got 1 [csv.f3]"));
  CHECK(refused_columns("row id\n5\n", "id", {.separator = Separator::blanks}) ==
        "x.csv:2: a row must have 2 cells, as the header has, got 1 [csv.f3]");
  CHECK(read_columns("row id\n5\n", "1", {.separator = Separator::blanks}) == "[1] [5]");
  CHECK_THAT(refused_columns("5\n\n6\n", "1"), contains("an empty line stands before"));
  CHECK(read_columns("5\n\n6\n", "1,1", {.missing = Missing::nan}) ==
        "[3, 2] [[5.0, 5.0], [\"NaN\", \"NaN\"], [6.0, 6.0]]");
  CHECK(read_columns("5,a\n\n6,b\n", "1") == "[2] [5, 6]");
}

TEST_CASE("csv.f9: a column that does not exist is refused", "[io]") {
  CHECK(refused_columns(people, "ids") ==
        "x.csv: a column must be a number from 1 to 3 or one of id, name, price (nearest: id), got "
        "ids [csv.f9]");
  CHECK(refused_columns(people, "4") ==
        "x.csv: a column must be a number from 1 to 3 or one of id, name, price, got 4 [csv.f9]");
  CHECK(refused_columns(people, "id,0").ends_with("got 0 [csv.f9]"));
  CHECK(refused_columns(people, "2-4").ends_with("got 2-4 [csv.f9]"));
  CHECK(refused_columns(people, "3-2").ends_with("got 3-2 [csv.f9]"));
  CHECK(refused_columns(people, "99999999999999999999").ends_with("99999 [csv.f9]"));
  CHECK(refused_columns("5,6\n", "id") ==
        "x.csv: a column must be a number from 1 to 2 (the first line has no names), got id "
        "[csv.f9]");
  CHECK(refused_columns("apple,5\npear,6\n", "5") ==
        "x.csv: a column must be a number from 1 to 2 (in double quotes it is a name), got 5 "
        "[csv.f9]");
  CHECK(refused_columns("a b\n5\n", "2", {.separator = Separator::blanks}) ==
        "x.csv: a column must be a number from 1 to 1 or one of a, b, got 2 [csv.f9]");
  const std::string malformed =
      "x.csv: columns must be names, numbers from 1 and ranges such as 2-4, with a comma between "
      "two, got ";
  for (const char* list : {",", "id,", "id,,n", "\"id", "\"id\"n", " "}) {
    INFO(list);
    CHECK(refused_columns(people, list) == malformed + list + " [csv.f9]");
  }
  CHECK(refused_columns("", "1-1048577") ==
        "x.csv: at most 1048576 columns must be chosen, got 1-1048577 [csv.f9]");
  CHECK(refused_columns("", "1-9223372036854775807,1").ends_with("[csv.f9]"));
}

TEST_CASE("csv.f10: a name that stands twice chooses no column", "[io]") {
  CHECK(refused_columns("a,b,a\n1,2,3\n", "a") ==
        "x.csv: a name that chooses a column must stand once in the header (a number chooses one, "
        "too), got a in columns 1 and 3 [csv.f10]");
  CHECK(read_columns("a,b,a\n1,2,3\n", "b,3") == "[1, 2] [[2, 3]]");
}

TEST_CASE("columns of a table without rows are empty", "[io]") {
  const HowRead as_index{.dtype = DType::int64};
  CHECK(read_columns("", "id") == "[0] []");
  CHECK(read_columns("\xef\xbb\xbf\n# nothing\n", "a,b") == "[0, 2] []");
  CHECK(read_columns("", "2-4,7") == "[0, 4] []");
  CHECK(read_columns("id,n\n", "n") == "[0] []");
  CHECK(read_columns("id,n\n", "n,1") == "[0, 2] []");
  CHECK(columns_of("id,n\n", "n", as_index).type().dtype == DType::int64);
  CHECK(columns_of("", "n").type().dtype == DType::float64);
  CHECK(refused_columns("id,n\n", "x").ends_with("one of id, n, got x [csv.f9]"));
  CHECK(refused_columns("id n\n", "x", {.separator = Separator::blanks}).ends_with("[csv.f9]"));
  CHECK(read_columns("an id\n", "1", {.separator = Separator::blanks}) == "[0] []");
}

TEST_CASE("csv.f1: hostile texts beside chosen columns are refused", "[io]") {
  const std::string nul(1, '\0');
  const std::string no_nul =
      ": the text has a NUL byte (UTF-16 becomes UTF-8 with iconv -f UTF-16 -t UTF-8) [csv.f1]";
  CHECK(refused_columns("5,a" + nul + "\n", "1") == "x.csv:1, column 2" + no_nul);
  CHECK(refused_columns("n,t\n5,\"a" + nul + "\"\n", "n") == "x.csv:2, column 2" + no_nul);
  CHECK(refused_columns("n,t\n5,\"open\n6,b\n", "n") ==
        "x.csv:2, column 2: a quote must be closed at the end of its cell, got \"open [csv.f1]");
  CHECK(refused_columns("n,t\n5,\"a\"b\n", "n").ends_with("got \"a\"b [csv.f1]"));
  CHECK(refused_columns("n,t\n5,\"" + std::string((std::size_t{1} << 26U) + 1, 'x'), "n")
            .ends_with("got \"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx [csv.f1]"));
  CHECK(read_columns("\xef\xbb\xbfid,t\r\n5,a\r\n\r\n6,b\r\n", "id") == "[2] [5, 6]");
  CHECK(refused_columns("n,t\n5,\"a\nb\"\nx,c\n", "n") ==
        "x.csv:4, column 1: a cell must be a number, got x [csv.f2]");
}

TEST_CASE("a hundred thousand columns are searched and chosen", "[io]") {
  constexpr int count = 100'000;
  std::string names = "c1";
  std::string row = "1";
  for (int i = 2; i <= count; ++i) {
    names += fmt::format(",c{}", i);
    row += fmt::format(",{}", i);
  }
  const std::string text = names + "\n" + row + "\n" + row + "\n";
  CHECK(read_columns(text, "c100000") == "[2] [100000, 100000]");
  CHECK(read_columns(text, "99999,c2") == "[2, 2] [[99999, 2], [99999, 2]]");
  CHECK(columns_of(text, "1-100000").shape() == Shape{2, count});
  CHECK(columns_of(text, names).shape() == Shape{2, count});
  CHECK(refused_columns(text, "d100000") ==
        "x.csv: a column must be a number from 1 to 100000 or a name of the header, got d100000 "
        "[csv.f9]");
}

TEST_CASE("columns come through a pipe, checked as they come", "[io]") {
  const auto is_refused = [](const std::string& front, const std::string& text,
                             std::string_view label) {
    constexpr std::int64_t most = 100'000'000;
    const Refused refused = refused_in_pipe(front, text, [&](Spool& spool, const File& pipe) {
      csv_tensor_in_pipe(spool, pipe, Separator::comma, {.name = "x.csv", .part = "n"});
    });
    INFO(front << refused.message << refused.taken);
    CHECK(refused.message.ends_with(label));
    CHECK(refused.taken < most);
  };
  is_refused("n,t\n5,\"", std::string(65536, 'x'), "[csv.f1]");
  is_refused("n,t\n5,", std::string(65536, 'x'), "[csv.f8]");
  is_refused("m,t\n", "5,x\n", "[csv.f9]");
  is_refused("n,t\n5,x\ny,z\n", "5,x\n", "[csv.f2]");
}

TEST_CASE("the columns of a long table are read in pieces", "[io]") {
  std::string text = "id,t,n\r\n";
  for (int i = 0; i < 100'000; ++i) text += fmt::format("{},\"text, {}\",{}\r\n", i, i, -i);
  const std::string bytes = native_content(columns_of(text, "n,id"));
  REQUIRE(bytes.size() == 1'600'000);
  std::int64_t last[2] = {};
  std::memcpy(last, bytes.data() + bytes.size() - sizeof last, sizeof last);
  CHECK(last[0] == -99999);
  CHECK(last[1] == 99999);
}

TEST_CASE("a word names a file and its columns", "[io]") {
  const auto split = [](std::string_view word) {
    const auto name = split_member_name(word);
    return name ? fmt::format("{} {} {}", name->format->name, name->archive, name->member) : "none";
  };
  CHECK(split("x.csv:id") == "csv x.csv csv:id");
  CHECK(split("a/x.TSV:row,col") == "csv a/x.TSV tsv:row,col");
  CHECK(split("x.txt:2-4") == "csv x.txt txt:2-4");
  CHECK(split("x.csv:a:b") == "csv x.csv csv:a:b");
  CHECK(split("a:b.csv:c") == "csv a:b.csv csv:c");
  CHECK(split("csv:-") == "csv - csv");
  CHECK(split("tsv:-:id") == "csv - tsv:id");
  CHECK(split("txt:/dev/fd/63:2") == "csv /dev/fd/63 txt:2");
  CHECK(split("csv:x.tsv:id") == "csv x.tsv csv:id");
  CHECK(split("csv:x.npz:id") == "csv x.npz csv:id");
  CHECK(split("x.npz:a.csv:b") == "npz x.npz a.csv:b");
  CHECK(split("2xf32=@x.csv:id") == "raw x.csv:id 2xf32=");
  for (const char* word : {"x.csv", "x.csv:", "csv:", "csv::id", "csv:x:", "csvx:y", "x.dat:id"})
    CHECK(split(word) == "none");
}

TEST_CASE("the library opens columns, and writes no table", "[io]") {
  const TemporaryDirectory directory;
  write_file(directory / "x.csv", people);
  const Tensor prices = open_tensor(directory / "x.csv:price");
  CHECK(prices.shape() == Shape{2});
  write_file(directory / "x.csv:price", "[7]");
  CHECK(open_tensor(directory / "x.csv:price").shape() == Shape{1});
  CHECK_NOTHROW(FileOutput(directory / "x.csv:id"));
}

TEST_CASE("the names of columns are words that choose them", "[io]") {
  const auto words = [](std::string_view text) {
    std::string all;
    const SpanSource source(bytes_of(text));
    for (const std::string& word : table_columns(source, {.name = "x.csv", .part = "csv:"}))
      all += word + "|";
    return all;
  };
  CHECK(words(people) == "id|name|price|");
  CHECK(words("\"a, b\",\"c \"\"d\"\"\",2,e\n1,2,3,4\n") == "\"a, b\"|\"c \"\"d\"\"\"|e|");
  CHECK(words("").empty());
  CHECK(words("5,6\n").empty());
}

}  // namespace tscatter
