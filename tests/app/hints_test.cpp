// What messages propose: the next step after a wrong command line.
#include <array>
#include <sstream>

#include "app/process.hpp"
#include "catch.hpp"
#include "io/files.hpp"

namespace tscatter {
namespace {

// What a user may write, words separated by spaces, and all of the message.
struct WrongLine {
  int exit_code;
  const char* words;
  std::string message;
};

std::string first_word(const std::string& hint, const std::string& word) {
  return "command line: the first word must be a command or an operation (" + hint + "), got " +
         word + " [cli.c1]";
}

std::string flag(const std::string& command, const std::string& hint, const std::string& name) {
  return command + ": a flag must be one that the command has (" + hint + "), got " + name +
         " [cli.c2]";
}

std::string reduction(const std::string& hint, const std::string& word) {
  return "-r: must be one of none, sum, sub, prod, min, max" + hint + ", got " + word + " [cli.c4]";
}

std::string dtype(const std::string& hint, const std::string& word) {
  return "--dtype: must be the name of a numeric dtype (" + hint + "), got " + word + " [cli.c4]";
}

std::string missing(const std::string& file, const std::string& rule) {
  return file + ": " + rule + ", got no such file or directory [file.f1]";
}

std::string no_json(const std::string& hint, const std::string& got) {
  return "TENSOR: the text must be JSON" + hint + ", got " + got + " [json.f1]";
}

const std::array word_lines{
    WrongLine{2, "diff a.npy b.npy", first_word("use compare", "diff")},
    WrongLine{2, "info x.npy", first_word("use show", "info")},
    WrongLine{2, "cat x.npy", first_word("use show", "cat")},
    WrongLine{2, "list", first_word("use ops", "list")},
    WrongLine{2, "version", first_word("nearest: --version", "version")},
    WrongLine{2, "test cases.jsonl", first_word("use batch", "test")},
    WrongLine{2, "undo x.npy", first_word("use recover", "undo")},
    WrongLine{2, "check x.npy", first_word("use verify", "check")},
    WrongLine{2, "random", first_word("use generate", "random")},
    WrongLine{2, "''", first_word("see tscatter --help", "an empty one")},
    WrongLine{2, "or", first_word("see tscatter --help", "or")},
    WrongLine{2, "bat", first_word("nearest: batch", "bat")},
    WrongLine{2, "vat", first_word("see tscatter --help", "vat")},
    WrongLine{2, "shwo x.npy", first_word("nearest: show", "shwo")},
    WrongLine{2, "qqqqqqqqqq", first_word("see tscatter --help", "qqqqqqqqqq")},
    WrongLine{2, "ScatterElements",
              first_word("nearest: onnx.ScatterElements-18", "ScatterElements")},
    WrongLine{2, "torch.scatter_add",
              first_word("use ScatterElementsUpdate-12 -r sum", "torch.scatter_add")},
    WrongLine{2, "ov.ScatterElements",
              first_word("nearest: ScatterElementsUpdate-12", "ov.ScatterElements")},
    WrongLine{2, "openvino.ScatterND",
              first_word("nearest: ScatterNDUpdate-15", "openvino.ScatterND")},
    WrongLine{2, "onnx.scatter_add",
              first_word("use onnx.ScatterElements-18 -r add", "onnx.scatter_add")},
    WrongLine{2, "onnx.index_add", first_word("use onnx.ScatterND-18 -r add", "onnx.index_add")},
    WrongLine{2, "onnx.tensor_scatter_nd_sub",
              first_word("use ScatterNDUpdate-15 -r sub", "onnx.tensor_scatter_nd_sub")},
    WrongLine{2, "onnx.ScatterNDUpdate",
              first_word("nearest: onnx.ScatterND-18", "onnx.ScatterNDUpdate")},
    WrongLine{2, "ov.TensorScatter",
              first_word("nearest: onnx.TensorScatter-24", "ov.TensorScatter")},
    WrongLine{2, "put_along_axis", first_word("use ScatterElementsUpdate-12", "put_along_axis")},
    WrongLine{2, "torch.scatter_reduce",
              first_word("use ScatterElementsUpdate-12", "torch.scatter_reduce")},
    WrongLine{2, "torch.index_add", first_word("use ScatterNDUpdate-15 -r sum", "torch.index_add")},
    WrongLine{2, "tensor_scatter_nd_add",
              first_word("use ScatterNDUpdate-15 -r sum", "tensor_scatter_nd_add")},
    WrongLine{2, "index_put", first_word("use ScatterNDUpdate-15", "index_put")},
    WrongLine{2, "ScatterND", first_word("nearest: onnx.ScatterND-18", "ScatterND")},
    WrongLine{2, "scatter_nd_17", first_word("nearest: onnx.ScatterND-16", "scatter_nd_17")},
    WrongLine{2, "tf.scatter_nd", first_word("nearest: onnx.ScatterND-18", "tf.scatter_nd")},
    WrongLine{2, "onnx.ScatterND-9",
              first_word("nearest: onnx.ScatterND-11, onnx.ScatterND-13, onnx.ScatterND-16, "
                         "onnx.ScatterND-18",
                         "onnx.ScatterND-9")},
    WrongLine{2, "onnx.ScatterElementsUpdate-12",
              first_word("nearest: ScatterElementsUpdate-12", "onnx.ScatterElementsUpdate-12")},
    WrongLine{2, "tosa.ScatterND", first_word("nearest: onnx.ScatterND-18", "tosa.ScatterND")},
    WrongLine{2, "openvino.tensorscatter",
              first_word("nearest: onnx.TensorScatter-24", "openvino.tensorscatter")},
    WrongLine{2, "onnx.slice_scatter",
              first_word("nearest: SliceScatter-15", "onnx.slice_scatter")},
    WrongLine{2, "onnx.ScaterND-18", first_word("nearest: onnx.ScatterND-18", "onnx.ScaterND-18")},
    WrongLine{2, "ScatterNDUpdate-7",
              first_word("nearest: ScatterNDUpdate-3, ScatterNDUpdate-4, ScatterNDUpdate-15",
                         "ScatterNDUpdate-7")},
    WrongLine{2, "ov.ScatterNDUpdat-15",
              first_word("nearest: ScatterNDUpdate-15", "ov.ScatterNDUpdat-15")},
    WrongLine{2, "verify qqqqqqqqqq",
              "verify: the next word must be an operation (see tscatter ops), got qqqqqqqqqq "
              "[cli.c1]"},
    WrongLine{2, "ops index_copy",
              "ops: must be an operation (use ScatterUpdate-3), got index_copy [cli.c9]"},
    WrongLine{
        2, "ops --diff ScatterND ScatterUpdat",
        "ops: must be operations, got ScatterND (nearest: onnx.ScatterND-18) and ScatterUpdat "
        "(nearest: ScatterUpdate-3) [cli.c9]"},
    WrongLine{2, "ops --diff ScatterND ScatterUpdate",
              "ops: must be an operation (nearest: onnx.ScatterND-18), got ScatterND [cli.c9]"},
    WrongLine{2, "ops --diff ScatterUpdate qqqqqqqqqq",
              "ops: must be an operation (see tscatter ops), got qqqqqqqqqq [cli.c9]"},
    WrongLine{2, "ops --rule onnx.scater_nd_18.c4",
              "--rule: must be the label of a rule (nearest: onnx.scatter_nd_18.c4), got "
              "onnx.scater_nd_18.c4 [cli.c8]"},
    WrongLine{2, "ops --rule qqqqqqqqqq",
              "--rule: must be the label of a rule (see tscatter help rules), got qqqqqqqqqq "
              "[cli.c8]"},
    WrongLine{2, "help qqqqqqqqqq",
              "help: must be a command or a topic (see tscatter help), got qqqqqqqqqq [cli.c9]"},
};

const std::array flag_lines{
    WrongLine{2, "-V", flag("tscatter", "use --version", "-V")},
    WrongLine{2, "--qqqqqqqqqq", flag("tscatter", "see tscatter --help", "--qqqqqqqqqq")},
    WrongLine{2, "ScatterUpdate-3 --index [0]",
              flag("ScatterUpdate-3", "use --indices", "--index")},
    WrongLine{2, "ScatterUpdate-3 --src [0]", flag("ScatterUpdate-3", "use --updates", "--src")},
    WrongLine{2, "ScatterUpdate-3 --dim 0", flag("ScatterUpdate-3", "use --axis", "--dim")},
    WrongLine{2, "ScatterUpdate-3 -r sum",
              flag("ScatterUpdate-3", "ScatterNDUpdate-15 has it", "-r")},
    WrongLine{2, "ScatterNDUpdate-3 --reduction sum",
              flag("ScatterNDUpdate-3", "ScatterNDUpdate-15 has it", "--reduction")},
    WrongLine{2, "ScatterNDUpdate-15 --reduce sum",
              flag("ScatterNDUpdate-15", "use --reduction", "--reduce")},
    WrongLine{2, "SliceScatter-15 --end 3", flag("SliceScatter-15", "use --stop", "--end")},
    WrongLine{2, "SliceScatter-15 --slice 0:3",
              flag("SliceScatter-15", "use --start, --stop and --step", "--slice")},
    WrongLine{2, "SliceScatter-15 --indices 0",
              flag("SliceScatter-15", "ScatterUpdate-3 has it", "--indices")},
    WrongLine{2, "onnx.ScatterND-13 -r sum",
              flag("onnx.ScatterND-13", "onnx.ScatterND-18 has it", "-r")},
    WrongLine{2, "onnx.Scatter --reduction add",
              flag("onnx.Scatter-9", "onnx.ScatterElements-18 has it", "--reduction")},
    WrongLine{2, "onnx.ScatterElements-11 -r add",
              flag("onnx.ScatterElements-11", "onnx.ScatterElements-18 has it", "-r")},
    WrongLine{2, "onnx.TensorScatter-24 -r sum",
              flag("onnx.TensorScatter-24", "see tscatter onnx.TensorScatter-24 --help", "-r")},
    WrongLine{2, "onnx.ScatterND --axis 0",
              flag("onnx.ScatterND-18", "onnx.ScatterElements-18 has it", "--axis")},
    WrongLine{2, "onnx.ScatterND-16 -r max",
              "-r: must be one of none, add, mul (onnx.ScatterND-18 has max), got max [cli.c4]"},
    WrongLine{2, "onnx.ScatterND-16 -r amin",
              "-r: must be one of none, add, mul (onnx.ScatterND-18 has min), got amin [cli.c4]"},
    WrongLine{2, "onnx.ScatterND-18 -r plus",
              "-r: must be one of none, add, mul, max, min (use add), got plus [cli.c4]"},
    WrongLine{2, "onnx.ScatterND-18 -r subtract",
              "-r: must be one of none, add, mul, max, min (ScatterNDUpdate-15 has sub), got "
              "subtract [cli.c4]"},
    WrongLine{2, "ScatterElementsUpdate-12 -r minus",
              "-r: must be one of none, sum, prod, min, max, mean (ScatterNDUpdate-15 has sub), "
              "got minus [cli.c4]"},
    WrongLine{
        2, "ScatterElementsUpdate-12 -r average",
        "-r: must be one of none, sum, prod, min, max, mean (use mean), got average [cli.c4]"},
    WrongLine{2, "generate onnx.ScatterElements-18 -r avg",
              "-r: must be one of none, add, mul, max, min (ScatterElementsUpdate-12 has mean), "
              "got avg [cli.c4]"},
    WrongLine{2, "ScatterNDUpdate-15 --axis 0",
              flag("ScatterNDUpdate-15", "ScatterUpdate-3 has it", "--axis")},
    WrongLine{2, "ScatterNDUpdate-15 --inplace",
              flag("ScatterNDUpdate-15", "nearest: --in-place", "--inplace")},
    WrongLine{2, "compare --tolerance 1 1 1",
              flag("compare", "use --rtol and --atol", "--tolerance")},
    WrongLine{2, "compare --qqqqqqqqqq 1 1",
              flag("compare", "see tscatter compare --help", "--qqqqqqqqqq")},
    WrongLine{2, "explain ScatterUpdate-3 -o x.npy",
              flag("ScatterUpdate-3", "see tscatter explain --help", "-o")},
    WrongLine{2, "show -dash.npy", flag("show", "a file is written ./-dash.npy", "-d")},
    WrongLine{2, "ScatterNDUpdate-15 -r mean",
              reduction(" (ScatterElementsUpdate-12 has mean)", "mean")},
    WrongLine{2, "ScatterNDUpdate-15 -r avg",
              reduction(" (ScatterElementsUpdate-12 has mean)", "avg")},
    WrongLine{2, "ScatterNDUpdate-15 -r subtract", reduction(" (use sub)", "subtract")},
    WrongLine{2, "ScatterNDUpdate-15 -r replace", reduction(" (use none)", "replace")},
    WrongLine{2, "ScatterNDUpdate-15 -r or", reduction(" (of bool, max is or)", "or")},
    WrongLine{2, "ScatterNDUpdate-15 -r plus", reduction(" (use sum)", "plus")},
    WrongLine{2, "ScatterNDUpdate-15 -r summ", reduction(" (nearest: sum)", "summ")},
    WrongLine{2, "ScatterNDUpdate-15 -r qqqqqqqqqq", reduction("", "qqqqqqqqqq")},
};

const std::array dtype_lines{
    WrongLine{2, "show 1 --dtype half", dtype("use float16", "half")},
    WrongLine{2, "show 1 --dtype float", dtype("use float32 or float64", "float")},
    WrongLine{2, "show 1 --dtype double", dtype("use float64", "double")},
    WrongLine{2, "show 1 --dtype long", dtype("use int64", "long")},
    WrongLine{2, "show 1 --dtype <f4", dtype("use float32", "<f4")},
    WrongLine{2, "show 1 --dtype >i8", dtype("use int64", ">i8")},
    WrongLine{2, "show 1 --dtype c8", dtype("use complex64", "c8")},
    WrongLine{2, "show 1 --dtype np.float32", dtype("use float32", "np.float32")},
    WrongLine{2, "show 1 --dtype qqqqqqqqqq", dtype("see tscatter help operands", "qqqqqqqqqq")},
    WrongLine{2, "show 3xi8=300",
              "TENSOR: value 0 of the literal must fit int8 (i8 is int8 here, NumPy's i8 is "
              "int64), got '300' [literal.f3]"},
    WrongLine{2, R"(show {"dtype":"i8","data":[300]})",
              "TENSOR: the value at [0] must fit int8 (i8 is int8 here, NumPy's i8 is int64), got "
              "300 [json.f4]"},
    WrongLine{2, "show 3xi64=300 --dtype i8",
              "--dtype: must not contradict the dtype that TENSOR has, int64 (i8 is int8 here, "
              "NumPy's i8 is int64), got int8 [cli.c7]"},
    WrongLine{2, R"(show {"dtype":"half","data":[1]})",
              "TENSOR: dtype must name a numeric dtype (use float16), got \"half\" [json.f6]"},
};

const std::array file_lines{
    WrongLine{3, "show 3Xf32=1",
              missing("3Xf32=1",
                      "TENSOR must be a file that can be opened (a literal is written "
                      "like 2x3xf32=0)")},
    WrongLine{3, "show dat.npy",
              missing("dat.npy", "TENSOR must be a file that can be opened (nearest: data.npy)")},
    WrongLine{3, "show nothing.npy",
              missing("nothing.npy",
                      "TENSOR must be a file that can be opened, or a value (see "
                      "tscatter help operands)")},
    WrongLine{3, "show case-2.npy",
              missing("case-2.npy",
                      "TENSOR must be a file that can be opened, or a value (see "
                      "tscatter help operands)")},
    WrongLine{3, "ScatterUpdate-3 -d 3xu8=0 -i [0] -u [1] -a x",
              missing("x",
                      "--axis must be a file that can be opened, or a value (see tscatter "
                      "help operands)")},
    WrongLine{3, "ScatterUpdate-3 -d dta.npy -i [0] -u [1] -a 0",
              missing("dta.npy", "--data must be a file that can be opened (nearest: data.npy)")},
    WrongLine{3, "ScatterUpdate-3 -d dta.npy -i [0] -u [1] -a 0 --in-place",
              missing("dta.npy", "--data must be a file that can be opened (nearest: data.npy)")},
};

const std::array json_mistakes{
    WrongLine{2, "show [1,NaN]", no_json(" (NaN is written \"NaN\")", "NaN at column 4")},
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
              no_json(" (a bracket is not closed)",
                      "the end of the text at "
                      "column 5")},
    WrongLine{2, "show [1]]", no_json(" (nothing follows the value)", "] at column 4")},
    WrongLine{4, "show rows.json",
              "rows.json: the text must be JSON (rows of numbers are read from a file that ends in "
              ".csv, .tsv or .txt), got 6 at line 2, column 1 [json.f1]"},
    WrongLine{4, "show row",
              "row: the text must be JSON (rows of numbers are read from a file that ends in .csv, "
              ".tsv or .txt), got , at column 2 [json.f1]"},
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
              "scatter_update_3: indices must be of an integer dtype (for a mask of one axis: "
              "np.flatnonzero(mask)), got bool [scatter_update_3.c5]"},
    WrongLine{2, "ScatterUpdate-3 -d 3xu8=0 -i [true,false,true] -u [1,1] -a 0",
              "--indices: the value at [0] must fit int64 (a mask becomes positions by "
              "np.flatnonzero or np.argwhere), got true [json.f4]"},
    WrongLine{5, "ScatterNDUpdate-15 -d 3xu8=0 -i 3x1xbool=1 -u 3xu8=1",
              "scatter_nd_update_15: indices must be int32 or int64 (for a mask: "
              "np.argwhere(mask)), got bool [scatter_nd_update_15.c5]"},
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
    WrongLine{5, "ScatterNDUpdate-15 -d 9xf32=0 -i [[0],[1]] -u 7",
              "scatter_nd_update_15: updates must have shape [2] (indices.shape[:-1] + "
              "data.shape[1:]) (a literal fills it with one value: 2xf32=VALUE), got [] "
              "[scatter_nd_update_15.c6]"},
    WrongLine{5, "ScatterNDUpdate-15 -d 3x2xu8=0 -i 0,1,2 -u 3x2xu8=1",
              "scatter_nd_update_15: the last dimension of indices must be at most 2, the rank of "
              "data (for row numbers use ScatterUpdate-3, or indices of shape [3, 1]), got 3 "
              "[scatter_nd_update_15.c3]"},
    WrongLine{5, "ScatterNDUpdate-15 -d 3x2xu8=0 -i [0,1,2] -u 3x2xu8=1 -r add",
              "scatter_nd_update_15: the last dimension of indices must be at most 2, the rank of "
              "data (for row numbers use indices of shape [3, 1]), got 3 "
              "[scatter_nd_update_15.c3]"},
    WrongLine{5, "ScatterNDUpdate-15 -d 3x2xu8=0 -i [[0,1,2]] -u 3x2xu8=1",
              "scatter_nd_update_15: the last dimension of indices must be at most 2, the rank of "
              "data, got 3 [scatter_nd_update_15.c3]"},
    WrongLine{5, "ScatterNDUpdate-15 -d 3x2xu8=0 -i 0,1 -u 2x2xu8=1",
              "scatter_nd_update_15: updates must have shape [] (indices.shape[:-1] + "
              "data.shape[2:]) (for row numbers use ScatterUpdate-3, or indices of shape [2, 1]), "
              "got [2, 2] [scatter_nd_update_15.c6]"},
    WrongLine{5, "ScatterUpdate-3 -d 3xu8=0 -i [-1] -u [1] -a 0",
              "scatter_update_3: indices[0] must be in [0, 3) for data axis 0 (ScatterNDUpdate-15 "
              "takes negative ones), got -1 [scatter_update_3.c4]"},
    WrongLine{5, "ScatterUpdate-3 -d 3xu8=0 -i [3] -u [1] -a 0",
              "scatter_update_3: indices[0] must be in [0, 3) for data axis 0, got 3 "
              "[scatter_update_3.c4]"},
    WrongLine{5, "ScatterUpdate-3 -d v2.npy -i [0] -u 1xf32=1 -a 0",
              "scatter_update_3: updates must have data's dtype |V2 (if it is bfloat16: --dtype "
              "bfloat16), got float32 [scatter_update_3.c7]"},
    WrongLine{5, "ScatterUpdate-3 -d 2xu16=0 -i [0] -u 1xbf16=1 -a 0",
              "scatter_update_3: updates must have data's dtype uint16 (if it is bfloat16: --dtype "
              "bfloat16), got bfloat16 [scatter_update_3.c7]"},
    WrongLine{5, "ScatterUpdate-3 -d 2xu16=0 -i [0] -u 1xi32=1 -a 0",
              "scatter_update_3: updates must have data's dtype uint16, got int32 "
              "[scatter_update_3.c7]"},
    WrongLine{5, "ScatterNDUpdate-15 -d v2.npy -i [[0]] -u v2.npy -r sum",
              "scatter_nd_update_15: updates must have shape [1] (indices.shape[:-1] + "
              "data.shape[1:]), got [2] [scatter_nd_update_15.c6]"},
    WrongLine{5, "ScatterNDUpdate-15 -d v2.npy -i [[0],[1]] -u v2.npy -r sum",
              "scatter_nd_update_15: reduction must be none for |V2 (if it is bfloat16: --dtype "
              "bfloat16), got sum [scatter_nd_update_15.c8]"},
};

Strings words_of(const char* line) {
  std::istringstream stream(line);
  Strings words;
  for (std::string word; stream >> word;) words.push_back(word == "''" ? "" : word);
  return words;
}

std::string npy_of(const std::string& descr, const std::string& bytes, int count) {
  return npy_file("{'descr': '" + descr + "', 'fortran_order': False, 'shape': (" +
                      std::to_string(count) + ",)}",
                  bytes);
}

void check_lines(std::span<const WrongLine> lines) {
  const TemporaryDirectory directory;
  const std::string bytes = npy_of("|u1", "\1\2\3", 3);
  for (const char* name : {"data.npy", "case-1.npy", "-dash.npy"})
    write_file(directory / name, bytes);
  write_file(directory / "rows.json", "5\n6\n");
  write_file(directory / "row", "5,-6\n");
  write_file(directory / "v2.npy", npy_of("|V2", std::string("\x80\x3f\x00\x40", 4), 2));
  for (const WrongLine& line : lines) {
    INFO(line.words);
    Command command(words_of(line.words));
    command.in(directory.path());
    CHECK(refusal_of(line.exit_code, command) == line.message);
  }
}

std::string refused_job(int exit_code, const std::string& text) {
  return refusal_of(exit_code, Command({"run", "-"}).with_input(text));
}

std::string job_with(const std::string& data) {
  return R"({"op": "ScatterUpdate-3", "data": )" + data +
         R"(, "indices": [0], "updates": [1], "axis": 0})";
}

}  // namespace

TEST_CASE("cli.c1: what other tools call a command or an operation is answered with ours",
          "[app]") {
  check_lines(word_lines);
}

TEST_CASE("cli.c2: a flag of other tools, or of another operation, is answered with the way",
          "[app]") {
  check_lines(flag_lines);
}

TEST_CASE("cli.c4: a dtype of other tools is answered with ours", "[app]") {
  check_lines(dtype_lines);
}

TEST_CASE("file.f1: a missing file is named with its flag and the nearest file", "[app]") {
  check_lines(file_lines);
}

TEST_CASE("json.f1: what is wrong with JSON is said in words", "[app]") {
  check_lines(json_mistakes);
}

TEST_CASE("a broken rule names what does it", "[app]") { check_lines(rule_lines); }

TEST_CASE("reductions have aliases and ignore case", "[app]") {
  const auto reduced = [](const std::string& reduction) {
    return output_of(
        {"ScatterNDUpdate-15", "-d", "1xi32=5", "-i", "[[0]]", "-u", "[3]", "-r", reduction});
  };
  for (const char* name : {"sum", "SUM", "add"}) CHECK(reduced(name) == "[8]\n");
  for (const char* name : {"prod", "mul", "Multiply"}) CHECK(reduced(name) == "[15]\n");
  for (const char* name : {"min", "amin", "minimum"}) CHECK(reduced(name) == "[3]\n");
  for (const char* name : {"max", "amax", "maximum"}) CHECK(reduced(name) == "[5]\n");
  for (const char* name : {"none", "assign", "set", "update", "overwrite"})
    CHECK(reduced(name) == "[3]\n");
  CHECK(Command({"run", "-"})
            .with_input(R"({"op": "ScatterNDUpdate", "data": [5], "indices": [[0]],
                            "updates": [3], "reduction": "Add"})")
            .run()
            .out == "[8]\n");
}

TEST_CASE("5,6 is short for [5,6]", "[app]") {
  CHECK(output_of({"ScatterUpdate-3", "-d", "4xi32=0", "-i", "1,3", "-u", "7, -8", "-a", "0"}) ==
        "[0, 7, 0, -8]\n");
  CHECK(output_of({"ScatterUpdate-3", "-d", "2xf32=0", "-i", "0,1", "-u", "0.5,1", "-a", "0"}) ==
        "[0.5, 1.0]\n");
}

TEST_CASE("--dtype bfloat16 reads bfloat16 that was kept as uint16", "[app]") {
  CHECK(output_of({"ScatterNDUpdate-15", "-d", "2xu16=16256", "-i", "[[0]]", "-u", "[3]", "-r",
                   "sum", "--dtype", "bfloat16"}) == "[4.0, 1.0]\n");
}

TEST_CASE("in a job a number for a list is a list of one", "[app]") {
  CHECK(Command({"run", "-"})
            .with_input(R"({"op": "SliceScatter-15", "data": [0, 0, 0], "updates": [5],
                            "start": 1, "stop": 2, "step": 1, "axes": 0})")
            .run()
            .out == "[0, 5, 0]\n");
}

TEST_CASE("a job's mistakes are answered with the next step", "[app]") {
  CHECK(refused_job(3, job_with("\"3xu8=0\"")) ==
        "3xu8=0: data must be a file that can be opened (a job has no literals: write {\"dtype\": "
        "\"float32\", \"data\": [1, 2]}), got no such file or directory [file.f1]");
  CHECK(refused_job(3, job_with("\"[1, 2]\"")) ==
        "[1, 2]: data must be a file that can be opened (a value stands without quotes), got no "
        "such file or directory [file.f1]");
  CHECK(refused_job(2, job_with("[1, NaN]")) ==
        "<stdin>: a job must be a JSON object (NaN is written \"NaN\"), got NaN at column 39 "
        "[job.j1]");
  CHECK(refused_job(2, "{\"op\": \"show\",\n}") ==
        "<stdin>: a job must be a JSON object (no comma follows the last value), got } at line 2, "
        "column 1 [job.j1]");
  CHECK(refused_job(2, R"({"op": "ScatterUpdate-3", "reduction": "sum"})") ==
        "<stdin>: a key must be one that ScatterUpdate-3 has (ScatterNDUpdate-15 has it), got "
        "reduction [job.j2]");
  CHECK(refused_job(2, R"({"op": "SliceScatter-15", "end": 1})") ==
        "<stdin>: a key must be one that SliceScatter-15 has (use stop), got end [job.j2]");
  CHECK(refused_job(2, R"({"op": "qqqqqqqqqq"})") ==
        "<stdin>: op must be an operation (see tscatter ops), got qqqqqqqqqq [job.j3]");
}

}  // namespace tscatter
