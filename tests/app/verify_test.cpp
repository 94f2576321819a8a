// tscatter verify: reports, exit codes, refusals.
#include <filesystem>
#include <nlohmann/json.hpp>

#include "app/folder.hpp"
#include "catch.hpp"

namespace tscatter {
namespace {

using nlohmann::json;

const std::string data = R"({"dtype": "f32", "data": [[1, 2], [3, 4], [5, 6], [7, 8]]})";
const std::string indices = "[[1], [1], [3], [1]]";
const std::string updates = "[[0.1, 1e8], [1, 1], [2, 2], [3, -1e8]]";

Strings sum_command(const std::string& actual, const Strings& flags = {}) {
  return with_more({"verify", "ScatterNDUpdate-15", "-d", data, "-i", indices, "-u", updates, "-r",
                    "sum", "--actual", actual},
                   flags);
}

Strings overwrite_command(const std::string& actual, const Strings& flags = {}) {
  return with_more({"verify", "ScatterNDUpdate-15", "-d", "[[1, 2], [3, 4], [5, 6]]", "-i",
                    "[[1], [1], [0]]", "-u", "[[7, 8], [9, 10], [0, 0]]", "--actual", actual},
                   flags);
}

std::string not_legal(const Strings& arguments) {
  const Result result = tscatter_run(arguments);
  CHECK(result.exit_code == 1);
  CHECK(result.err.empty());
  return result.out;
}

std::string verdict_line(const std::string& text) { return text.substr(0, text.find('\n') + 1); }

json json_of(Strings arguments, int exit_code) {
  arguments.emplace_back("--json");
  const Result result = tscatter_run(arguments);
  CHECK(result.exit_code == exit_code);
  CHECK(result.err.empty());
  CHECK(result.out.find('\n') == result.out.size() - 1);
  return json::parse(result.out);
}

}  // namespace

TEST_CASE("verify of our own result", "[app]") {
  CHECK(output_of(sum_command("[[1, 2], [7.1, 0], [5, 6], [9, 10]]")) ==
        "legal: all 8 elements are as in order\n"
        "\n"
        "op         ScatterNDUpdate-15\n"
        "reduction  sum\n"
        "dtype      float32\n"
        "shape      [4, 2]\n"
        "\n"
        "class      elements\n"
        "untouched         4  50 %\n"
        "in-order          4  50 %\n");
}

TEST_CASE("verify names the order that explains an element, and the bound that does", "[app]") {
  CHECK(output_of(sum_command("[[1, 2], [7.1000004, 8], [5, 6], [9, 10]]")) ==
        R"(legal: 8 elements, of them 1 reordered, 1 rounded, the largest error 0.53 of its bound

op         ScatterNDUpdate-15
reduction  sum
dtype      float32
shape      [4, 2]

class      elements
untouched         4  50 %
in-order          2  25 %
reordered         1  12.5 %
rounded           1  12.5 %

rounded, within the bound of  elements
one accumulator                      1
largest error: 0.53 of its bound, at [1, 0]: got 7.1000004, in order 7.1

not in order  class            got  in order  of its bound
[1, 0]        rounded    7.1000004       7.1          0.53
[1, 1]        reordered        8.0       0.0

[1, 0]: got 7.1000004
writer                     value  after it
data                         3.0
indices[0]  updates[0, 0]    0.1       3.1
indices[1]  updates[1, 0]    1.0       4.1
indices[3]  updates[3, 0]    3.0       7.1

[1, 1]: got 8.0
writer                      value  after it
data                          4.0
indices[0]  updates[0, 1]   1e+08     1e+08
indices[1]  updates[1, 1]     1.0     1e+08
indices[3]  updates[3, 1]  -1e+08       0.0
left by the order indices[1], indices[0], indices[3]
)");
}

TEST_CASE("verify lists the worst with their writers", "[app]") {
  CHECK(not_legal(sum_command("[[1, 2.5], [7.1, 0], [5, 6], [9, 10.5]]")) ==
        R"(not legal: 2 of 8 elements are wrong, worst at [0, 1]: got 2.5, in order 2.0
why: no explanation was found

op         ScatterNDUpdate-15
reduction  sum
dtype      float32
shape      [4, 2]

class      elements
untouched         3  37.5 %
in-order          3  37.5 %
wrong             2  25 %

they lie in [0, 1] to [3, 1]

axis 0 index  elements
0                    1  50 %
3                    1  50 %

worst   class   got  in order  of its bound
[0, 1]  wrong   2.5       2.0    exact only
[3, 1]  wrong  10.5      10.0    exact only

[0, 1]: no update reaches it, 2.0 in data

[3, 1]: got 10.5
writer                     value  after it
data                         8.0
indices[2]  updates[2, 1]    2.0      10.0
)");
  CHECK(verdict_line(
            not_legal(sum_command("[[1, 2.5], [7.1, 0], [5, 6], [9, 10.5]]", {"--worst", "0"}))) ==
        "not legal: 2 of 8 elements are wrong\n");
}

TEST_CASE("verify of a torn block names what each writer explains", "[app]") {
  CHECK(
      not_legal(overwrite_command("[[0, 0], [7, 10], [5, 6]]")) ==
      R"(not legal: 2 of 6 elements are torn (2 would be legal with --blocks mixed), first at [1, 0]: got 7, in order 9

op     ScatterNDUpdate-15
dtype  int64
shape  [3, 2]

class      elements
untouched         2  33.3 %
in-order          2  33.3 %
torn              2  33.3 %

torn block at [1, 0], 2 writers
writer      explains  of 2 elements
indices[0]         1
indices[1]         1

worst   class  got  in order
[1, 0]  torn     7         9

[1, 0]: got 7
writer                     value  after it
data                           3
indices[0]  updates[0, 0]      7         7
indices[1]  updates[1, 0]      9         9
)");
}

TEST_CASE("verify --blocks mixed: each element may have a writer of its own", "[app]") {
  const std::string report =
      output_of(overwrite_command("[[0, 0], [7, 10], [5, 6]]", {"--blocks", "mixed"}));
  CHECK(verdict_line(report) == "legal: 6 elements, of them 2 reordered\n");
  CHECK_THAT(report, contains("[1, 0]        reordered    7         9\n"));
  CHECK(report.ends_with("left where indices[0] is the last\n"));
  CHECK(not_legal(overwrite_command("[[0, 0], [7, 11], [5, 6]]", {"--blocks", "mixed"}))
            .starts_with(
                "not legal: 1 of 6 elements is wrong, worst at [1, 1]: got 11, in order 10"));
}

TEST_CASE("verify of a whole block of an earlier writer", "[app]") {
  CHECK(output_of(overwrite_command("[[0, 0], [7, 8], [5, 6]]")) ==
        R"(legal: 6 elements, of them 2 reordered

op     ScatterNDUpdate-15
dtype  int64
shape  [3, 2]

class      elements
untouched         2  33.3 %
in-order          2  33.3 %
reordered         2  33.3 %

not in order  class      got  in order
[1, 0]        reordered    7         9

[1, 0]: got 7
writer                     value  after it
data                           3
indices[0]  updates[0, 0]      7         7
indices[1]  updates[1, 0]      9         9
left where indices[0] is the last
)");
}

TEST_CASE("verify: a wrong element does not tear its block", "[app]") {
  CHECK(verdict_line(not_legal(overwrite_command("[[0, 0], [7, 77], [5, 6]]"))) ==
        "not legal: 1 of 6 elements is wrong, worst at [1, 1]: got 77, in order 10\n");
  CHECK(json_of(overwrite_command("[[0, 0], [7, 77], [5, 6]]"), 1)["classes"] ==
        json{{"untouched", 2},
             {"in-order", 2},
             {"reordered", 1},
             {"rounded", 0},
             {"torn", 0},
             {"wrong", 1}});
}

TEST_CASE("verify of a slice", "[app]") {
  CHECK(not_legal(split_words("verify SliceScatter-15 -d '[1, 2, 3, 4]' -u '[9, 8]' --start 0 "
                              "--stop 4 --step 2 --actual '[9, 2, 7, 5]'")) ==
        R"(not legal: 2 of 4 elements are wrong, worst at [2]: got 7, in order 8
why: no explanation was found

op     SliceScatter-15
dtype  int64
shape  [4]

class      elements
untouched         1  25 %
in-order          1  25 %
wrong             2  50 %

they lie in [2] to [3]

axis 0 index  elements
2                    1  50 %
3                    1  50 %

worst  class  got  in order
[2]    wrong    7         8
[3]    wrong    5         4

[2]: got 7
writer              value  after it
data                    3
        updates[1]      8         8

[3]: no update reaches it, 4 in data
)");
}

TEST_CASE("verify: a slice, a lost range and bits of another sign are named", "[app]") {
  const auto why = [](const std::string& call) {
    const Result result = tscatter_run(split_words("verify " + call));
    CHECK(result.exit_code == 1);
    const std::size_t begin = result.out.find("why: ");
    return result.out.substr(begin, result.out.find('\n', begin) - begin);
  };
  const std::string section = "torch.slice_scatter --dim 0 -d 6xf32=10,11,12,13,14,15 -u [1,2,3] ";
  CHECK(why(section + "--start 0 --end 6 --step 2 --actual 6xf32=1,2,3,13,14,15") ==
        "why: the step along axis 0 not heeded");
  CHECK(why(section + "--start 1 --end 4 --actual 6xf32=10,11,1,2,3,15") ==
        "why: the slice off by +1 along axis 0");
  CHECK(why("set 2x5xf32=0[...,4:0:-2] [7,8] --actual [[0,0,0,8,7],[0,0,0,8,7]]") ==
        "why: the step along axis 1 not heeded");
  CHECK(why("set 2x3xi32=0[0:1,-9:-9:-1] 1x0xi32= --actual [[1,0,0],[0,0,0]]") ==
        "why: no explanation was found");
  CHECK(why("tf.tensor_scatter_nd_min -d 3xi32=5,6,7 -i [[0],[1],[2],[2]] -u 4xi32=-3,4,-9,2 "
            "--actual 3xi32=5,4,2") ==
        "why: computed as if the bits were uint32, or computed as if the bits were float32");
  // Of 12 entries those from 4 to 8 are lost.
  CHECK(why("add 3xi32=0[[0,1,2,0,1,2,0,1,2,0,1,2]] [1,1,1,2,2,2,2,2,2,3,3,3] --actual [6,4,4]") ==
        "why: without index[4] to index[8]");
  const std::string rows = "set 2x3xi32=0[[1,0]] [[1,2,3],[4,5,6]] --actual ";
  CHECK(why(rows + "[[2,4,6],[1,3,5]]") == "why: updates read in the other memory order");
  CHECK(why(rows + "[[5,3,6],[1,4,2]]") == "why: updates stored in the other memory order");
}

TEST_CASE("verify: another dtype or shape is not legal", "[app]") {
  CHECK(not_legal(overwrite_command("[[0, 0], [9, 10]]")) ==
        "not legal: shape differs: got [2, 2], expected [3, 2]\n");
  CHECK(not_legal(overwrite_command("3x2xf32=1")) ==
        "not legal: dtype differs: got float32, expected int64\n");
  CHECK(tscatter_run("verify ScatterNDUpdate-15 -d 2xf32=1 -i [[0]] -u [5] --actual 2xf16=1").out ==
        "not legal: dtype differs: got float16, expected float32\n"
        "what was computed in float16 is judged in float16: tscatter convert IN OUT --to float16, "
        "of data and of updates\n");
  const json report = json_of(overwrite_command("[[0, 0], [9, 10]]"), 1);
  CHECK(report["legal"] == false);
  CHECK(report["elements"] == 0);
  CHECK(report["shape"] == json{{"actual", {2, 2}}, {"expected", {3, 2}}});
}

TEST_CASE("verify --json", "[app]") {
  const json legal = json_of(overwrite_command("[[0, 0], [9, 10], [5, 6]]"), 0);
  for (const char* key :
       {"op", "reduction", "elements", "classes", "largest_share", "legal", "worst"})
    CHECK(legal.contains(key));
  CHECK(legal["op"] == "ScatterNDUpdate-15");
  CHECK(legal["reduction"] == "none");
  CHECK(legal["legal"] == true);
  CHECK(legal["elements"] == 6);
  CHECK(legal["largest_share"] == 0.0);
  CHECK(legal["worst"] == json::array());

  const json torn = json_of(overwrite_command("[[0, 0], [7, 10], [5, 6]]"), 1);
  CHECK(torn["torn"] ==
        json::parse(R"([{"position": [1, 0], "elements": 2, "writers": 2, "best_writers":
          [{"entry": [0], "explained": 1}, {"entry": [1], "explained": 1}]}])"));
  CHECK(torn["worst"][0]["class"] == "torn");
  CHECK(torn["worst"][0]["position"] == json{1, 0});
  CHECK(torn["worst"][0]["writers"] == 2);
  CHECK(torn["worst"][0]["history"][1] ==
        json::parse(R"({"writer": 1, "entry": [1], "update": [1, 0], "value": 9, "after": 9})"));

  const json rounded = json_of(sum_command("[[1, 2], [7.1000004, 8], [5, 6], [9, 10]]"), 0);
  CHECK(rounded["classes"]["reordered"] == 1);
  CHECK(rounded["classes"]["rounded"] == 1);
  CHECK(rounded["rounded_by"]["one accumulator"] == 1);
  CHECK(rounded["hidden_updates"] == 0);
  CHECK(rounded["largest_share"].get<double>() > 0);
  CHECK(rounded["largest_share"].get<double>() <= 1);
  CHECK(rounded["worst"][1]["order"].size() == 3);
}

TEST_CASE("verify --nan says which policy would make NaN legal", "[app]") {
  const auto maximum = [](const std::string& actual, const Strings& flags) {
    Strings words = with_more(
        {"verify", "ScatterNDUpdate-15", "-d", R"({"dtype":"f32","data":[1,2,"NaN"]})", "-i",
         "[[0], [2]]", "-u", R"(["NaN", 5])", "-r", "max", "--worst", "0", "--actual", actual},
        flags);
    return tscatter_run(words);
  };
  CHECK(maximum(R"([1, 2, "NaN"])", {}).exit_code == 0);
  const std::string both = R"(["NaN", 2, 5])";
  CHECK(verdict_line(maximum(both, {}).out) ==
        "not legal: 2 of 3 elements are wrong (2 would be legal with --nan any)\n");
  CHECK(verdict_line(maximum(both, {"--nan", "ignore"}).out) ==
        "not legal: 1 of 3 elements is wrong (1 would be legal with --nan propagate)\n");
  CHECK(verdict_line(maximum(both, {"--nan", "propagate"}).out) ==
        "not legal: 1 of 3 elements is wrong (1 would be legal with --nan ignore)\n");
  CHECK(maximum(both, {"--nan", "any"}).exit_code == 0);
}

TEST_CASE("verify --ftz takes flushed subnormal numbers", "[app]") {
  const auto sum = [](const Strings& flags) {
    Strings words = with_more(split_words("verify ScatterNDUpdate-15 -d 1xf32=1e-39 -i [[0]] -u "
                                          "[1e-39] -r sum --worst 0 --actual [0]"),
                              flags);
    return tscatter_run(words);
  };
  const std::string out = sum({}).out;
  CHECK(verdict_line(out) == "not legal: 1 of 1 element is wrong (1 would be legal with --ftz)\n");
  CHECK_THAT(out, contains("\nwhy: subnormal numbers flushed to zero, or "));
  CHECK(sum({"--ftz"}).exit_code == 0);
}

TEST_CASE("verify --nan-bits and --zeros take other bits", "[app]") {
  const Folder folder;
  const std::string payload("\x34\x12\xc0\x7f", 4);
  folder.put("u.npy", npy_file("{'descr': '<f4', 'fortran_order': False, 'shape': (2,)}",
                               payload + std::string("\0\0\0\x80", 4)));
  const auto moved = [&](Strings flags) {
    Strings words = with_more({"verify", "ScatterUpdate-3", "-d", "3xf32=1", "-i", "[0, 2]", "-u",
                               "u.npy", "-a", "0", "--worst", "1", "--actual", R"(["NaN", 1, 0])"},
                              flags);
    return folder.run(words);
  };
  const std::string kept = moved({}).out;
  CHECK(verdict_line(kept) ==
        "not legal: 2 of 3 elements are wrong (1 would be legal with --nan-bits any, 1 would be "
        "legal with --zeros any), worst at [0]: got NaN 0x7fc00000, in order NaN 0x7fc01234\n");
  CHECK(moved({"--nan-bits", "kept", "--zeros", "kept"}).out == kept);
  CHECK(verdict_line(moved({"--nan-bits", "any"}).out) ==
        "not legal: 1 of 3 elements is wrong (1 would be legal with --zeros any), worst at [2]: "
        "got 0.0, in order -0.0\n");
  CHECK(moved({"--nan-bits", "any", "--zeros", "any"}).exit_code == 0);
  CHECK_THAT(moved({"--nan-bits", "any", "--zeros", "any"}).out,
             contains("\nrounded, within the bound of  elements\n"
                      "other nan                            1\n"
                      "other zero                           1\n"));
  const json report = json::parse(moved({"--json"}).out);
  CHECK(report["worst"][0]["explanation"] == "other nan");
  CHECK(report["rounded_by"]["other zero"] == 0);
  CHECK_FALSE(report.contains("variants"));
}

TEST_CASE("verify reads actual of other memory and byte order, and records as bfloat16", "[app]") {
  const TemporaryDirectory directory;
  CHECK(tscatter_run("verify ScatterUpdate-3 -d 2x2xf32=1,2,3,4 -i [1] -u '[[5, 6]]' -a 0 --actual "
                     "'[[1, 2], [5, 6]]'")
            .exit_code == 0);
  const Result stdin_result =
      Command("verify ScatterUpdate-3 -d 2x2xf32=1,2,3,4 -i [1] -u '[[5, 6]]' -a 0 --actual -")
          .with_input("[[1, 2], [5, 6]]")
          .run();
  CHECK(stdin_result.exit_code == 0);
  CHECK(tscatter_run("verify ScatterUpdate-3 -d 2xbf16=1 -i [1] -u [5] -a 0 --actual 2xbf16=1,5")
            .exit_code == 0);
}

TEST_CASE("cli.c50: verify wants the result that is verified", "[app]") {
  CHECK(refusal_of(2, "verify ScatterNDUpdate-15 -d [1] -i [[0]] -u [1]") ==
        "--actual: must name the result to verify [cli.c50]");
}

TEST_CASE("verify: refusals", "[app]") {
  CHECK(refusal_of(2, {"verify"}) ==
        "verify: an operation is missing (tscatter ops lists them) [cli.c3]");
  CHECK(
      refusal_of(2, "verify ScatterNDUpdate-15") ==
      "ScatterNDUpdate-15: --data TENSOR, --indices TENSOR, --updates TENSOR are missing [cli.c3]");
  CHECK(refusal_of(2, overwrite_command("[]", {"--nan", "tex"})) ==
        "--nan: must be one of text, propagate, ignore, any (nearest: text), got tex [cli.c4]");
  CHECK(refusal_of(2, overwrite_command("[]", {"--nan-bits", "all"})) ==
        "--nan-bits: must be one of kept, any, got all [cli.c4]");
  CHECK(refusal_of(2, overwrite_command("[]", {"--zeros", "text"})) ==
        "--zeros: must be one of kept, any, got text [cli.c4]");
  CHECK(refusal_of(2, overwrite_command("[]", {"--worst", "10001"})) ==
        "--worst: must be an integer from 0 to 10000, got 10001 [cli.c20]");
  CHECK(refusal_of(3, overwrite_command("lost.npy")) ==
        "lost.npy: --actual cannot be opened (for values see tscatter help operands): no such file "
        "or directory [file.f1]");
  CHECK(refusal_of(2, "verify ScatterNDUpdate-15 -d - -i [[0]] -u [1] --actual -") ==
        "--actual: only one operand can be read from stdin, got a second - [cli.c6]");
  CHECK(refusal_of(5, "verify ScatterNDUpdate-15 -d [1] -i [[1]] -u [1] --actual '[1, 2]'") ==
        "scatter_nd_update_15: indices[0, 0] must be in [-1, 1) for data axis 0, got 1 "
        "[scatter_nd_update_15.c4]");
}

}  // namespace tscatter
