// Operands with a basic index: 'a.npy[:, 3]', of every command and every kind of file.
#include <sys/stat.h>

#include <deque>
#include <nlohmann/json.hpp>

#include "app/batch.hpp"
#include "app/folder.hpp"
#include "catch.hpp"

namespace tscatter {
namespace {

using nlohmann::json;

const std::string six_values = "[[0, 1, 2], [10, 11, 12]]";

void put_tensor(const Folder& folder, const std::string& file, const std::string& values,
                Strings more = {}) {
  more.insert(more.begin(), {"convert", values, file});
  const Result result = folder.run(std::move(more));
  REQUIRE(result.err == "");
}

// a.npy is [[0, 1, 2], [10, 11, 12]] of int64.
struct ViewFolder : Folder {
  ViewFolder() { put_tensor(*this, "a.npy", six_values); }

  // As one line of JSON.
  std::string shown(const std::string& word, Strings more = {}) const {
    more.insert(more.begin(), {"convert", "--format", "json"});
    more.insert(more.end(), {"--", word, "-"});
    const Result result = run(std::move(more));
    if (result.exit_code != 0) return result.err;
    json read = json::parse(result.out);
    return read["shape"].dump() + " " + read["data"].dump();
  }
};

const std::string scattered = "[[0,1,2],[1,11,12]]";

// An operation that writes row 1 of data.
Strings row_one(const std::string& data, const std::string& indices, const std::string& updates,
                Strings more = {}) {
  more.insert(more.begin(),
              {"ScatterUpdate-3", "-d", data, "-i", indices, "-u", updates, "-a", "0"});
  return more;
}

std::string flat(std::string text) {
  std::erase_if(text, [](char c) { return c == ' ' || c == '\n'; });
  return text;
}

}  // namespace

TEST_CASE("a view of every kind of file has NumPy's elements", "[app]") {
  const ViewFolder folder;
  put_tensor(folder, "a.json", "a.npy");
  put_tensor(folder, "a.pb", "a.npy");
  put_tensor(folder, "s.npz:x", "a.npy");
  put_tensor(folder, "d.npz:x", "a.npy", {"--compress"});
  put_tensor(folder, "m.safetensors:x", "a.npy");
  put_tensor(folder, "r.bin", "a.npy", {"--format", "raw"});
  folder.put("a.csv", "0,1,2\n10,11,12\n");
  folder.put("fortran.npy", npy_file("{'descr': '|u1', 'fortran_order': True, 'shape': (2, 3)}",
                                     std::string("\0\12\1\13\2\14", 6)));
  folder.put("big.npy", npy_file("{'descr': '>i2', 'fortran_order': False, 'shape': (2, 3)}",
                                 std::string("\0\0\0\1\0\2\0\12\0\13\0\14", 12)));
  for (const std::string word :
       {"a.npy", "a.json", "a.pb", "s.npz:x", "d.npz:x", "m.safetensors:x", "2x3xi64=@r.bin",
        "fortran.npy", "big.npy", "2x3xi16=0,1,2,10,11,12"}) {
    CAPTURE(word);
    CHECK(folder.shown(word + "[1]") == "[3] [10,11,12]");
    CHECK(folder.shown(word + "[:, ::-2]") == "[2,2] [[2,0],[12,10]]");
    CHECK(folder.shown(word + "[..., 1, None]") == "[2,1] [[1],[11]]");
    CHECK(folder.shown(word + "[-1, -1]") == "[] 12");
    CHECK(folder.shown(word + "[5:]") == "[0,3] []");
  }
  CHECK(folder.shown("a.csv[1, 1:]", {"--dtype", "int64"}) == "[2] [11,12]");
  CHECK(folder.shown("1,2,3[::2]") == "[2] [1,3]");
  CHECK(folder.shown("7[None]") == "[1] [7]");
}

TEST_CASE("stdin may be a view", "[app]") {
  const ViewFolder folder;
  const Command command =
      Command("convert '-[1, :2]' - --format json").with_input(folder.text("a.npy"));
  CHECK(flat(command.run().out) == R"({"dtype":"int64","shape":[2],"data":[10,11]})");
  CHECK(folder.err(row_one("a.npy", "-[0]", "-")) ==
        "tscatter: --updates: only one operand can be read from stdin, got a second - [cli.c6]\n");
}

TEST_CASE("cli.c6: verify reads one view of stdin", "[app]") {
  const ViewFolder folder;
  Strings call = row_one("-[:]", "[1]", "[[7, 8, 9]]", {"--actual", "-[0]"});
  call.insert(call.begin(), "verify");
  CHECK(folder.err(call) ==
        "tscatter: --actual: only one operand can be read from stdin, got a second - [cli.c6]\n");
}

TEST_CASE("the log says how what is behind a view is read", "[app]") {
  const ViewFolder folder;
  put_tensor(folder, "d.npz:x", "a.npy", {"--compress"});
  const auto logged = [&](const std::string& word) {
    return folder.err(row_one("a.npy", "[1]", word, {"-v"}));
  };
  CHECK_THAT(logged("a.npy[:1, ::-1]"), contains("from a.npy[:1, ::-1] (mapped)\n"));
  CHECK_THAT(logged("d.npz:x[:1, ::-1]"), contains("from d.npz:x[:1, ::-1] (in memory)\n"));
}

TEST_CASE("every operand of an operation may be a view", "[app]") {
  const ViewFolder folder;
  const std::string rows = "[[[9, 9, 9], [1, 11, 12]]]";
  put_tensor(folder, "ids.npy", "[[9, 1]]");
  put_tensor(folder, "rows.npy", rows);
  const Strings call = row_one("a.npy[None, :][0]", "x", "y");
  CHECK(folder.err(call).ends_with("[cli.c132]\n"));
  const Result printed = folder.run(row_one("a.npy[:, :]", "ids.npy[0, 1:]", "rows.npy[0, 1:]"));
  CHECK(printed.err == "");
  CHECK(flat(printed.out) == scattered);
  CHECK(folder.err(row_one("a.npy[::-1]", "ids.npy[0, 1]", "rows.npy[0, 1]", {"-o", "o.npy"})) ==
        "");
  CHECK(folder.shown("o.npy") == "[2,3] [[10,11,12],[1,11,12]]");
  CHECK(folder.err("set 'a.npy[ids.npy[0, 1]]' 'rows.npy[0, 1]' -o p.npy") == "");
  CHECK(folder.shown("p.npy") == "[2,3] [[0,1,2],[1,11,12]]");
  const Result in_place =
      folder.run(row_one("a.npy", "ids.npy[0, 1:]", "rows.npy[0, 1:]", {"--in-place"}));
  CHECK(in_place.err == "");
  CHECK(folder.shown("a.npy") == "[2,3] [[0,1,2],[1,11,12]]");
}

TEST_CASE("an operation writes over the file whose view is its data", "[app]") {
  const ViewFolder folder;
  CHECK(folder.err(row_one("a.npy[::-1, :2]", "[0]", "[[7, 8]]", {"-o", "a.npy"})) == "");
  CHECK(folder.shown("a.npy") == "[2,2] [[7,8],[0,1]]");
  CHECK(folder.err("convert 'a.npy[:, ::-1]' a.npy") == "");
  CHECK(folder.shown("a.npy") == "[2,2] [[8,7],[1,0]]");
}

TEST_CASE("of runs that read a view of a file and replace it, none is lost", "[app]") {
  const Folder folder;
  put_tensor(folder, "x.npy", "[0]");
  put_tensor(folder, "x.npz:w", "[0]");
  constexpr int runs = 40;
  for (const std::string file : {"x.npy", "x.npz:w"}) {
    const Strings more_by_one{"ScatterNDUpdate-15",
                              "-d",
                              file + "[:]",
                              "-i",
                              "[[0]]",
                              "-u",
                              "[1]",
                              "-r",
                              "sum",
                              "-o",
                              file};
    std::deque<Running> running;
    for (int i = 0; i < runs; ++i) running.emplace_back(folder.command(more_by_one));
    for (Running& each : running) CHECK(each.finish().exit_code == 0);
    CHECK(folder.run({"compare", file, "[" + std::to_string(runs) + "]"}).exit_code == 0);
  }
}

TEST_CASE("show, compare, verify and explain take views, and show them as they were written",
          "[app]") {
  const ViewFolder folder;
  CHECK(folder.out("show a.npy[1]")
            .starts_with("name        a.npy[1]\ndtype       int64\n"
                         "shape       [3]\n"));
  CHECK(json::parse(folder.out("show --json 'a.npy[:, 1]'"))["name"] == "a.npy[:, 1]");
  CHECK(folder.out("compare 'a.npy[:, 1]' '[1, 11]'") == "equal: 2 elements\n");
  CHECK(folder.run("compare a.npy[0] a.npy[1]").exit_code == 1);
  const Strings views = split_words("-d 'a.npy[:, :2]' -i [1] -u 'a.npy[:1, 1:]' -a 0");
  put_tensor(folder, "legal.npy", "[[[0, 1], [1, 2]]]");
  CHECK(folder
            .run(with_more(with_more({"verify", "ScatterUpdate-3"}, views),
                           {"--actual", "legal.npy[0]"}))
            .exit_code == 0);
  CHECK(folder.out(with_more({"explain", "ScatterUpdate-3"}, views))
            .starts_with("does not depend on the order"));
  const Result told = folder.run(with_more(with_more({"ScatterUpdate-3"}, views), {"-n"}));
  CHECK_THAT(told.out, contains("shape             [2, 2]\n"));
  CHECK(folder.names() == Strings{"a.npy", "legal.npy"});
}

TEST_CASE("a view of a whole archive is refused as the archive is", "[app]") {
  const ViewFolder folder;
  put_tensor(folder, "s.npz:x", "a.npy");
  const std::string refused =
      "tscatter: s.npz: an archive must be named with a member, as in s.npz:x, got the archive of "
      "1 member alone [cli.c31]\n";
  CHECK(folder.err("show s.npz[0]") == refused);
  CHECK_THAT(folder.err("convert s.npz[0] t.npz"), contains("[cli."));
  CHECK(folder.err("compare s.npz[0] s.npz") == refused);
}

TEST_CASE("a file or member whose name is the word wins", "[app]") {
  const ViewFolder folder;
  put_tensor(folder, "t.npy", "[70]");
  folder.put("a.npy[1]", folder.text("t.npy"));
  CHECK(folder.shown("a.npy[1]") == "[1] [70]");
  CHECK(folder.shown("a.npy[1][None]") == "[1,1] [[70]]");
  CHECK(folder.shown("a.npy[0]") == "[3] [0,1,2]");
  put_tensor(folder, "s.npz:x[1]", "[71]");
  put_tensor(folder, "s.npz:x", "a.npy");
  CHECK(folder.shown("s.npz:x[1]") == "[1] [71]");
  CHECK(folder.shown("s.npz:x[0]") == "[3] [0,1,2]");
  put_tensor(folder, "m.safetensors:x[0]", "[72]");
  CHECK(folder.shown("m.safetensors:x[0]") == "[1] [72]");
  CHECK(folder.shown("m.safetensors:x[0][0]") == "[] 72");
  put_tensor(folder, "r[0]", "[73]", {"--format", "raw"});
  CHECK(folder.shown("1xi64=@r[0]") == "[1] [73]");
  CHECK(folder.shown("1xi64=@r[0][0]") == "[] 73");
  folder.put("data[1]/b.npy", folder.text("a.npy"));
  CHECK(folder.shown("data[1]/b.npy[1]") == "[3] [10,11,12]");
}

TEST_CASE("file.f1: a missing file is named without the index", "[app]") {
  const ViewFolder folder;
  CHECK(folder.err("show gone.npy[0]") ==
        "tscatter: gone.npy: TENSOR cannot be opened (for values see tscatter help operands): no "
        "such file or directory [file.f1]\n");
  CHECK(
      folder.err("show gone.npz:x[0]").starts_with("tscatter: gone.npz: TENSOR cannot be opened"));
  CHECK(folder.err(row_one("a.npy", "gone.npy[:, None]", "[1]"))
            .starts_with("tscatter: gone.npy: --indices cannot be opened"));
}

TEST_CASE("cli.c132: an item of a view is basic", "[app]") {
  const ViewFolder folder;
  const std::string rule =
      "the index of a view must have integers, slices, ... and None (tscatter get reads at "
      "positions and masks, too; set, add and their like write there), got ";
  for (const std::string item : {"ids.npy", "[0, 1]", "~m.npy", "isnan", "< 0", "none", "1.5"}) {
    CAPTURE(item);
    CHECK(folder.err({"show", "a.npy[:, " + item + "]"}) ==
          "tscatter: TENSOR: " + rule + item + " in a.npy[:, " + item + "] [cli.c132]\n");
  }
  CHECK(folder.err(row_one("a.npy", "[1]", "a.npy[x.npy]")).starts_with("tscatter: --updates"));
  CHECK(folder.err("show a.npy[0][0]") ==
        "tscatter: index: an operand must have one index at most, got a.npy[0][0] [cli.c132]\n");
  const std::string many = "a.npy" + std::string(2000, '[') + std::string(2000, ']');
  CHECK_THAT(folder.err({"show", many}), !contains(" [view.v2]"));
  std::string chain = "a.npy";
  for (int i = 0; i < 5000; ++i) chain += "[0]";
  CHECK(folder.err({"show", chain}).ends_with("[cli.c132]\n"));
}

TEST_CASE("view.v2: an index that is not closed is no name of a file", "[app]") {
  const ViewFolder folder;
  CHECK(folder.err("show a.npy[0") ==
        "tscatter: index: the bracket at character 6 is not closed in a.npy[0 (in a shell the word "
        "is quoted: 'a.npy[...]') [view.v2]\n");
  CHECK(folder.err("show gone.npy[0").starts_with("tscatter: gone.npy[0: TENSOR cannot be opened"));
  CHECK(folder.err("show gone.npy[]").ends_with(" [file.f1]\n"));
  CHECK(folder.err("show a.npy[]") ==
        "tscatter: index: an item is missing before character 7 of a.npy[] [view.v2]\n");
  CHECK(folder.err("show 'a.npy[0, 0, 0]'") ==
        "tscatter: a.npy: there are 2 axes, and the index has items for 3 [view.v3]\n");
  CHECK(folder.err("show a.npy[2]") ==
        "tscatter: a.npy: an index must be in [-2, 2) for axis 0, got 2 [view.v4]\n");
  CHECK(folder.err("show a.npy[::0]") ==
        "tscatter: a.npy: the step of a slice must not be 0 [view.v1]\n");
}

TEST_CASE("cli.c132: a view is not changed in place", "[app]") {
  const ViewFolder folder;
  const std::string before = folder.text("a.npy");
  CHECK(folder.err(row_one("a.npy[:1]", "[0]", "[[7, 8, 9]]", {"--in-place"})) ==
        "tscatter: --data: must be a whole tensor to be changed in place (tscatter set "
        "'DATA[INDEX]' VALUES --in-place writes at an index), got the view a.npy[:1] [cli.c132]\n");
  CHECK(folder.text("a.npy") == before);
}

TEST_CASE("cli.c12: what is changed in place is not read by a view either", "[app]") {
  const ViewFolder folder;
  std::filesystem::create_hard_link(folder / "a.npy", folder / "same.npy");
  for (const std::string updates : {"a.npy[:1]", "a.npy[:1, ::-1]", "same.npy[:1, ::-1]"}) {
    CHECK(folder.err(row_one("a.npy", "[1]", updates, {"--in-place"})) ==
          "tscatter: --updates: must not be the file that is changed in place, got " + updates +
              " [cli.c12]\n");
  }
}

TEST_CASE("cli.c14: a picture is not written over the file behind a view", "[app]") {
  const ViewFolder folder;
  CHECK(folder.err("compare a.npy[0] '[1, 2, 3]' --heatmap a.npy") ==
        "tscatter: --heatmap: must be another file than ACTUAL, got a.npy [cli.c14]\n");
}

TEST_CASE("an output's name may end in brackets behind what is no tensor", "[app]") {
  const ViewFolder folder;
  put_tensor(folder, "a.npy[0].npy", "[1]");
  CHECK(folder.err("convert [1] b[0] --format npy") == "");
  put_tensor(folder, "s.npz:x[0]", "[2]");
  CHECK(folder.names() == Strings{"a.npy", "a.npy[0].npy", "b[0]", "s.npz"});
  CHECK(folder.shown("s.npz:x[0]") == "[1] [2]");
}

TEST_CASE("cli.c120: a view of a table is a table", "[app]") {
  const ViewFolder folder;
  folder.put("t.csv", "1,\n3,4\n");
  CHECK(folder.shown("t.csv[0]", {"--missing", "nan"}) == R"([2] [1.0,"NaN"])");
  CHECK_THAT(folder.err("show a.npy[0] --missing nan"), contains("[cli.c120]"));
}

TEST_CASE("a job's paths may be views", "[app]") {
  const ViewFolder folder;
  put_tensor(folder, "m.safetensors:w", "[[[1, 11, 12]]]");
  put_tensor(folder, "r.bin", "[9, 1]", {"--format", "raw"});
  folder.put("jobs/job.json", R"({"op": "ScatterUpdate-3", "data": "../a.npy[...]", "indices":
      "../a.npy[0, 1:2]", "updates": "../m.safetensors:w[0]", "axis": 0, "output": "o.npy"})");
  CHECK(folder.err("run jobs/job.json") == "");
  CHECK(folder.shown("jobs/o.npy") == "[2,3] [[0,1,2],[1,11,12]]");
  folder.put("job.json", R"({"op": "ScatterUpdate-3", "data": "a.npy[:1]", "indices": [0],
      "updates": [[7, 8, 9]], "axis": 0, "in_place": true})");
  CHECK(folder.err("run job.json") ==
        "tscatter: data: must be a whole tensor to be changed in place (tscatter set 'DATA[INDEX]' "
        "VALUES --in-place writes at an index), got the view a.npy[:1] [cli.c132]\n");
  folder.put("set.json", R"({"op": "set", "data": "a.npy[0]", "updates": "a.npy[1, ::-1]",
      "output": "o.npy"})");
  CHECK(folder.err("run set.json") == "");
  CHECK(folder.shown("o.npy") == "[2,3] [[12,11,10],[10,11,12]]");
}

TEST_CASE("a case's operands, golden and actual may be views", "[app]") {
  const BatchDirectory batch({});
  const auto put = [&](const std::string& file, const std::string& values) {
    output_of({"convert", values, batch / file});
  };
  put("x.npy", "[[1, 2, 3], [4, 5, 6]]");
  put("gold.npy", "[[0, 0, 0], [5, 2, 6]]");
  batch.write(
      {named("views",
             {{"data", "x.npy[0]"}, {"updates", "x.npy[1, 1:]"}, {"expected", "gold.npy[1]"}}),
       named("wrong", {{"data", "x.npy[0]"}, {"expected", "gold.npy[0]"}}),
       named("actual", {{"data", "x.npy[0]"}, {"actual", "gold.npy[1]"}}),
       named("halves", {{"actual", "gold.npy[1, :]"}, {"expected", "gold.npy[1]"}})});
  const Result result = batch.run({"--json"});
  CHECK(states_of(result) ==
        std::map<std::string, std::string>{
            {"views", "passed"}, {"wrong", "failed"}, {"actual", "passed"}, {"halves", "passed"}});
}

TEST_CASE("batch.b12: what one case writes, no other reads by a view", "[app]") {
  const BatchDirectory batch({});
  for (const std::string file : {"x.npy", "s.npz:w"})
    output_of({"convert", "[[1, 2, 3], [4, 5, 6]]", batch / file});
  for (const std::string file : {"x.npy", "s.npz:w"}) {
    batch.write({named("write", {{"output", file}}),
                 named("read", {{"data", file + "[0]"}, {"expected", {5, 2, 6}}})});
    const Result result = batch.run();
    CAPTURE(file, result.out);
    CHECK_THAT(result.out, contains(file + ", which is data of cases.jsonl:2 [batch.b12]"));
    batch.write(
        {named("change",
               {{"data", file}, {"indices", {{0, 0}}}, {"updates", {7}}, {"in_place", true}}),
         named("read", {{"updates", file + "[0, :2]"}, {"expected", {1, 2, 2}}})});
    if (file == "x.npy") CHECK_THAT(batch.run().out, contains("[batch.b12]"));
  }
}

TEST_CASE("cli.c132: a golden that is written is a whole tensor", "[app]") {
  const BatchDirectory batch({});
  output_of({"convert", "[[0, 0, 0], [5, 3, 6]]", batch / "gold.npy"});
  const std::string before = read_file(batch / "gold.npy");
  batch.write({named("one", {{"expected", "gold.npy[1]"}})});
  const Result result = batch.run({"--update-golden"});
  CHECK_THAT(
      result.out,
      contains(
          "a golden that is written must be a whole tensor, got the view gold.npy[1] [cli.c132]"));
  CHECK(read_file(batch / "gold.npy") == before);
  CHECK(batch.names() == Strings{".state", "cases.jsonl", "gold.npy"});
}

TEST_CASE("batch.b11: a golden that a case reads by a view has a case", "[app]") {
  const BatchDirectory batch({named("one", {{"expected", "gold/g.npy[1]"}})});
  std::filesystem::create_directories(batch / "gold");
  output_of({"convert", "[[0, 0, 0], [5, 2, 6]]", batch / "gold/g.npy"});
  output_of({"convert", "[1]", batch / "gold/other.npy"});
  const Result result = batch.run({"--unreferenced", "fail"});
  const std::string said = result.out + result.err;
  CHECK_THAT(said, contains("other.npy"));
  CHECK_THAT(said, !contains("gold/g.npy"));
}

TEST_CASE("job.j11: a case does not read a view of stdin", "[app]") {
  CHECK(failure_with({{"data", "-[0]"}}).ends_with("[job.j11]"));
}

TEST_CASE("--resume sees that the file behind a view has changed", "[app]") {
  const BatchDirectory batch({});
  output_of({"convert", "[[1, 2, 3], [4, 5, 6]]", batch / "x.npy"});
  batch.write({named("one", {{"data", "x.npy[0]"}, {"expected", {5, 2, 6}}})});
  CHECK(batch.run().exit_code == 0);
  CHECK(batch.run({"--resume"}).exit_code == 0);
  output_of({"convert", "[[1, 9, 3], [4, 5, 6], [7, 8, 9]]", batch / "x.npy"});
  CHECK(batch.run({"--resume"}).exit_code == 1);
}

TEST_CASE("part.p6: parts take views, but none of deflated members", "[app]") {
  const ViewFolder folder;
  put_tensor(folder, "s.npz:x", "a.npy");
  put_tensor(folder, "d.npz:x", "a.npy", {"--compress"});
  REQUIRE(::mkfifo((folder / "pipe").c_str(), 0600) == 0);
  const auto part = [&](const std::string& updates) {
    return folder.err(row_one("a.npy", "[1]", updates, {"-o", "o.npy", "--part", "1/1"}));
  };
  CHECK_THAT(part("d.npz:x[:1, ::-1]"), contains("got a deflated d.npz:x[:1, ::-1] [part.p6]"));
  CHECK_THAT(part("pipe[0]"), contains("from the pipe or device pipe[0] [part.p6]"));
  CHECK_THAT(part("-[0]"), contains("updates from -[0] [part.p6]"));
  CHECK_THAT(part("s.npz:x[:1, ::-1]"), !contains("[part.p6]"));
}

}  // namespace tscatter
