// The words of NumPy's index: set, add, get and their like, on files of every kind.
#include <nlohmann/json.hpp>
#include <regex>

#include "app/folder.hpp"
#include "catch.hpp"

namespace tscatter {
namespace {

using nlohmann::json;

// a.npy is [[0, 1, 2], [3, 4, 5]] of float32, special.npy [NaN, 1, inf, -inf].
struct WordsFolder : Folder {
  WordsFolder() {
    convert("2x3xf32=0,1,2,3,4,5", "a.npy");
    convert("4xf32=nan,1,inf,-inf", "special.npy");
  }

  void convert(const std::string& values, const std::string& file) const {
    REQUIRE(run({"convert", values, file}).err == "");
  }

  // In one line; or what is wrong.
  std::string left_by(const Strings& words) const {
    const Result result = run(words);
    if (result.exit_code != 0) return result.err;
    return json::parse(result.out).dump();
  }
};

}  // namespace

TEST_CASE("set, add and get take data in every kind of file, and leave it in place", "[app]") {
  const WordsFolder folder;
  folder.convert("a.npy", "a.npz:w");
  folder.convert("a.npy", "m.safetensors:w");
  folder.convert("a.npy", "a.pb");
  for (const char* word : {"a.npy", "m.safetensors:w", "a.pb"}) {
    INFO(word);
    const std::string column = word + std::string("[:, 1]");
    CHECK(folder.left_by({"get", column}) == "[1.0,4.0]");
    CHECK(folder.err({"add", word + std::string("[[1, 1], 1:]"), "10", "--in-place"}) == "");
    CHECK(folder.left_by({"get", column}) == "[1.0,24.0]");
    CHECK(folder.err({"set", column, "[7, 8]", "--in-place", "--sync"}) == "");
    CHECK(folder.left_by({"get", column}) == "[7.0,8.0]");
  }
  CHECK(folder.err("set a.npz:w[0] 9 -o a.npz:x") == "");
  CHECK(folder.left_by({"get", "a.npz:x[..., 0]"}) == "[9.0,3.0]");
  CHECK(folder.left_by({"set", "3xi32=0[-1]", "5"}) == "[0,0,5]");
}

TEST_CASE("get says what it reads: before it, and with a report", "[app]") {
  const WordsFolder folder;
  CHECK(folder.left_by({"get", "a.npy[:, 1]", "--json", "-o", "b.npy"}) ==
        R"({"byte_order":"little","bytes":8,"dtype":"float32","elements":2,"order":"c",)"
        R"("output":"b.npy","shape":[2]})");
  CHECK(folder.left_by({"get", "b.npy[...]"}) == "[1.0,4.0]");
  CHECK(folder.left_by({"get", "a.npy[[0, 0, 1]]", "-n", "--json"}) ==
        R"({"byte_order":"little","bytes":36,"dtype":"float32","elements":9,"order":"c",)"
        R"("output":null,"shape":[3,3]})");
  CHECK(folder.run("get a.npy[5] -n -o c.npy").exit_code == 5);
  const Result dry = folder.run("get a.npy[1] -n -o c.npy");
  CHECK(dry.out ==
        "dtype       float32\n"
        "shape       [3]\n"
        "elements    3\n"
        "bytes       12\n"
        "order       c\n"
        "byte order  little\n"
        "output      c.npy\n");
  CHECK_THAT(folder.err("get c.npy[...]"), contains(" [file.f1]"));
}

TEST_CASE("each word does what its name says", "[app]") {
  const WordsFolder folder;
  const auto left = [&](const std::string& word) {
    return folder.left_by({word, "3xu8=6,6,6[[1, 2, 2]]", "[3, 3, 3]"});
  };
  CHECK(left("set") == "[6,3,3]");
  CHECK(left("add") == "[6,9,12]");
  CHECK(left("sub") == "[6,3,0]");
  CHECK(left("mul") == "[6,18,54]");
  CHECK(left("min") == "[6,3,3]");
  CHECK(left("max") == "[6,6,6]");
  CHECK(left("and") == "[6,2,2]");
  CHECK(left("or") == "[6,7,7]");
  CHECK(left("xor") == "[6,5,6]");
}

TEST_CASE("a typed literal in an index has its values", "[app]") {
  const WordsFolder folder;
  CHECK(folder.left_by({"add", "4xi32=0[3xu16=1,2,1]", "1"}) == "[0,2,1,0]");
  CHECK(folder.left_by({"set", "2x2xi32=0[2xi8=0,-1, 2xi8=1]", "7"}) == "[[0,7],[0,7]]");
  CHECK(folder.left_by({"set", "2x2xi32=0[2xi8=0, :]", "7"}) == "[[7,7],[0,0]]");
  CHECK(folder.err("show '2x2xi32=[1, 2]'") ==
        "tscatter: TENSOR: a literal of shape [2, 2] must have 4 values or one, got 2 "
        "[literal.f2]\n");
}

TEST_CASE("masks are computed of data and of other operands, and turned round", "[app]") {
  const WordsFolder folder;
  const auto set = [&](const std::string& item) {
    return folder.left_by({"set", "special.npy[" + item + "]", "0"});
  };
  CHECK(set("isnan") == R"([0.0,1.0,"Infinity","-Infinity"])");
  CHECK(set("isinf") == R"(["NaN",1.0,0.0,0.0])");
  CHECK(set("isfinite") == R"(["NaN",0.0,"Infinity","-Infinity"])");
  CHECK(set("~isnan") == R"(["NaN",0.0,0.0,0.0])");
  CHECK(set("~isfinite") == "[0.0,1.0,0.0,0.0]");
  CHECK(set("~~isnan(special.npy)") == R"([0.0,1.0,"Infinity","-Infinity"])");
  CHECK(set("~~[true, false, false, false]") == R"([0.0,1.0,"Infinity","-Infinity"])");
  CHECK(set(std::string(100'001, '~') + "isnan") == R"(["NaN",0.0,0.0,0.0])");
  CHECK(set("~(special.npy <= 1)") == R"([0.0,1.0,0.0,"-Infinity"])");
  CHECK(set("> 1") == R"(["NaN",1.0,0.0,"-Infinity"])");
  CHECK(set("== -inf") == R"(["NaN",1.0,"Infinity",0.0])");
  CHECK(set("!= 1") == "[0.0,1.0,0.0,0.0]");
  CHECK(set("~[true, true, false, true]") == R"(["NaN",1.0,0.0,"-Infinity"])");
  CHECK(folder.left_by({"add", "4xi32=0[special.npy >= 1]", "1"}) == "[0,1,1,0]");
  CHECK(folder.left_by({"set", "3xi64=1[isfinite]", "0"}) == "[0,0,0]");
  CHECK(folder.left_by({"set", "3xi64=1[isinf]", "0"}) == "[1,1,1]");
}

TEST_CASE("a number that no integer of the dtype has is above or below them all", "[app]") {
  const WordsFolder folder;
  const auto passes = [&](const std::string& data, const std::string& test) {
    return folder.left_by({"set", "1xi8=0[" + data + " " + test + "]", "1"}) == "[1]";
  };
  const std::string most = "1xu64=18446744073709551615";
  CHECK_FALSE(passes(most, "== 18446744073709551616"));
  CHECK_FALSE(passes(most, ">= 18446744073709551616"));
  CHECK(passes(most, "< 18446744073709551616"));
  CHECK(passes(most, "== 18446744073709551615"));
  const std::string least = "1xi64=-9223372036854775808";
  CHECK_FALSE(passes(least, "== -9223372036854775809"));
  CHECK(passes(least, "> -9223372036854775809"));
  CHECK(passes(least, "== -9223372036854775808"));
  CHECK(passes("1xf64=1e20", "== 100000000000000000000"));
}

TEST_CASE("cli.c14: stdout is no file that is read", "[app]") {
  const WordsFolder folder;
  const std::string before = folder.text("a.npy");
  for (const Strings& words :
       {Strings{"set", "a.npy[0]", "1"}, Strings{"set", "a.npy[0]", "1", "-o", "-"},
        Strings{"get", "a.npy[::-1]"}, Strings{"convert", "a.npy[0]", "-"},
        Strings{"ScatterUpdate-3", "-d", "3xf64=0", "-i", "[0]", "-u", "a.npy[0, :1]", "-a",
                "0"}}) {
    Command command(words);
    command.in(folder / "").with_output_to(folder / "a.npy");
    const Result result = command.run();
    CHECK(result.exit_code == 2);
    CHECK(result.err.starts_with("tscatter: <stdout>: must be another file than "));
    CHECK(result.err.ends_with(", which the run reads [cli.c14]\n"));
    CHECK(folder.text("a.npy") == before);
  }
}

TEST_CASE("a word of an index is no file", "[app]") {
  const WordsFolder folder;
  for (const std::string name : {":", "None", "...", "1:2", "< 4", "isnan", "~isnan"})
    folder.put(name, "0");
  const auto set = [&](const std::string& item) {
    return folder.left_by({"set", "3xf64=1,2,3[" + item + "]", "0"});
  };
  CHECK(set(":") == "[0.0,0.0,0.0]");
  CHECK(set("None") == "[0.0,0.0,0.0]");
  CHECK(set("...") == "[0.0,0.0,0.0]");
  CHECK(set("1:2") == "[1.0,0.0,3.0]");
  CHECK(set("< 3") == "[0.0,0.0,3.0]");
  CHECK(set("isnan") == "[1.0,2.0,3.0]");
  CHECK(set("~isnan") == "[0.0,0.0,0.0]");
  folder.convert("[0]", "x == 1.npy");
  CHECK(set("x == 1.npy") == "[0.0,2.0,3.0]");
}

TEST_CASE("view.v4: an integer of an index fits int64, whatever becomes of those out of range",
          "[app]") {
  const WordsFolder folder;
  const Strings modulo{"--oob", "modulo", "--negative", "outside"};
  const auto set = [&](const std::string& item) {
    return folder.left_by(with_more({"set", "5xi64=0[" + item + "]", "9"}, modulo));
  };
  CHECK(set("18446744073709551615") ==
        "tscatter: index: an integer must fit int64, got 18446744073709551615 [view.v4]\n");
  CHECK(set("-9223372036854775808") == "[0,0,9,0,0]");
  CHECK(set("1xi64=-9223372036854775808") == "[0,0,9,0,0]");
  const Strings select = split_words("torch.select_scatter -d 5xi64=0 --dim 0 -u 9");
  CHECK(folder.left_by(with_more(with_more(select, {"-i", "u64=18446744073709551615"}), modulo)) ==
        "[9,0,0,0,0]");
}

TEST_CASE("a value may be a number as Python writes it", "[app]") {
  const WordsFolder folder;
  CHECK(folder.left_by({"set", "a.npy[0, 0]", "nan"}) == R"([["NaN",1.0,2.0],[3.0,4.0,5.0]])");
  CHECK(folder.left_by({"max", "2xf64=0[0]", "inf"}) == R"(["Infinity",0.0])");
  CHECK(folder.left_by({"min", "2xf64=0[0]", "-inf"}) == R"(["-Infinity",0.0])");
  CHECK(folder.left_by({"set", "2xf64=0[0]", "-nan"}) == R"(["NaN",0.0])");
  CHECK(folder.left_by({"set", "2xi32=0[0]", "nan"}) ==
        "tscatter: VALUES: the value must fit int32, got NaN [json.f4]\n");
}

TEST_CASE("a column of a table has a view, and a name that has brackets wins", "[app]") {
  const WordsFolder folder;
  folder.put("x.csv", "id,price[eur]\n2,1.5\n0,2.5\n1,3.5\n");
  CHECK(folder.left_by({"get", "x.csv:id[1:]"}) == "[0,1]");
  CHECK(folder.left_by({"get", "x.csv[0]"}) == "[2.0,1.5]");
  CHECK(folder.left_by({"set", "3xf64=0[x.csv:id[:2]]", "x.csv:price[eur][::2]"}) ==
        "[3.5,0.0,1.5]");
  CHECK(folder.left_by(split_words(
            "ScatterNDUpdate-15 -d 3xf64=0 -i 'x.csv:id[:, None]' -u x.csv:price[eur] -r sum")) ==
        "[2.5,3.5,1.5]");
}

TEST_CASE("the words cast, and say so; operations by their names do not", "[app]") {
  const WordsFolder folder;
  const Result added = folder.run("add a.npy[0] 3xf64=0.1 -o b.npy --json");
  CHECK(json::parse(added.out).at("cast").at("rounded") == 3);
  CHECK(folder.err("numpy.add.at -d a.npy -i 0 -u 3xf64=1") ==
        "tscatter: numpy.add.at: updates must have data's dtype float32 (--cast same-kind), got "
        "float64 [numpy.add.at.c8]\n");
  CHECK(folder.err("set 3xi32=0[0] 1xf32=1").ends_with(" [cast.k1]\n"));
  const auto has_default = [&](const std::string& command, const std::string& name) {
    const std::string help = folder.out({command, "--help"});
    return std::regex_search(help, std::regex("\\(default:\\s+" + name + "\\)"));
  };
  CHECK(has_default("set", "same-kind"));
  CHECK(has_default("ScatterUpdate-3", "no"));
}

TEST_CASE("an empty index is told on stderr, but with -q and --json", "[app]") {
  const WordsFolder folder;
  const auto told = [&](Strings words) { return folder.err(std::move(words)); };
  const std::string note = "tscatter: no element was written: the index is empty";
  for (const char* index : {"200:300", "0, 5:", "..., 9:", "> 99", "[0, 1], 5:", "2xbool=false"})
    CHECK(told({"set", "a.npy[" + std::string(index) + "]", "1", "-o", "b.npy"}) == note + "\n");
  CHECK(told({"add", "a.npy[== nan]", "1", "-o", "b.npy"}) ==
        note + " (nothing equals nan: use isnan)\n");
  CHECK(told(split_words("set a.npy[5:] 1 -o b.npy -q")).empty());
  CHECK(told(split_words("set a.npy[5:] 1 -o b.npy --json")).empty());
  for (const char* index : {"0", "0, 1:", "...", "[0, 1], 1:", "2xbool=true"})
    CHECK(told({"set", "a.npy[" + std::string(index) + "]", "1", "-o", "b.npy"}).empty());
  CHECK(told({"set", "0xf32=0[:]", "1", "-o", "b.npy"}).empty());
}

TEST_CASE("integers that a cast wrapped are told on stderr, but with -q and --json", "[app]") {
  const WordsFolder folder;
  const auto told = [&](const std::string& values, const Strings& more = {}) {
    Strings words = with_more({"set", "3xi32=0[:]", values, "-o", "b.npy"}, more);
    return folder.err(words);
  };
  CHECK(told("3xi64=1,5000000000,2") ==
        "tscatter: 1 value was out of range of int32 and wrapped (--json counts it)\n");
  CHECK(told("3xi64=5000000000") ==
        "tscatter: 3 values were out of range of int32 and wrapped (--json counts them)\n");
  CHECK(told("3xi64=7").empty());
  const auto told_of_reals = [&](const std::string& values) {
    return folder.err({"set", "3xf16=0[:]", values, "-o", "b.npy"});
  };
  CHECK(told_of_reals("3xf64=1,70000,2") ==
        "tscatter: 1 value was out of range of float16 and became infinite (--json counts it)\n");
  CHECK(told_of_reals("3xf64=1,inf,0.1").empty());
  CHECK(told("3xi64=5000000000", {"-q"}).empty());
  CHECK(told("3xi64=5000000000", {"--json"}).empty());
}

TEST_CASE("a job has the index with data, or beside it", "[app]") {
  const WordsFolder folder;
  const auto run = [&](const std::string& job) {
    const Result result = Command("run -").in(folder / ".").with_input(job).run();
    return result.exit_code == 0 ? json::parse(result.out).dump() : result.err;
  };
  CHECK(run(R"({"op": "add", "data": "a.npy[1, ::2]", "updates": 1})") ==
        "[[0.0,1.0,2.0],[4.0,4.0,6.0]]");
  CHECK(run(R"({"op": "numpy.setitem", "data": "a.npy", "index": [":", [0, 2]],
                "updates": {"dtype": "float32", "data": 8}})") == "[[8.0,1.0,8.0],[8.0,4.0,8.0]]");
  CHECK(run(R"({"op": "set", "data": "a.npy", "updates": 1})").ends_with(" [operation.o1]\n"));
  for (const std::string text : {"0]", "0] x", "0][0"}) {
    CHECK(run(R"({"op": "set", "data": "a.npy", "index": ")" + text + R"(", "updates": 1})") ==
          "tscatter: <stdin>: index: must be items divided by commas, in brackets that are closed, "
          "got " +
              text + " [job.j4]\n");
  }
}

TEST_CASE("each word refuses what it cannot do, in one line", "[app]") {
  const WordsFolder folder;
  const auto refused = [&](const std::string& word, const std::string& value = "0") {
    const Result result = folder.run({"set", word, value});
    CHECK(result.exit_code != 0);
    return result.err;
  };
  CHECK(refused("a.npy[[0, 170]]") ==
        "tscatter: numpy.setitem: [0, 170][1] must be in [-2, 2) for axis 0 of a.npy, got 170 "
        "[numpy.setitem.c6]\n");
  CHECK(refused("a.npy[0, 0, 0]").ends_with(" [numpy.setitem.c2]\n"));
  CHECK(refused("a.npy[..., ...]").ends_with(" [numpy.setitem.c2]\n"));
  CHECK(refused("a.npy[3xbool=1]").ends_with(" [numpy.setitem.c4]\n"));
  CHECK(refused("a.npy[[0, 1], [0, 1, 1]]").ends_with(" [numpy.setitem.c4]\n"));
  CHECK(refused("a.npy[::0]").ends_with(" [numpy.setitem.c5]\n"));
  CHECK(refused("a.npy[0]", "[1, 2]").ends_with(" [numpy.setitem.c7]\n"));
  CHECK(refused("a.npy[0").ends_with(" [view.v2]\n"));
  CHECK(refused("a.npy").ends_with(" [cli.c131]\n"));
}

TEST_CASE("a message names the argument that a word was given to", "[app]") {
  const WordsFolder folder;
  const auto refused = [&](const Strings& words) { return folder.err(words); };
  CHECK(refused({"set", "a.npy[[1.5]]", "0"}) ==
        "tscatter: DATA[INDEX]: the value at [0] must fit int64 (an integer has no point, fraction "
        "or exponent), got 1.5 [json.f4]\n");
  CHECK(refused({"set", "a.npy[0]", "1e60"}) ==
        "tscatter: VALUES: the value must fit float32, got 1e60 [json.f4]\n");
  CHECK(refused({"set", "a.npy[isnam]", "0"}) ==
        "tscatter: isnam: DATA[INDEX] cannot be opened (nearest: isnan): no such file or directory "
        "[file.f1]\n");
  CHECK(refused({"set", "a.npy[0]]", "0"}) ==
        "tscatter: DATA[INDEX]: each bracket must be opened and closed once, got a.npy[0]] "
        "[cli.c131]\n");
  CHECK(refused({"get", "[[1, 2], [3, 4]]"}).ends_with("[...] [cli.c131]\n"));
  CHECK(refused({"get", "[1, 2][0][1]"}).ends_with(" [cli.c132]\n"));
}

TEST_CASE("a list has an index as a file has", "[app]") {
  const WordsFolder folder;
  CHECK(folder.left_by({"get", "[[1, 2], [3, 4]][:, 0]"}) == "[1,3]");
  CHECK(folder.left_by({"set", "[1, 2, 3][[0, -1]]", "5"}) == "[5,2,5]");
  CHECK(folder.left_by({"set", "3xi64=0[[0, 1]]", "[7, 8, 9][1:]"}) == "[8,9,0]");
}

TEST_CASE("verify and explain take a word, its data[index] and its values", "[app]") {
  const WordsFolder folder;
  REQUIRE(folder.err("add 'a.npy[[1, 1], 0]' 2 -o b.npy") == "");
  const Result legal = folder.run("verify add 'a.npy[[1, 1], 0]' 2 --actual b.npy");
  CHECK(legal.exit_code == 0);
  CHECK(legal.out.starts_with("legal: all 6 elements are as in order\n"));
  REQUIRE(folder.err("set 'b.npy[1, 0]' 5 --in-place") == "");
  const Result wrong = folder.run("verify add 'a.npy[[1, 1], 0]' 2 --actual b.npy");
  CHECK(wrong.exit_code == 1);
  CHECK_THAT(wrong.out, contains("\nwhy: without index[0], or without index[1]\n"));
  const Strings history = split_words("explain add 'a.npy[[1, 1], 0]' 2 --at 1,0");
  CHECK_THAT(folder.out(history), contains("\nindex[1]    updates "));
  CHECK(folder.run("explain ADD 'a.npy[[1, 1], 0]'").exit_code == 0);
  CHECK(folder.err("verify add a.npy[0] --actual b.npy") ==
        "tscatter: add: VALUES is missing: tscatter verify add DATA[INDEX] VALUES [cli.c3]\n");
  CHECK(folder.err("explain ad a.npy[0]") ==
        "tscatter: explain: the next word must be an operation (nearest: add), got ad [cli.c1]\n");
  CHECK_THAT(folder.out("verify set --help"),
             contains("usage: tscatter verify set [flags] DATA[INDEX] VALUES\n"));
  CHECK_THAT(folder.err("verify add a.npy[0] 1 -r sum"),
             contains("(see tscatter verify add --help)"));
  CHECK(
      folder.out("ops --diff add sub").starts_with("numpy.add.at and numpy.subtract.at differ in"));
}

TEST_CASE("nothing is greater or less than NaN, nor equal to it", "[app]") {
  const WordsFolder folder;
  for (const std::string sign : {"> ", ">= ", "< ", "<= ", "== "}) {
    for (const std::string data : {"special.npy", "a.npy", "3xi8=1,2,3", "2xf64=nan,1"}) {
      INFO(data << " " << sign);
      CHECK(folder.left_by({"get", data + "[" + sign + "nan]"}) == "[]");
    }
  }
  CHECK(folder.left_by({"get", "special.npy[~(> nan)]"}) ==
        R"(["NaN",1.0,"Infinity","-Infinity"])");
}

TEST_CASE("a list of true and false is a mask, one with numbers too is none", "[app]") {
  const WordsFolder folder;
  CHECK(folder.left_by({"get", "3xi64=1,2,3[[true, false, true]]"}) == "[1,3]");
  for (const std::string list : {"[true, 0, 1]", "[1, true, 0]"}) {
    const std::string refusal = folder.err({"get", "3xi64=1,2,3[" + list + "]"});
    CHECK_THAT(refusal, contains("must fit int64 ("));
    CHECK_THAT(refusal, contains("), got true [json.f4]"));
  }
}

TEST_CASE("cli.c132: an output has no index, but a new member may have brackets", "[app]") {
  const WordsFolder folder;
  folder.convert("a.npy", "m.safetensors:w");
  const std::string rule =
      ": an output must be a whole file or member (tscatter set 'DATA[INDEX]' VALUES --in-place "
      "writes at an index), got the view ";
  for (const std::string word : {"a.npy[1]", "b.npy[0]", "m.safetensors:w[0]"}) {
    CHECK(folder.err({"set", "a.npy[1]", "5", "-o", word}) ==
          "tscatter: --output" + rule + word + " [cli.c132]\n");
    CHECK(folder.err({"convert", "a.npy", word}).ends_with(rule + word + " [cli.c132]\n"));
  }
  CHECK(folder.err("convert a.npy m.safetensors:x[0]") == "");
  CHECK(folder.left_by({"get", "m.safetensors:x[0][0]"}) == "[0.0,1.0,2.0]");
}

TEST_CASE("the items of a job are texts, lists, numbers and null", "[app]") {
  const WordsFolder folder;
  const auto left = [&](const std::string& members) {
    const std::string job = R"({"op": "set", "updates": 9, )" + members + "}";
    const Result result = Command("run -").in(folder / ".").with_input(job).run();
    return result.exit_code == 0 ? json::parse(result.out).dump() : result.err;
  };
  const std::string last_row = "[[0.0,1.0,2.0],[9.0,9.0,9.0]]";
  CHECK(left(R"("data": "a.npy[[1, 1]]")") == last_row);
  CHECK(left(R"("data": "a.npy", "index": "[1], :")") == last_row);
  CHECK(left(R"("data": "a.npy", "index": [[1], ":"])") == last_row);
  CHECK(left(R"("data": "a.npy", "index": ["[1]", ":"])") == last_row);
  CHECK(left(R"("data": "a.npy", "index": 1)") == last_row);
  CHECK(left(R"("data": "a.npy", "index": [null, 1])") == last_row);
  CHECK(left(R"("data": [1, 2], "index": [])") == "[9,9]");
}

TEST_CASE("a number alone is a complex one without an imaginary part", "[app]") {
  const WordsFolder folder;
  CHECK(folder.left_by({"set", "2xc64=0[0]", "1.5"}) == "[[1.5,0.0],[0.0,0.0]]");
  CHECK(folder.left_by({"add", "2xc64=0[1]", "[1, 2]"}) == "[[0.0,0.0],[1.0,2.0]]");
}

}  // namespace tscatter
