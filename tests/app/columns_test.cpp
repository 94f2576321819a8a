// Columns of tables, and tables whose names do not say so, in every command.
#include <sys/stat.h>

#include <thread>

#include "app/batch.hpp"
#include "app/folder.hpp"
#include "catch.hpp"

namespace tscatter {
namespace {

struct TableFolder : Folder {
  TableFolder() {
    put("x.csv", "id,name,price\n2,\"Ann, B\",1.5\n0,Carl #1,2.5\n");
    put("rows.tsv", "row\tcol\tnote\n0\t1\tfirst\n1\t0\tlast\n");
  }

  std::string json(const std::string& operand) const {
    return out({"convert", operand, "-", "--format", "json"});
  }
};

const std::string two_ids = "{\"dtype\": \"int64\", \"shape\": [2], \"data\": [2, 0]}\n";

}  // namespace

TEST_CASE("columns of a table are operands of every command", "[app]") {
  const TableFolder folder;
  CHECK(folder.out("ScatterUpdate-3 -d 3xf32=0 -i x.csv:id -u x.csv:price -a 0") ==
        "[2.5, 0.0, 1.5]\n");
  CHECK(folder.out("ScatterNDUpdate-15 -d 2x2xi8=0 -i rows.tsv:row,col -u 5,6") ==
        "[[0, 5],\n [6, 0]]\n");
  folder.put("m.csv", "id,is_old\n1,True\n2,False\n3,True\n");
  CHECK(folder.out("set 3xf32=0[m.csv:is_old] 5") == "[5.0, 0.0, 5.0]\n");
  CHECK(folder.json("x.csv:1") == two_ids);
  CHECK(folder.out("show x.csv:price,id --header") ==
        "name        x.csv:price,id\ndtype       float64\nshape       [2, 2]\nelements    4\n"
        "bytes       32\norder       c\nbyte order  little\nheader      price, id\n");
  CHECK(folder.run("compare x.csv:id '[2, 0]'").exit_code == 0);
  CHECK(folder.run("compare x.csv:id x.csv:price").exit_code == 1);
  CHECK(folder.run("verify ScatterUpdate-3 -d x.csv:id -i [0] -u [7] -a 0 --actual x.csv:id")
            .exit_code == 1);
  CHECK_THAT(folder.out("explain ScatterUpdate-3 -d 3xi64=0 -i x.csv:id -u 1,2 -a 0 --json"),
             contains("\"table_headers\":[{\"operand\":\"indices\",\"header\":\"id\"}]"));
}

TEST_CASE("a file whose name is the word of a column wins", "[app]") {
  const TableFolder folder;
  folder.put("x.csv:id", "[7, 8, 9]");
  CHECK(folder.json("x.csv:id") == "{\"dtype\": \"int64\", \"shape\": [3], \"data\": [7, 8, 9]}\n");
  CHECK(folder.json("x.csv:1") == two_ids);
}

TEST_CASE("csv:- and csv:PATH are tables, whatever their names", "[app]") {
  const TableFolder folder;
  std::string ids;
  for (int i = 199; i >= 0; --i) ids += std::to_string(i) + "\n";
  const Result result =
      folder.command("ScatterUpdate-3 -d 200xi64=0 -i csv:- -u 200xi64=1 -a 0 --json -o o.npy")
          .with_input(ids)
          .run();
  CHECK(result.err.empty());
  CHECK(folder.out("compare o.npy 200xi64=1").starts_with("equal"));
  const auto piped = [&](const std::string& word, const std::string& text) {
    return folder.command({"convert", word, "-", "--format", "json"}).with_input(text).run().out;
  };
  CHECK(piped("csv:-:id", "id,t\n2,a\n0,b\n") == two_ids);
  CHECK(piped("csv:/dev/stdin:id", "id,t\n2,a\n0,b\n") == two_ids);
  CHECK(piped("tsv:-:2", "a\t2\nb\t0\n") == two_ids);
  CHECK(piped("txt:-:2", "a 2\nb   0\n") == two_ids);
  CHECK(piped("csv:-", "id\n2\n0\n") == two_ids);
  folder.put("ids.dat", "id;t\n2;a\n0;b\n");
  CHECK(folder.json("csv:ids.dat:id") == two_ids);
  CHECK(folder.json("csv:x.csv:id") == two_ids);
  REQUIRE(::mkfifo((folder / "pipe").c_str(), 0600) == 0);
  std::thread writer([&] { folder.put("pipe", "id,t\n2,a\n0,b\n"); });
  CHECK(folder.json("csv:pipe:id") == two_ids);
  writer.join();
  CHECK_THAT(folder.err("show csv:none:id"), contains("[file.f1]"));
}

TEST_CASE("cli.c6: a table in stdin is read once", "[app]") {
  const TableFolder folder;
  const std::string rule = "only one operand can be read from stdin, got a second - [cli.c6]\n";
  const auto refused = [&](Strings words) {
    return folder.command(std::move(words)).with_input("1\n").run().err;
  };
  CHECK(refused({"ScatterUpdate-3", "-d", "-", "-i", "csv:-", "-u", "1,", "-a", "0"}) ==
        "tscatter: --indices: " + rule);
  CHECK(refused({"compare", "csv:-", "csv:/dev/stdin:1"}) == "tscatter: ACTUAL: " + rule);
  CHECK(refused({"verify", "ScatterUpdate-3", "-d", "csv:-", "-i", "0,", "-u", "1,", "-a", "0",
                 "--actual", "csv:-"}) == "tscatter: --actual: " + rule);
}

TEST_CASE("csv.f9: commands say which columns there are", "[app]") {
  const TableFolder folder;
  CHECK(folder.refused(3, "show x.csv:prize") ==
        "x.csv: a column must be a number from 1 to 3 or one of id, name, price "
        "(nearest: price), got prize [csv.f9]");
  CHECK(folder.run("show x.csv:4").exit_code == 3);
  CHECK(folder.run("show x.csv:name").exit_code == 4);
  CHECK(folder.err("show x.csv:name") ==
        "tscatter: x.csv:2, column 2: a cell must be a number (blanks separate the cells of a .txt "
        "file), got Ann, B [csv.f2]\n");
}

TEST_CASE("columns of a table without rows write nothing", "[app]") {
  const TableFolder folder;
  folder.put("none.csv", "");
  folder.put("head.csv", "id,value\n");
  for (const char* file : {"none.csv", "head.csv"}) {
    const std::string name = file;
    CHECK(folder.out({"ScatterUpdate-3", "-d", "[1, 2]", "-i", name + ":id", "-u", name + ":value",
                      "-a", "0"}) == "[1, 2]\n");
    CHECK_THAT(folder.out({"show", name + ":id,value", "--header"}), contains("[0, 2]"));
  }
}

TEST_CASE("a table is not written, nor changed in place", "[app]") {
  const TableFolder folder;
  const std::string kinds =
      "tscatter: OUT: must be x.npy, x.npz:name, x.pb, x.safetensors:name, x.json or - ";
  CHECK(folder.err("convert 1 x.csv:id") ==
        kinds + "(only an archive has members), got x.csv:id [cli.c10]\n");
  CHECK(folder.err("convert 1 csv:out") ==
        kinds + "(a table is read, not written), got csv:out [cli.c10]\n");
  const Strings call = split_words("ScatterUpdate-3 -i 0, -u 1, -a 0 --in-place -d");
  CHECK(folder.err(with_more(call, {"x.csv:id"})).ends_with("got the member x.csv:id [cli.c30]\n"));
  CHECK(folder.err(with_more(call, {"csv:-"})).ends_with("got csv:- [cli.c11]\n"));
  CHECK(folder.err("convert x.csv:id x.csv").ends_with("[cli.c16]\n"));
}

TEST_CASE("missing values of a chosen column become NaN", "[app]") {
  const TableFolder folder;
  folder.put("m.csv", "id,price\n1,NA\n2,2.5\n");
  folder.put("job.json",
             R"({"op": "ScatterUpdate-3", "data": {"dtype": "float32", "data": [0, 0, 0]},
                             "indices": "m.csv:id", "updates": "m.csv:price", "axis": 0,
                             "missing": "nan"})");
  CHECK(folder.out("run job.json") == "[0.0, \"NaN\", 2.5]\n");
  CHECK_THAT(folder.err("show m.csv:price"), contains("(--missing nan reads"));
  CHECK_THAT(folder.out("show m.csv:id"), contains("int64"));
  CHECK_THAT(folder.command("show csv:-:1 --missing nan").with_input("1,\n,2\n").run().out,
             contains("[1.0, \"NaN\"]"));
}

TEST_CASE("text without a table's name is told of csv:", "[app]") {
  const TableFolder folder;
  folder.put("ids.dat", "id\n1\n");
  CHECK(folder.err("show ids.dat") ==
        "tscatter: ids.dat: a .npy file must begin with \\x93NUMPY, got a text file that begins "
        "\"id\" (csv:FILE reads a table, csv:- one in stdin) [npy.f1]\n");
  CHECK(folder.command("show -").with_input("row,col\n1,2\n").run().err ==
        "tscatter: <stdin>: a .npy file must begin with \\x93NUMPY, got a text file that begins "
        "\"row,col\" (csv:FILE reads a table, csv:- one in stdin) [npy.f1]\n");
  folder.put("page.dat", "Not Found\n");
  CHECK_THAT(folder.err("show page.dat"), !contains("csv:"));
}

TEST_CASE("a batch reads columns, and no table in stdin", "[app]") {
  const BatchDirectory batch({});
  const std::string line =
      R"("op": "ScatterUpdate-3", "data": "x.csv:v", "indices": "x.csv:id", "updates": "x.csv:w", )"
      R"("axis": 0, "expected": "x.csv:want"})";
  write_file(batch / "x.csv", "id,v,w,want,text\n1,5,8,9,\"a, b\"\n0,6,9,8,c\n");
  batch.write({R"({"name": "one", )" + line, R"({"name": "two", )" + line});
  CHECK(batch.run().exit_code == 0);
  batch.write({R"({"name": "one", "output": "x.csv", "format": "npy", )" + line});
  CHECK_THAT(batch.run().out, contains("[batch.b12]"));
  batch.write({R"({"op": "ScatterUpdate-3", "data": "csv:-:id", "indices": [0], "updates": [1], )"
               R"("axis": 0, "expected": [1]})"});
  CHECK_THAT(batch.run().out, contains("must not be -"));
  batch.write({R"({"name": "one", )" + line});
  write_file(batch / "x.csv", "id,v,w,want,text\n1,5,8,7,\"a, b\"\n0,6,9,8,c\n");
  CHECK(batch.run({"--update-golden"}).exit_code != 0);
  CHECK(read_file(batch / "x.csv").starts_with("id,v,w,want,text\n1,5,8,7,"));
}

TEST_CASE("parts read columns of a file, and none of a pipe", "[app]") {
  const TableFolder folder;
  const Strings call =
      split_words("ScatterUpdate-3 -d 3xf32=0 -u x.csv:price -a 0 -o p.npy --part 1/1 -i");
  CHECK(folder.run(with_more(call, {"x.csv:id"})).exit_code == 0);
  CHECK_THAT(folder.err(with_more(call, {"csv:-"})), contains("indices from csv:-"));
  REQUIRE(::mkfifo((folder / "pipe").c_str(), 0600) == 0);
  CHECK_THAT(folder.err(with_more(call, {"csv:pipe"})), contains("the pipe or device csv:pipe"));
}

}  // namespace tscatter
