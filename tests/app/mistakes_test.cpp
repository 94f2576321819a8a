// What messages say of values: mistakes in JSON, rules of operations, jobs.
#include <array>

#include "app/folder.hpp"
#include "app/wrong_lines.hpp"
#include "catch.hpp"

namespace tscatter {
namespace {

std::string no_json(const std::string& hint, const std::string& got) {
  return "TENSOR: the text must be JSON" + hint + ", got " + got + " [json.f1]";
}

const std::array json_mistakes{
    WrongLine{2, "show [1,nan]", no_json(" (NaN is written \"NaN\")", "nan at column 4")},
    WrongLine{2, "show [1,NaNs]",
              no_json(" (a string stands in double quotes)", "NaNs at column 4")},
    WrongLine{2, "show [1,+Infinity]",
              no_json(" (infinity is written \"Infinity\")", "+Infinity at column 4")},
    WrongLine{2, "show [1NaN]",
              no_json(" (a number is written like 10, 0.5 or -2e3)", "1NaN at column 2")},
    WrongLine{2, "show {NaN:[1]}", no_json(" (a key stands in double quotes)", "NaN at column 2")},
    WrongLine{2, "show [1,true:2]", no_json(" (a comma stands between values)", ": at column 8")},
    WrongLine{2, R"(show ["a)", no_json("", "a string without its closing quote at column 4")},
    WrongLine{
        2, R"(show ["\x"])",
        no_json("", "a backslash before a character that it cannot stand before at column 3")},
    WrongLine{2, R"(show ["\u12g4"])", no_json("", "a wrong \\u escape at column 3")},
    WrongLine{2, R"(show ["\ud83dx"])", no_json("", "half of a surrogate pair at column 3")},
    WrongLine{2, R"(show ["\ude00"])", no_json("", "half of a surrogate pair at column 3")},
    WrongLine{2, "show [1,-inf]",
              no_json(" (minus infinity is written \"-Infinity\")", "-inf at column 4")},
    WrongLine{2, "show [null]",
              "TENSOR: a value must be a number, true, false or a list (NaN is written \"NaN\"), "
              "got null [json.f2]"},
    WrongLine{2, R"(show ["nan"])",
              "TENSOR: a value must be a number, true, false or a list (NaN is written \"NaN\"), "
              "got \"nan\" [json.f2]"},
    WrongLine{2, "show [True]", no_json(" (it is written true)", "True at column 2")},
    WrongLine{2, "show [1,2,]", no_json(" (no comma follows the last value)", "] at column 6")},
    WrongLine{2, "show [1,,2]", no_json(" (a value is missing)", ", at column 4")},
    WrongLine{2, "show {'data':[1]}",
              no_json(" (strings and keys stand in double quotes)", "' at column 2")},
    WrongLine{2, "show {data:[1]}",
              no_json(" (a key stands in double quotes)", "data at column 2")},
    WrongLine{2, R"(show {"data"=[1]})",
              no_json(" (a colon stands between key and value)", "= at column 8")},
    WrongLine{2, R"(show {"data":})", no_json(" (a value is missing)", "} at column 9")},
    WrongLine{2, "show [(1,2)]", no_json(" (a list is written [1, 2])", "( at column 2")},
    WrongLine{2, "show [1;2]", no_json(" (a comma stands between values)", "; at column 3")},
    WrongLine{2, "show [1[2]]", no_json(" (a comma stands between values)", "[ at column 3")},
    WrongLine{2, "show [1}", no_json(" ([ is closed by ])", "} at column 3")},
    WrongLine{2, "show [1,2",
              no_json(" (a bracket is not closed)", "the end of the text at column 5")},
    WrongLine{2, "show [1]]", no_json(" (nothing follows the value)", "] at column 4")},
    WrongLine{4, "show rows.json",
              "rows.json: the text must be JSON (rows of numbers are read from a file that ends in "
              ".csv, .tsv or .txt, or as csv:FILE or csv:-), got 6 at line 2, column 1 [json.f1]"},
    WrongLine{4, "show row",
              "row: the text must be JSON (rows of numbers are read from a file that ends in .csv, "
              ".tsv or .txt, or as csv:FILE or csv:-), got , at column 2 [json.f1]"},
    WrongLine{2, "show [01]",
              no_json(" (a number is written like 10, 0.5 or -2e3)", "01 at column 2")},
    WrongLine{2, "show [.5]",
              no_json(" (a number is written like 10, 0.5 or -2e3)", ".5 at column 2")},
    WrongLine{2, "show [1,...,2]",
              no_json(" (the values of a shortened print are missing)", "... at column 4")},
    WrongLine{2, "show [1]#one", no_json(" (JSON has no comments)", "# at column 4")},
    WrongLine{2, "show [abc]", no_json(" (a string stands in double quotes)", "abc at column 2")},
};

const std::array rule_lines{
    WrongLine{5, "ScatterUpdate-3 -d 3xu8=0 -i 3xbool=1 -u 3xu8=1 -a 0",
              "scatter_update_3: indices must be of an integer dtype (numpy.setitem and its like "
              "take a mask), got bool [scatter_update_3.c5]"},
    WrongLine{2, "ScatterUpdate-3 -d 3xu8=0 -i [true,false,true] -u [1,1] -a 0",
              "--indices: the value at [0] must fit int64 (numpy.setitem and its like take a "
              "mask), got true [json.f4]"},
    WrongLine{5, "ScatterNDUpdate-15 -d 3xu8=0 -i 3x1xbool=1 -u 3xu8=1",
              "scatter_nd_update_15: indices must be int32 or int64 (numpy.setitem and its like "
              "take a mask), got bool [scatter_nd_update_15.c5]"},
    WrongLine{5, "ScatterUpdate-3 -d 9x3xf32=0 -i 0,1,2,3,4 -u [7] -a 0",
              "scatter_update_3: updates must have shape [5, 3] (data.shape[:axis] + indices.shape "
              "+ data.shape[axis+1:]) (a literal fills it with one value: 5x3xf32=VALUE), got [1] "
              "[scatter_update_3.c6]"},
    WrongLine{5, "ScatterUpdate-3 -d 9x3xf32=0 -i 0,1,2,3,4 -u 7,8,9 -a 0",
              "scatter_update_3: updates must have shape [5, 3] (data.shape[:axis] + indices.shape "
              "+ data.shape[axis+1:]) (np.broadcast_to(updates, [5, 3]) repeats them), got [3] "
              "[scatter_update_3.c6]"},
    WrongLine{5, "ScatterUpdate-3 -d 9x3xf32=0 -i 0,1,2,3,4 -u 7,8 -a 0",
              "scatter_update_3: updates must have shape [5, 3] (data.shape[:axis] + indices.shape "
              "+ data.shape[axis+1:]), got [2] [scatter_update_3.c6]"},
    WrongLine{
        5, "ScatterNDUpdate-15 -d 9xf32=0 -i [[0],[1]] -u 7",
        "scatter_nd_update_15: updates must have shape [2] (indices.shape[:-1] + data.shape[1:]) "
        "(a literal fills it with one value: 2xf32=VALUE), got [] [scatter_nd_update_15.c6]"},
    WrongLine{5, "ScatterNDUpdate-15 -d 3x2xu8=0 -i 0,1,2 -u 3x2xu8=1",
              "scatter_nd_update_15: the last dimension of indices must be at most 2, the rank of "
              "data (for row numbers use ScatterUpdate-3, or indices[:, None], of shape [3, 1]), "
              "got 3 [scatter_nd_update_15.c3]"},
    WrongLine{
        5, "ScatterNDUpdate-15 -d 3x2xu8=0 -i [0,1,2] -u 3x2xu8=1 -r add",
        "scatter_nd_update_15: the last dimension of indices must be at most 2, the rank of data "
        "(for row numbers use indices[:, None], of shape [3, 1]), got 3 [scatter_nd_update_15.c3]"},
    WrongLine{5, "ScatterNDUpdate-15 -d 3x2xu8=0 -i [[0,1,2]] -u 3x2xu8=1",
              "scatter_nd_update_15: the last dimension of indices must be at most 2, the rank of "
              "data, got 3 [scatter_nd_update_15.c3]"},
    WrongLine{5, "ScatterNDUpdate-15 -d 3x2xu8=0 -i 0,1 -u 2x2xu8=1",
              "scatter_nd_update_15: updates must have shape [] (indices.shape[:-1] + "
              "data.shape[2:]) (for row numbers use ScatterUpdate-3, or indices[:, None], of shape "
              "[2, 1]), got [2, 2] [scatter_nd_update_15.c6]"},
    WrongLine{5, "ScatterUpdate-3 -d 3xu8=0 -i [-1] -u [1] -a 0",
              "scatter_update_3: indices[0] must be in [0, 3) for data axis 0 (--negative "
              "from-the-end counts it from the end), got -1 [scatter_update_3.c4]"},
    WrongLine{5, "ScatterUpdate-3 -d 3xu8=0 -i [-4] -u [1] -a 0",
              "scatter_update_3: indices[0] must be in [0, 3) for data axis 0, got -4 "
              "[scatter_update_3.c4]"},
    WrongLine{5, "ScatterUpdate-3 -d 3xu8=0 -i [3] -u [1] -a 0",
              "scatter_update_3: indices[0] must be in [0, 3) for data axis 0, got 3 "
              "[scatter_update_3.c4]"},
    WrongLine{5, "ScatterUpdate-3 -d v2.npy -i [0] -u 1xf32=1 -a 0",
              "scatter_update_3: updates must have data's dtype |V2 (if it is bfloat16: --dtype "
              "bfloat16), got float32 [scatter_update_3.c7]"},
    WrongLine{5, "ScatterUpdate-3 -d 2xu16=0 -i [0] -u 1xbf16=1 -a 0",
              "scatter_update_3: updates must have data's dtype uint16 (if it is bfloat16: --dtype "
              "bfloat16), got bfloat16 [scatter_update_3.c7]"},
    WrongLine{
        5, "ScatterUpdate-3 -d 2xu16=0 -i [0] -u 1xi32=1 -a 0",
        "scatter_update_3: updates must have data's dtype uint16, got int32 [scatter_update_3.c7]"},
    WrongLine{5, "ScatterNDUpdate-15 -d v2.npy -i [[0]] -u v2.npy -r sum",
              "scatter_nd_update_15: updates must have shape [1] (indices.shape[:-1] + "
              "data.shape[1:]), got [2] [scatter_nd_update_15.c6]"},
    WrongLine{5, "ScatterNDUpdate-15 -d v2.npy -i [[0],[1]] -u v2.npy -r sum",
              "scatter_nd_update_15: reduction must be none for |V2 (if it is bfloat16: --dtype "
              "bfloat16), got sum [scatter_nd_update_15.c8]"},
};

std::string refused_job(int exit_code, const std::string& text) {
  return refusal_of(exit_code, Command("run -").with_input(text));
}

std::string job_with(const std::string& data) {
  return R"({"op": "ScatterUpdate-3", "data": )" + data +
         R"(, "indices": [0], "updates": [1], "axis": 0})";
}

}  // namespace

TEST_CASE("json.f1: what is wrong with JSON is said in words", "[app]") {
  check_lines(json_mistakes);
}

TEST_CASE("a broken rule names what does it", "[app]") { check_lines(rule_lines); }

TEST_CASE("a job's mistakes are answered with the next step", "[app]") {
  CHECK(refused_job(3, job_with("\"3xu8=0\"")) ==
        "3xu8=0: data cannot be opened (a job has no literals: write {\"dtype\": \"float32\", "
        "\"data\": [1, 2]}): no such file or directory [file.f1]");
  CHECK(refused_job(3, job_with("\"[1, 2]\"")) ==
        "[1, 2]: data cannot be opened (a value stands without quotes): no such file or directory "
        "[file.f1]");
  CHECK(refused_job(2, job_with("[1, nan]")) ==
        "<stdin>: a job must be a JSON object (NaN is written \"NaN\"), got nan at column 39 "
        "[job.j1]");
  CHECK(refused_job(2, "{\"op\": \"show\",\n}") ==
        "<stdin>: a job must be a JSON object (no comma follows the last value), got } at line 2, "
        "column 1 [job.j1]");
  CHECK(refused_job(2, R"({"op": "ScatterUpdate-3", "reduction": "sum"})") ==
        "<stdin>: ScatterUpdate-3 has no key reduction (ScatterNDUpdate-15 has it) [job.j2]");
  CHECK(refused_job(2, R"({"op": "SliceScatter-15", "end": 1})") ==
        "<stdin>: SliceScatter-15 has no key end (use stop) [job.j2]");
  CHECK(refused_job(2, R"({"op": "qqqqqqqqqq"})") ==
        "<stdin>: op must be an operation (see tscatter ops), got qqqqqqqqqq [job.j3]");
}

TEST_CASE("cli.c130: a number follows a sign, and a mask ~", "[app]") {
  CHECK(refusal_of(2, "get 3xf32=0[~]") == "DATA[INDEX]: a mask must follow ~ [cli.c130]");
  CHECK(refusal_of(2, "get '3xf32=0[< ]'") == "DATA[INDEX]: a number must follow < [cli.c130]");
  CHECK(refusal_of(2, "get '3xf32=0[>= x]'") ==
        "DATA[INDEX]: a number must follow >=, got x [cli.c130]");
}

TEST_CASE("cli.c130: an item has one condition, in our words", "[app]") {
  const Folder folder;
  folder.put("mask.npy", "");
  const auto refused = [&](const std::string& item) {
    return folder.refused(2, {"set", "3xf32=0[" + item + "]", "1"});
  };
  const std::string rule = "DATA[INDEX]: an item has one condition, got ";
  const std::string hint =
      " (for several make the mask in NumPy and pass its file: 'w.npy[mask.npy]') [cli.c130]";
  for (const char* item : {"> 0 & < 1", "0 < x.npy < 1", "(> 0) | (< -1)", "> 0 & mask.npy"})
    CHECK(refused(item) == rule + item + hint);
  CHECK(refused("(> 0)") ==
        "DATA[INDEX]: a condition has no parentheses: > 0, got (> 0) [cli.c130]");
  CHECK(refused("np.isnan(w.npy)") ==
        "DATA[INDEX]: write isnan(w.npy) without np., got np.isnan(w.npy) (isnan alone asks data "
        "itself) [cli.c130]");
  CHECK(refused("!mask.npy") ==
        "DATA[INDEX]: a mask is inverted with ~: ~mask.npy, got !mask.npy [cli.c130]");
  CHECK(refused("-mask.npy") ==
        "DATA[INDEX]: a mask is inverted with ~: ~mask.npy, got -mask.npy [cli.c130]");
  CHECK(refused("!isnan") ==
        "DATA[INDEX]: a mask is inverted with ~: ~isnan, got !isnan [cli.c130]");
  CHECK(output_of("set '3xf32=0[~(> 0)]' 1") == "[1.0, 1.0, 1.0]\n");
  CHECK(output_of("set '3xf32=2[!= 0]' 1") == "[1.0, 1.0, 1.0]\n");
}

TEST_CASE("cli.c131: an index follows the tensor", "[app]") {
  CHECK(refusal_of(2, "set 3xf32=0 1") ==
        "DATA[INDEX]: an index is missing, as in 3xf32=0[ids.npy] or 3xf32=0[...] [cli.c131]");
  CHECK(
      refusal_of(2, "get z.npz") ==
      "DATA[INDEX]: an index is missing, as in z.npz:NAME[ids.npy] or z.npz:NAME[...] [cli.c131]");
  for (const std::string word : {"q.npy[0", "q.npy0]", "q.npy[0]]"}) {
    CHECK(refusal_of(2, {"set", word, "1"}) ==
          "DATA[INDEX]: each bracket must be opened and closed once, got " + word + " [cli.c131]");
  }
}

TEST_CASE("view.m1: a mask asks what has a meaning for the dtype", "[app]") {
  CHECK(refusal_of(2, "get 3xf32=0[~3xf32=0]") ==
        "~3xf32=0: the mask must be computed from a mask of dtype bool, got one about float32 "
        "[view.m1]");
  CHECK(refusal_of(2, "get '3xc64=0[< 3]'") ==
        "< 3: the mask must be about elements whose dtype has that test, got one about complex64 "
        "[view.m1]");
  CHECK(output_of("get '3xf32=0[< 3]'") == "[0.0, 0.0, 0.0]\n");
}

}  // namespace tscatter
