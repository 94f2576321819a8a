// What may be written for a tensor.
#include <sys/stat.h>

#include <thread>

#include "app/folder.hpp"
#include "catch.hpp"

namespace tscatter {
namespace {

const Strings scatter_update{"ScatterUpdate-3", "-a", "0"};

Strings scatter(Strings more) { return with_more(scatter_update, more); }

// The tensor as one line of JSON, whatever the operand's form.
std::string json_of(const std::string& operand, Strings more = {}) {
  Strings words = with_more({"convert", "--format", "json"}, more);
  words.insert(words.end(), {"--", operand, "-"});
  return output_of(std::move(words));
}

const std::string three_bytes =
    npy_file("{'descr': '|u1', 'fortran_order': False, 'shape': (3,)}", "\1\2\3");
const std::string three_bytes_json =
    "{\"dtype\": \"uint8\", \"shape\": [3], \"data\": [1, 2, 3]}\n";

}  // namespace

TEST_CASE("a file is what its first bytes say, not its extension", "[app]") {
  const TemporaryDirectory directory;
  write_file(directory / "really_npy.json", three_bytes);
  write_file(directory / "really_json.npy", " \n[1, 2]");
  CHECK(json_of(directory / "really_npy.json") == three_bytes_json);
  CHECK(json_of(directory / "really_json.npy") ==
        "{\"dtype\": \"int64\", \"shape\": [2], \"data\": [1, 2]}\n");
}

TEST_CASE("- is stdin, .npy or JSON, a pipe or a file", "[app]") {
  const TemporaryDirectory directory;
  const Strings words = split_words("convert - - --format json");
  CHECK(Command(words).with_input(three_bytes).run().out == three_bytes_json);
  CHECK(Command(words).with_input("{\"data\": [1, 2, 3], \"dtype\": \"u8\"}").run().out ==
        three_bytes_json);
  write_file(directory / "x", three_bytes);
  CHECK(Command(words).with_input_from(directory / "x").run().out == three_bytes_json);
}

TEST_CASE("a .npy file from a pipe is judged as one from a disk", "[app]") {
  const Command longer = Command("show -").with_input(three_bytes + "more");
  CHECK(refusal_of(4, longer) ==
        "<stdin>: the file must end with the data, got 4 bytes more [npy.f8]");
  const Command shorter = Command("show -").with_input(three_bytes.substr(0, 60));
  CHECK(refusal_of(4, shorter).ends_with("[npy.f3]"));
  const std::string header(npy_file("{'descr': '|u1', 'fortran_order': False, 'shape': (9,)}"));
  CHECK(refusal_of(4, Command("show -").with_input(header)) ==
        "<stdin>: data ends after 0 of 9 bytes [npy.f7]");
}

TEST_CASE("stdin has its name in messages where it is a file, too", "[app]") {
  const TemporaryDirectory directory;
  const auto refused = [&](const std::string& bytes) {
    write_file(directory / "x", bytes);
    return refusal_of(4, Command("show -").with_input_from(directory / "x"));
  };
  CHECK(refused(three_bytes.substr(0, three_bytes.size() - 1)) ==
        "<stdin>: data ends after 2 of 3 bytes [npy.f7]");
  CHECK(refused("[1, 2").starts_with(
      "<stdin>: the text must be JSON (a bracket is not closed), got "));
  CHECK(Command("show -")
            .with_input_from(directory.path())
            .run()
            .err.starts_with("tscatter: <stdin>: must be a file, got a directory"));
}

TEST_CASE("a long .npy header of a huge shape from a pipe is refused", "[app]") {
  std::string text = "{'descr': '|u1', 'fortran_order': False, 'shape': (9223372036854775807,)}";
  text.resize(std::size_t{1} << 20U, ' ');
  const std::string file = npy_file(text, std::string(100000, 'x'), 2);
  CHECK(refusal_of(4, Command("show -").with_input(file)).ends_with("[npy.f7]"));
}

TEST_CASE("a tensor of many megabytes comes through a pipe", "[app]") {
  std::string file = npy_file("{'descr': '|u1', 'fortran_order': False, 'shape': (20000000,)}",
                              std::string(20000000, '\7'));
  const Result result = Command("show -").with_input(file).run();
  CHECK(result.exit_code == 0);
  CHECK(result.out.ends_with("\n[7, 7, 7, ..., 7, 7, 7]\n"));
}

TEST_CASE("cli.c6: stdin for two operands is refused", "[app]") {
  CHECK(refusal_of(2, Command(scatter(split_words("-d - -i - -u 1"))).with_input("[1, 2]")) ==
        "--indices: only one operand can be read from stdin, got a second - [cli.c6]");
}

TEST_CASE("inline JSON, nested or flat, with and without a dtype", "[app]") {
  CHECK(json_of("[[1, 2], [3, 4]]") ==
        "{\"dtype\": \"int64\", \"shape\": [2, 2], \"data\": [[1, 2],\n [3, 4]]}\n");
  CHECK(json_of("{\"dtype\": \"float32\", \"shape\": [2, 2], \"data\": [1, 2, 3, 4]}") ==
        "{\"dtype\": \"float32\", \"shape\": [2, 2], \"data\": [[1.0, 2.0],\n [3.0, 4.0]]}\n");
  CHECK(json_of("7") == "{\"dtype\": \"int64\", \"shape\": [], \"data\": 7}\n");
  CHECK(json_of("-1.5") == "{\"dtype\": \"float64\", \"shape\": [], \"data\": -1.5}\n");
  CHECK(json_of("true") == "{\"dtype\": \"bool\", \"shape\": [], \"data\": true}\n");
  CHECK(json_of(" [1] ") == "{\"dtype\": \"int64\", \"shape\": [1], \"data\": [1]}\n");
  CHECK(json_of("[1, 2]", {"--dtype", "F16"}) ==
        "{\"dtype\": \"float16\", \"shape\": [2], \"data\": [1.0, 2.0]}\n");
}

TEST_CASE("typed literals", "[app]") {
  CHECK(json_of("2x2xf32=1,2,3,4") ==
        "{\"dtype\": \"float32\", \"shape\": [2, 2], \"data\": [[1.0, 2.0],\n [3.0, 4.0]]}\n");
  CHECK(json_of("3xbf16=-0.5") ==
        "{\"dtype\": \"bfloat16\", \"shape\": [3], \"data\": [-0.5, -0.5, -0.5]}\n");
  CHECK(json_of("i8=-7") == "{\"dtype\": \"int8\", \"shape\": [], \"data\": -7}\n");
  CHECK(refusal_of(2, "show 2xu8=1,256") ==
        "TENSOR: value 1 of the literal must fit uint8 (u8 is uint8 here, NumPy's u8 is uint64), "
        "got '256' [literal.f3]");
}

TEST_CASE("a file that is named like a value is written with its directory", "[app]") {
  const Folder folder;
  for (const char* name : {"7", "-1", "[1]", "2xu8=0", "true"}) {
    folder.put(name, three_bytes);
    const Strings words{"convert", "--format", "json", std::string("./") + name, "-"};
    CHECK(folder.out(words) == three_bytes_json);
  }
  CHECK(folder.out("show 7").ends_with("\n7\n"));
}

TEST_CASE("file names of all kinds", "[app]") {
  const Folder folder;
  for (const char* name : {"with space.npy", "with\nline.npy", "-leading.npy", "--data", "\xff\xfe",
                           "größe.npy", "x=1.npy", "a:b.npy"}) {
    folder.put(name, three_bytes);
    const Strings words{"convert", "--format", "json", folder / name, "-"};
    CHECK(Command(words).run().out == three_bytes_json);
  }
  const Strings words = split_words("convert --format json -- -leading.npy -");
  CHECK(folder.out(words) == three_bytes_json);
}

TEST_CASE("a name does not write to the terminal", "[app]") {
  CHECK(refusal_of(3, {"show", "\x1b[31mred\n\x7f\xff.npy"}) ==
        "\\x1b[31mred\\n\\x7f\\xff.npy: TENSOR cannot be opened (for values see tscatter help "
        "operands): no such file or directory [file.f1]");
}

TEST_CASE("a single number is a list for the slice's flags only", "[app]") {
  const Strings words =
      split_words("SliceScatter-15 -d 2x4xi32=0 -u 1x2xi32=5 --start 0,1 --stop '1, 3' --step 1,1");
  CHECK(output_of(words) == "[[0, 5, 5, 0],\n [0, 0, 0, 0]]\n");
  CHECK(output_of("SliceScatter -d 4xi32=0 -u '[1, 2]' --start -3 --stop -1 --step 1") ==
        "[0, 1, 2, 0]\n");
  CHECK(output_of("SliceScatter -d 4xi32=0 -u '[1, 2]' --start -1 --stop -3 --step -1 --axes -1") ==
        "[0, 0, 2, 1]\n");
  CHECK(
      output_of(
          "SliceScatter -d 2x2xi32=0 -u [[9]] --start -1,-1 --stop 9,9 --step 1,1 --axes -1,-2") ==
      "[[0, 0],\n [0, 9]]\n");
  CHECK(output_of(scatter(split_words("-d 0,1 -i 0,1 -u 7,8"))) == "[7, 8]\n");
}

TEST_CASE("an untyped operand takes the dtype of data, an index int64", "[app]") {
  CHECK(output_of(scatter(split_words("-d 3xf16=1 -i [0] -u [2]"))) == "[2.0, 1.0, 1.0]\n");
  CHECK(output_of(scatter(split_words("-d '[1, 2, 3]' -i [0] -u [9]"))) == "[9, 2, 3]\n");
  CHECK(output_of(scatter(split_words("-d '[1, 2]' --dtype u8 -i [0] -u [255]"))) == "[255, 2]\n");
  CHECK(refusal_of(2, scatter(split_words("-d 3xu8=1 -i [0] -u [256]"))) ==
        "--updates: the value at [0] must fit uint8, got 256 [json.f4]");
  CHECK(refusal_of(2, scatter(split_words("-d 3xu8=1 -i [0.5] -u [2]"))) ==
        "--indices: the value at [0] must fit int64 (an integer has no point, fraction or "
        "exponent), got 0.5 [json.f4]");
  CHECK(refusal_of(2, scatter(split_words("-d '[1, true]' -i [0] -u [2]"))).ends_with("[json.f8]"));
}

TEST_CASE("cli.c7: --dtype must not contradict data", "[app]") {
  CHECK(refusal_of(2, scatter(split_words("-d 3xf16=1 -i [0] -u [2] --dtype f32"))) ==
        "--dtype: must not contradict the dtype that --data has, float16 (convert --to float32 "
        "converts the values), got float32 [cli.c7]");
  CHECK(output_of(scatter(split_words("-d 3xf16=1 -i [0] -u [2] --dtype f16"))) ==
        "[2.0, 1.0, 1.0]\n");
}

TEST_CASE("--dtype says how to read opaque records of 1 and 2 bytes", "[app]") {
  const TemporaryDirectory directory;
  const std::string brain = npy_file("{'descr': '<V2', 'fortran_order': False, 'shape': (2,)}",
                                     std::string("\x80\x3f\x00\x40", 4));
  write_file(directory / "b.npy", brain);
  CHECK(json_of(directory / "b.npy", {"--dtype", "bfloat16"}) ==
        "{\"dtype\": \"bfloat16\", \"shape\": [2], \"data\": [1.0, 2.0]}\n");
  CHECK(output_of({"ScatterNDUpdate-15", "-d", directory / "b.npy", "-i", "[[0]]", "-u", "[3]",
                   "-r", "sum", "--dtype", "bf16"}) == "[4.0, 2.0]\n");
  CHECK(refusal_of(2, {"convert", directory / "b.npy", directory / "b.json"})
            .ends_with("[json.f10]"));
  CHECK(
      output_of({"convert", directory / "b.npy", directory / "c.npy", "--dtype", "bf16"}).empty());
  CHECK_THAT(read_file(directory / "c.npy"), contains("'<V2'"));
}

TEST_CASE("tables of numbers are operands, and what convert, show, compare and verify read",
          "[app]") {
  const Folder folder;
  folder.put("ids.csv", "id\r\n2\r\n0\r\n");
  folder.put("one.csv", "2\n");
  folder.put("updates.txt", "# two rows\n7 8.5\n9 nan\n");
  folder.put("data.tsv", "1\t2\n3\t4\n5\t6\n");
  const std::string result = "[[9.0, \"NaN\"],\n [3.0, 4.0],\n [7.0, 8.5]]\n";
  const Strings apply =
      split_words("ScatterUpdate-3 -d data.tsv --dtype f16 -i ids.csv -u updates.txt -a 0");
  CHECK(folder.out(apply) == result);
  CHECK(folder.out("ScatterUpdate -d data.tsv -i one.csv -u '[[7, 8]]' -a 0") ==
        "[[1, 2],\n [3, 4],\n [7, 8]]\n");
  CHECK(folder.out("SliceScatter-15 -d 4xi32=0 -u 5,6 --start one.csv --stop 4 --step 1") ==
        "[0, 0, 5, 6]\n");
  CHECK(folder.run("convert data.tsv data.npy").exit_code == 0);
  CHECK(folder.run("compare data.tsv data.npy").exit_code == 0);
  CHECK(folder.run("compare 3x2xf32=1,2,3,4,5,6 data.tsv").exit_code == 0);
  CHECK(folder.out("show ids.csv")
            .starts_with("name        ids.csv\ndtype       int64\nshape       [2]\n"));
  folder.put("actual.csv", "9,8\n3,4\n7,8\n");
  CHECK(folder
            .run("verify ScatterUpdate-3 -d data.npy -i ids.csv -u '[[7, 8], [9, 8]]' -a 0 "
                 "--actual actual.csv")
            .exit_code == 0);
  CHECK(folder.err("ScatterUpdate -d data.tsv -i ids.csv -u updates.txt -a 0") ==
        "tscatter: updates.txt:2, column 2: the value must fit int64, got 8.5 [csv.f4]\n");
  folder.put("bad.csv", "id,n\n1,2\n3,many\n");
  CHECK(folder.run("show bad.csv").exit_code == 4);
  CHECK(folder.err("show bad.csv") ==
        "tscatter: bad.csv:3, column 2: a cell must be a number, got many [csv.f2]\n");
}

TEST_CASE("what was taken for a header of a table is said", "[app]") {
  const Folder folder;
  folder.put("ids.csv", "id\n1\n");
  folder.put("rows.tsv", "a\tb\n7\t8\n");
  CHECK(folder.out("show ids.csv --header").ends_with("\nheader      id\n"));
  CHECK(folder.out("show ids.csv --header --json").ends_with(",\"table_header\":\"id\"}\n"));
  CHECK_THAT(folder.err("show ids.csv -v"), contains("ids.csv: the first line is a header: id\n"));
  const Strings call = split_words("-d 2x2xi64=0 -i ids.csv -u rows.tsv -a 0");
  const auto with = [&](Strings front, const Strings& more) {
    front.insert(front.end(), call.begin(), call.end());
    front.insert(front.end(), more.begin(), more.end());
    return folder.out(front);
  };
  const std::string said =
      "\"table_headers\":[{\"operand\":\"indices\",\"header\":\"id\"},{\"operand\":\"updates\","
      "\"header\":\"a, b\"}]}\n";
  CHECK(with({"ScatterUpdate-3"}, {"-o", "x.npy", "--json"}).ends_with(said));
  CHECK(with({"ScatterUpdate-3"}, {"-n", "--json"}).ends_with(said));
  CHECK(with({"ScatterUpdate-3"}, {"-n"})
            .ends_with("header            indices: id\nheader            updates: a, b\n"));
  CHECK(with({"explain", "ScatterUpdate-3"}, {"--json"}).ends_with(said));
  CHECK(with({"verify", "ScatterUpdate-3"}, {"--actual", "x.npy", "--json"}).ends_with(said));
  CHECK(folder.out("compare rows.tsv 1x2xi64=7,8 --json")
            .ends_with("\"table_headers\":[{\"operand\":\"actual\",\"header\":\"a, b\"}]}\n"));
}

TEST_CASE("csv.f7: missing values of tables become NaN where a command or a job asks for it",
          "[app]") {
  const Folder folder;
  folder.put("x.csv", "1.5\nNA\n");
  folder.put("ids.csv", "0\nNA\n");
  const std::string values = "{\"dtype\": \"float64\", \"shape\": [2], \"data\": [1.5, \"NaN\"]}\n";
  CHECK(folder.out("convert x.csv - --format json --missing nan") == values);
  CHECK(folder.out("show x.csv --missing nan").ends_with("\n[1.5, \"NaN\"]\n"));
  CHECK(folder.run({"compare", "x.csv", values, "--missing", "nan"}).exit_code == 0);
  const Strings scatter_update =
      split_words("ScatterUpdate-3 -d 2xf32=0 -i '[1, 0]' -u x.csv -a 0");
  CHECK(folder.err(scatter_update) ==
        "tscatter: x.csv:2, column 1: a cell must be a number (--missing nan reads missing values "
        "as NaN), got NA [csv.f2]\n");
  Strings asked = scatter_update;
  asked.insert(asked.end(), {"--missing", "nan"});
  CHECK(folder.out(asked) == "[\"NaN\", 1.5]\n");
  folder.put(
      "job.json",
      R"({"op": "ScatterUpdate-3", "data": {"dtype": "float32", "data": [0, 0]}, "indices": [1, 0],
                 "updates": "x.csv", "axis": 0, "missing": "nan"})");
  CHECK(folder.out("run job.json") == "[\"NaN\", 1.5]\n");
  CHECK(folder.err("ScatterUpdate-3 -d 2xf32=0 -i ids.csv -u '[1, 2]' -a 0 --missing nan") ==
        "tscatter: ids.csv:2, column 1: a missing value must be of a real dtype, which has NaN, "
        "got NA of int64 [csv.f7]\n");
  CHECK(folder.run("show x.csv --missing zero").exit_code == 2);
  folder.put("wrong.json", R"({"op": "ScatterUpdate-3", "missing": null})");
  CHECK(folder.err("run wrong.json") ==
        "tscatter: wrong.json: missing: must be a string, got null [job.j5]\n");
  folder.put("wrong.json", R"({"op": "ScatterUpdate-3", "missing": "zero"})");
  CHECK(folder.err("run wrong.json") ==
        "tscatter: wrong.json: missing: must be nan, got zero [job.j5]\n");
}

TEST_CASE("what stands in the place of a file is said, whatever its name", "[app]") {
  const Folder folder;
  for (const char* name : {"p.onnx", "p.onnx:w", "p.pb", "p.csv", "p.tsv", "p.json"}) {
    const std::string word = name;
    const std::string file = word.substr(0, word.find(':'));
    folder.put(file, "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 9\n");
    const Result result = folder.run({"show", word});
    CHECK(result.exit_code == 4);
    CHECK(result.err.starts_with("tscatter: " + file +
                                 ": must be the file that its name says, got a Git LFS pointer "
                                 "(git lfs pull fetches the file) ["));
  }
}

TEST_CASE("cli.c82: --missing, and --dtype of show, are refused with an archive", "[app]") {
  const Folder folder;
  REQUIRE(folder.run("convert 7 a.npz:x").exit_code == 0);
  CHECK(folder.err("convert a.npz b.safetensors --missing nan") ==
        "tscatter: --missing: is for one tensor, got the archive a.npz [cli.c82]\n");
  CHECK(folder.err("compare a.npz a.npz --missing nan") ==
        "tscatter: --missing: is for two tensors, got the archives a.npz and a.npz [cli.c82]\n");
  for (const Strings& flag : {Strings{"--missing", "nan"}, Strings{"--dtype", "i8"}}) {
    CHECK(folder.err({"show", "a.npz", flag[0], flag[1]}) ==
          "tscatter: " + flag[0] + ": is for one tensor, got the archive a.npz [cli.c82]\n");
  }
}

TEST_CASE("a table without rows writes nothing", "[app]") {
  const Folder folder;
  folder.put("none.csv", "");
  folder.put("places.csv", "row,column\n");
  CHECK(folder.out("ScatterUpdate-3 -d '[1, 2]' -i none.csv -u none.csv -a 0") == "[1, 2]\n");
  CHECK(folder.out("ScatterNDUpdate-15 -d 2x2xi8=1 -i places.csv -u 0xi8=") ==
        "[[1, 1],\n [1, 1]]\n");
}

TEST_CASE("a table of numbers comes through a FIFO that has its ending", "[app]") {
  const TemporaryDirectory directory;
  REQUIRE(::mkfifo((directory / "x.csv").c_str(), 0600) == 0);
  std::string rows;
  for (int i = 0; i < 100000; ++i) rows += std::to_string(i) + "\n";
  std::thread writer([&] { write_file(directory / "x.csv", rows); });
  const Result result = tscatter_run({"show", directory / "x.csv"});
  writer.join();
  CHECK_THAT(result.out, contains("shape       [100000]\n"));
}

TEST_CASE("a device or a FIFO is read like a pipe", "[app]") {
  CHECK(refusal_of(4, "show /dev/null") ==
        "/dev/null: a .npy file must begin with \\x93NUMPY, got an empty file [npy.f1]");
  CHECK(Command("convert /dev/stdin - --format json").with_input(three_bytes).run().out ==
        three_bytes_json);
  CHECK(refusal_of(4, "show /dev/zero").ends_with("[npy.f1]"));
}

TEST_CASE("a long JSON file is kept where TMPDIR says", "[app]") {
  const TemporaryDirectory directory;
  std::string text = "[0";
  for (int i = 1; i < 1200000; ++i) text += ",1";
  write_file(directory / "long.json", text + "]");
  const Strings words{"show", directory / "long.json"};
  CHECK(Command(words).with_environment("TMPDIR", directory.path()).run().exit_code == 0);
  CHECK(refusal_of(3, Command(words).with_environment("TMPDIR", directory / "none"))
            .ends_with("cannot hold a temporary file: no such file or directory [file.f4]"));
  CHECK(directory.names() == Strings{"long.json"});
}

TEST_CASE("the system's names of stdin and stdout are -", "[app]") {
  CHECK(refusal_of(2, Command("compare - /dev/stdin").with_input("[1]")) ==
        "ACTUAL: only one operand can be read from stdin, got a second - [cli.c6]");
  CHECK(Command("show /dev/stdin --header").with_input("[1]").run().exit_code == 0);
  const Strings scatter = split_words("ScatterUpdate-3 -d '[1, 2]' -i [0] -u [9] -a 0");
  const Result result = Command(with_more(scatter, {"-o", "/dev/stdout", "--json"})).run();
  CHECK(result.exit_code == 0);
  CHECK(result.out.starts_with("\x93NUMPY"));
  CHECK(result.err.starts_with("{\"op\":"));
  for (const char* key : {"\"data\": \"/dev/stdin\"", "\"data\": [1], \"output\": \"/dev/fd/1\""}) {
    const Folder folder;
    folder.put(
        "c.jsonl",
        std::string(
            "{\"op\": \"ScatterUpdate-3\", \"indices\": [0], \"updates\": [1], \"axis\": 0, ") +
            key + "}");
    CHECK_THAT(folder.out("batch c.jsonl"), contains("[job.j11]"));
  }
}

TEST_CASE("a text in a pipe may begin with any blanks", "[app]") {
  CHECK(
      Command("convert - - --format json").with_input(std::string(200, ' ') + "[1, 2]").run().out ==
      "{\"dtype\": \"int64\", \"shape\": [2], \"data\": [1, 2]}\n");
}

}  // namespace tscatter
