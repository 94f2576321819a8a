// What messages propose: the next step after a wrong command line.
#include <array>
#include <span>
#include <string>
#include <vector>

#include "app/folder.hpp"
#include "app/wrong_lines.hpp"
#include "catch.hpp"

namespace tscatter {
namespace {

// The same where the message names what is written; `hint` is its part in brackets.
struct WrongWord {
  std::string words;
  std::string hint;
};

std::string flag(const std::string& command, const std::string& hint, const std::string& name) {
  return command + ": has no flag " + name + " (" + hint + ") [cli.c2]";
}

// The first word is wrong.
WrongLine first_word(const WrongWord& each) {
  const std::string word = split_words(each.words).front();
  return {2, each.words,
          "command line: the first word must be a command or an operation (" + each.hint +
              "), got " + (word.empty() ? "an empty one" : word) + " [cli.c1]"};
}

// The first flag is; the word before it names the command.
WrongLine first_flag(const WrongWord& each) {
  const Strings words = split_words(each.words);
  std::size_t at = 0;
  while (!words[at].starts_with("-")) ++at;
  return {2, each.words, flag(at == 0 ? "tscatter" : words[at - 1], each.hint, words[at])};
}

WrongLine reduction(const WrongWord& each) {
  return {2, "ScatterNDUpdate-15 -r " + each.words,
          "-r: must be one of none, sum, sub, prod, min, max" + each.hint + ", got " + each.words +
              " [cli.c4]"};
}

WrongLine dtype(const WrongWord& each) {
  return {2, "show 1 --dtype " + each.words,
          "--dtype: must be the name of a numeric dtype (" + each.hint + "), got " + each.words +
              " [cli.c4]"};
}

std::string missing(const std::string& file, const std::string& rule) {
  return file + ": " + rule + ": no such file or directory [file.f1]";
}

const std::vector<WrongWord> first_words{
    {"'a.npy[1:2,:]+=3'", "write tscatter add 'a.npy[1:2,:]' 3"},
    {"a.npy[0] = 5", "write tscatter set 'a.npy[0]' 5"},
    {"a.npy[0]", "see tscatter --help"},
    {"a.npy[0]==5", "see tscatter --help"},
    {"diff a.npy b.npy", "use compare"},
    {"info x.npy", "use show"},
    {"cat x.npy", "use show"},
    {"list", "use ops"},
    {"ls", "use ops"},
    {"ls .", "use show"},
    {"list .", "use show"},
    {"take x.npy", "use get"},
    {"read x.npy", "use get"},
    {"append a.npy b.npy", "see docs/cookbook.md, Append"},
    {"concat a.npy b.npy", "see docs/cookbook.md, Append"},
    {"version", "nearest: --version"},
    {"test cases.jsonl", "use batch"},
    {"undo x.npy", "use recover"},
    {"check x.npy", "use verify"},
    {"random", "use generate"},
    {"''", "see tscatter --help"},
    {"bat", "nearest: batch"},
    {"vat", "see tscatter --help"},
    {"shwo x.npy", "nearest: show"},
    {"qqqqqqqqqq", "see tscatter --help"},
    {"ScatterElements", "nearest: onnx.ScatterElements-18"},
    {"torch.scatter_ad", "nearest: torch.scatter_add"},
    {"ov.ScatterElements", "nearest: onnx.ScatterElements-18"},
    {"openvino.ScatterND", "nearest: onnx.ScatterND-18, tf.scatter_nd, paddle.scatter_nd"},
    {"onnx.scatter_add", "nearest: torch.scatter_add"},
    {"onnx.index_add", "nearest: torch.index_add, paddle.index_add"},
    {"onnx.tensor_scatter_nd_sub", "nearest: tf.tensor_scatter_nd_sub"},
    {"onnx.ScatterNDUpdate", "nearest: ScatterNDUpdate-15"},
    {"ov.TensorScatter", "nearest: onnx.TensorScatter-24"},
    {"put_along_axis", "nearest: numpy.put_along_axis, paddle.put_along_axis"},
    {"putmask", "nearest: numpy.putmask"},
    {"np.copyt", "nearest: numpy.copyto"},
    {"scatter_reduce", "nearest: torch.scatter_reduce"},
    {"index_add", "nearest: torch.index_add, paddle.index_add"},
    {"add.at", "nearest: numpy.add.at"},
    {"subtract", "use sub"},
    {"multiply", "use mul"},
    {"divide", "use mul with the reciprocal"},
    {"gather", "use get"},
    {"histogram", "use numpy.bincount"},
    {"scatter_max", "nearest: jax.lax.scatter_max"},
    {"tensor_scatter_nd_add", "nearest: tf.tensor_scatter_nd_add"},
    {"tf.raw_ops.TensorScatterUpdate", "use tf.tensor_scatter_nd_update"},
    {"tensor_scatter_add", "use tf.tensor_scatter_nd_add"},
    {"tf.tensor_scatter_sub", "use tf.tensor_scatter_nd_sub"},
    {"TensorScatterMin", "use tf.tensor_scatter_nd_min"},
    {"tensor_scatter_max", "use tf.tensor_scatter_nd_max"},
    {"paddle.scatter_nd_ad", "nearest: paddle.scatter_nd_add"},
    {"paddlepaddle.index_ad", "nearest: paddle.index_add"},
    {"tf.tensor_scatter_nd_updat", "nearest: tf.tensor_scatter_nd_update"},
    {"index_put", "nearest: torch.index_put, paddle.index_put"},
    {"sum", "use add"},
    {"patch x.npy", "use set"},
    {"np.pu", "nearest: numpy.put"},
    {"ScatterND", "nearest: onnx.ScatterND-18, tf.scatter_nd, paddle.scatter_nd"},
    {"scatter_nd_17", "nearest: onnx.ScatterND-16"},
    {"tf.scatter_nb", "nearest: tf.scatter_nd"},
    {"onnx.ScatterND-9",
     "nearest: onnx.ScatterND-11, onnx.ScatterND-13, onnx.ScatterND-16, onnx.ScatterND-18, "
     "tf.scatter_nd, paddle.scatter_nd"},
    {"onnx.ScatterElementsUpdate-12", "nearest: ScatterElementsUpdate-12"},
    {"tosa.ScatterND", "nearest: onnx.ScatterND-18, tf.scatter_nd, paddle.scatter_nd"},
    {"openvino.tensorscatter", "nearest: onnx.TensorScatter-24"},
    {"onnx.slice_scatter", "nearest: SliceScatter-15, torch.slice_scatter"},
    {"scater-nd-update", "nearest: ScatterNDUpdate-15"},
    {"onnx.ScaterND", "nearest: onnx.ScatterND-18"},
    {"onnx.ScaterND-18", "nearest: onnx.ScatterND-18"},
    {"ScatterNDUpdate-7", "nearest: ScatterNDUpdate-3, ScatterNDUpdate-4, ScatterNDUpdate-15"},
    {"ov.ScatterNDUpdat-15", "nearest: ScatterNDUpdate-15"}};

const std::array word_lines{
    WrongLine{
        2, "verify qqqqqqqqqq",
        "verify: the next word must be an operation (see tscatter ops), got qqqqqqqqqq [cli.c1]"},
    WrongLine{2, "ops index_copy",
              "ops: must be an operation (nearest: torch.index_copy), got index_copy [cli.c9]"},
    WrongLine{2, "ops --diff ScatterND ScatterUpdat",
              "ops: must be operations, got ScatterND (nearest: onnx.ScatterND-18, tf.scatter_nd, "
              "paddle.scatter_nd) and ScatterUpdat (nearest: ScatterUpdate-3) [cli.c9]"},
    WrongLine{2, "ops --diff ScatterND ScatterUpdate",
              "ops: must be an operation (nearest: onnx.ScatterND-18, tf.scatter_nd, "
              "paddle.scatter_nd), got ScatterND [cli.c9]"},
    WrongLine{2, "ops --diff ScatterUpdate qqqqqqqqqq",
              "ops: must be an operation (see tscatter ops), got qqqqqqqqqq [cli.c9]"},
    WrongLine{2, "ops --rule onnx.scater_nd_18.c4",
              "--rule: must be the label of a rule (nearest: onnx.scatter_nd_18.c4), got "
              "onnx.scater_nd_18.c4 [cli.c8]"},
    WrongLine{
        2, "ops --rule qqqqqqqqqq",
        "--rule: must be the label of a rule (see tscatter help rules), got qqqqqqqqqq [cli.c8]"},
    WrongLine{2, "help qqqqqqqqqq",
              "help: must be a command or a topic (see tscatter help), got qqqqqqqqqq [cli.c9]"},
};

const std::vector<WrongWord> flag_words{
    {"-V", "use --version"},
    {"--qqqqqqqqqq", "see tscatter --help"},
    {"ScatterUpdate-3 --index [0]", "use --indices"},
    {"ScatterUpdate-3 --src [0]", "use --updates"},
    {"ScatterUpdate-3 --dim 0", "use --axis"},
    {"ScatterUpdate-3 -r sum", "ScatterNDUpdate-15 has it"},
    {"ScatterNDUpdate-3 --reduction sum", "ScatterNDUpdate-15 has it"},
    {"ScatterNDUpdate-15 --reduce sum", "use --reduction"},
    {"SliceScatter-15 --end 3", "use --stop"},
    {"SliceScatter-15 --slice 0:3", "use --start, --stop and --step"},
    {"SliceScatter-15 --indices 0", "ScatterUpdate-3 has it"},
    {"onnx.ScatterND-13 -r sum", "onnx.ScatterND-18 has it"},
    {"onnx.ScatterElements-11 -r add", "onnx.ScatterElements-18 has it"},
    {"onnx.TensorScatter-24 -r sum", "see tscatter onnx.TensorScatter-24 --help"},
    {"ScatterNDUpdate-15 --axis 0", "ScatterUpdate-3 has it"},
    {"ScatterNDUpdate-15 --inplace", "nearest: --in-place"},
    {"ScatterNDUpdate-15 --tensor 1", "use --data"},
    {"paddle.put_along_axis --reduc add", "nearest: --reduce"},
    {"paddle.scatter --overwrit false", "nearest: --overwrite"},
    {"paddle.scatter_nd_add -r sum", "paddle.put_along_axis has it"},
    {"tf.tensor_scatter_nd_add -r sum", "see tscatter tf.tensor_scatter_nd_add --help"},
    {"tf.tensor_scatter_nd_add --bad-index-policy IGNORE", "nearest: --bad-indices-policy"},
    {"compare --tolerance 1 1 1", "use --rtol and --atol"},
    {"compare --qqqqqqqqqq 1 1", "see tscatter compare --help"},
    {"explain ScatterUpdate-3 -o x.npy", "see tscatter explain --help"}};

const std::vector<WrongWord> reduction_words{
    {"mean", " (ScatterElementsUpdate-12 has mean)"},
    {"avg", " (ScatterElementsUpdate-12 has mean)"},
    {"subtract", " (use sub)"},
    {"replace", " (use none)"},
    {"or", " (numpy.bitwise_or.at, stablehlo.scatter, xla.scatter have or)"},
    {"bitwise_and", " (numpy.bitwise_and.at, stablehlo.scatter, xla.scatter have and)"},
    {"logical_xor", " (numpy.bitwise_xor.at, stablehlo.scatter, xla.scatter have xor)"},
    {"plus", " (use sum)"},
    {"summ", " (nearest: sum)"},
    {"qqqqqqqqqq", ""}};

const std::array flag_lines{
    WrongLine{2, "onnx.Scatter --reduction add",
              flag("onnx.Scatter-9", "onnx.ScatterElements-18 has it", "--reduction")},
    WrongLine{2, "onnx.ScatterND --axis 0",
              flag("onnx.ScatterND-18", "onnx.ScatterElements-18 has it", "--axis")},
    WrongLine{2, "onnx.ScatterND-16 -r max",
              "-r: must be one of none, add, mul (onnx.ScatterND-18 has max), got max [cli.c4]"},
    WrongLine{2, "onnx.ScatterND-16 -r amin",
              "-r: must be one of none, add, mul (onnx.ScatterND-18 has min), got amin [cli.c4]"},
    WrongLine{2, "onnx.ScatterND-18 -r plus",
              "-r: must be one of none, add, mul, max, min (use add), got plus [cli.c4]"},
    WrongLine{2, "onnx.ScatterND-18 -r subtract",
              "-r: must be one of none, add, mul, max, min (ScatterNDUpdate-15, numpy.subtract.at, "
              "tf.tensor_scatter_nd_sub, jax.at.subtract, jax.lax.scatter_sub, stablehlo.scatter, "
              "xla.scatter have sub), got subtract [cli.c4]"},
    WrongLine{2, "ScatterElementsUpdate-12 -r minus",
              "-r: must be one of none, sum, prod, min, max, mean (ScatterNDUpdate-15 has sub), "
              "got minus [cli.c4]"},
    WrongLine{
        2, "ScatterElementsUpdate-12 -r average",
        "-r: must be one of none, sum, prod, min, max, mean (use mean), got average [cli.c4]"},
    WrongLine{2, "generate onnx.ScatterElements-18 -r avg",
              "-r: must be one of none, add, mul, max, min (ScatterElementsUpdate-12, "
              "torch.index_reduce, torch.scatter_reduce, tf.math.segment_mean, "
              "tf.math.unsorted_segment_mean, paddle.geometric.segment_mean, paddle.put_along_axis "
              "have mean), got avg [cli.c4]"},
    WrongLine{2, "set -d w.npy -i ids.npy -u 0",
              flag("set", "set takes DATA[INDEX] VALUES; numpy.setitem has -d", "-d")},
    WrongLine{2, "-d a.npy", flag("tscatter", "see tscatter --help", "-d")},
    WrongLine{2, "verify ScatterNDUpdate --rtol 1",
              flag("ScatterNDUpdate-15", "tscatter compare has --rtol", "--rtol")},
    WrongLine{2, "show -dash.npy", flag("show", "a file is written ./-dash.npy", "-d")},
};

const std::vector<WrongWord> dtype_words{{"half", "use float16"},
                                         {"float", "use float32 or float64"},
                                         {"double", "use float64"},
                                         {"long", "use int64"},
                                         {"<f4", "use float32"},
                                         {">i8", "use int64"},
                                         {"c8", "use complex64"},
                                         {"np.float32", "use float32"},
                                         {"qqqqqqqqqq", "see tscatter help operands"}};

const std::array dtype_lines{
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
              missing("3Xf32=1", "TENSOR cannot be opened (a literal is written like 2x3xf32=0)")},
    WrongLine{3, "show 3xf33=1",
              missing("3xf33=1", "TENSOR cannot be opened (f33 is no dtype, nearest: f32)")},
    WrongLine{3, "show 3xfloat=1",
              missing("3xfloat=1",
                      "TENSOR cannot be opened (float is no dtype, use float32 or float64)")},
    WrongLine{
        3, "show 3xqqqqqqqqqq=1",
        missing(
            "3xqqqqqqqqqq=1",
            "TENSOR cannot be opened (qqqqqqqqqq is no dtype, tscatter help operands lists them)")},
    WrongLine{3, "show 3,2xf32=1",
              missing("3,2xf32=1", "TENSOR cannot be opened (sizes are divided by x: 3x2xf32=1)")},
    WrongLine{3, R"(show "NaN")",
              missing("\"NaN\"", "TENSOR cannot be opened (a value stands without quotes)")},
    WrongLine{3, "show ''", "TENSOR: must be a file or a value, got an empty word [file.f1]"},
    WrongLine{3, "show dat.npy", missing("dat.npy", "TENSOR cannot be opened (nearest: data.npy)")},
    WrongLine{
        3, "show nothing.npy",
        missing("nothing.npy", "TENSOR cannot be opened (for values see tscatter help operands)")},
    WrongLine{
        3, "show case-2.npy",
        missing("case-2.npy", "TENSOR cannot be opened (for values see tscatter help operands)")},
    WrongLine{3, "ScatterUpdate-3 -d 3xu8=0 -i [0] -u [1] -a x",
              missing("x", "--axis cannot be opened (for values see tscatter help operands)")},
    WrongLine{3, "ScatterUpdate-3 -d dta.npy -i [0] -u [1] -a 0",
              missing("dta.npy", "--data cannot be opened (nearest: data.npy)")},
    WrongLine{3, "ScatterUpdate-3 -d dta.npy -i [0] -u [1] -a 0 --in-place",
              missing("dta.npy", "--data cannot be opened (nearest: data.npy)")},
};

const std::string asks_data =
    "DATA[INDEX] cannot be opened (without a name the condition asks data itself: [< 0])";

const std::array python_lines{
    WrongLine{3, "get 3xf32=1[np.newaxis]",
              missing("np.newaxis", "DATA[INDEX] cannot be opened (write newaxis)")},
    WrongLine{3, "get 3xf32=1[()]", missing("()", "DATA[INDEX] cannot be opened (write ...)")},
    WrongLine{
        3, "get 3xf32=1[True]",
        missing("True", "DATA[INDEX] cannot be opened (write true, or a mask as [true, false])")},
    WrongLine{3, "get 3xf32=1[range(2)]",
              missing("range(2)", "DATA[INDEX] cannot be opened (write a slice, START:STOP:STEP)")},
    WrongLine{
        3, "get 3xf32=1[np.arange(2)]",
        missing("np.arange(2)", "DATA[INDEX] cannot be opened (write a slice, START:STOP:STEP)")},
    WrongLine{3, "set 3xf32=1[0] np.nan", missing("np.nan", "VALUES cannot be opened (write nan)")},
    WrongLine{3, "set 3xf32=1[0] math.inf",
              missing("math.inf", "VALUES cannot be opened (write inf)")},
    WrongLine{3, "set 3xf32=1[0] float(nan)",
              missing("float(nan)", "VALUES cannot be opened (write nan, inf or the number)")},
    WrongLine{3, "set 3xi32=1[0] 1_000", missing("1_000", "VALUES cannot be opened (write 1000)")},
    WrongLine{3, "set 3xi32=1[0] +5", missing("+5", "VALUES cannot be opened (write 5)")},
    WrongLine{3, "set 3xi32=1[0] 0x10", missing("0x10", "VALUES cannot be opened (write 16)")},
    WrongLine{3, "set 3xi32=1[0] '(1, 2)'",
              missing("(1, 2)", "VALUES cannot be opened (write [1, 2])")},
    WrongLine{3, "get '3xf32=1[a < 0]'", missing("a", asks_data)},
    WrongLine{3, "get '3xf32=1[isnan(mask)]'", missing("mask", asks_data)},
    WrongLine{3, "get '3xf32=1[mask.npy < 0]'",
              missing("mask.npy",
                      "DATA[INDEX] cannot be opened (for values see tscatter help operands)")},
    WrongLine{2, "get '3xf32=1[0 < m.npy]'",
              "DATA[INDEX]: a number must follow <, got m.npy (write m.npy > 0) [cli.c130]"},
    WrongLine{2, "get '3xf32=1[1 == m.npy]'",
              "DATA[INDEX]: a number must follow ==, got m.npy (write m.npy == 1) [cli.c130]"},
    WrongLine{2, "get '3xf32=1[x < m.npy]'",
              "DATA[INDEX]: a number must follow <, got m.npy [cli.c130]"},
    WrongLine{2, "get '3xf32=1[np.where(m.npy > 0)]'",
              "DATA[INDEX]: a condition has no parentheses: m.npy > 0, got np.where(m.npy > 0) "
              "[cli.c130]"},
};

void check_words(std::span<const WrongWord> words, WrongLine (*line_of)(const WrongWord&)) {
  std::vector<WrongLine> lines;
  for (const WrongWord& each : words) lines.push_back(line_of(each));
  check_lines(lines);
}

}  // namespace

TEST_CASE("file.f1, cli.c130: what Python would take is answered with our word", "[app]") {
  check_lines(python_lines);
}

TEST_CASE("cli.c9: help names where a namespace is listed", "[app]") {
  CHECK(Command("help torch").run().err ==
        "tscatter: help: must be a command or a topic (tscatter ops torch lists its operations), "
        "got torch [cli.c9]\n");
}

TEST_CASE("a verdict names operations of the same library first", "[app]") {
  const auto named = [](const std::string& operation) {
    const Result result = Command({"verify", operation, "-d", "4xf32=1", "--dim", "0", "-i",
                                   "[1, 1, 2]", "-u", "[5, 6, 7]", "--actual", "4xf32=1,6,7,1"})
                              .run();
    return result.out.find(
               "\nwhy: as with the reduction none (as torch.scatter, as torch.index_copy, 6 "
               "more), ") != std::string::npos;
  };
  CHECK(named("torch.index_add"));
  CHECK(named("torch.scatter_add"));
}

TEST_CASE("a verdict on PyTorch's operation has PyTorch's words", "[app]") {
  const Result result = Command(
                            "verify torch.scatter_reduce --input '[1, 10, 5]' --dim 0 --index '[0, "
                            "0, 1]' --src '[-3, -2, 4]' --reduce sum --actual '[-5, 4, 5]'")
                            .run();
  CHECK_THAT(result.out, contains("\nwhy: as with --include-self false (as paddle.scatter)\n"));
  CHECK_THAT(result.out, contains("\ninput                 1\n"));
  CHECK_THAT(result.out, contains("\nindex[0]  src[0]     -3        -2\n"));
}

TEST_CASE("cli.c1: what other tools call a command or an operation is answered with ours",
          "[app]") {
  check_words(first_words, first_word);
  check_lines(word_lines);
}

TEST_CASE("cli.c2: a flag of other tools, or of another operation, is answered with the way",
          "[app]") {
  check_words(flag_words, first_flag);
  check_words(reduction_words, reduction);
  check_lines(flag_lines);
}

TEST_CASE("cli.c4: a dtype of other tools is answered with ours", "[app]") {
  check_words(dtype_words, dtype);
  check_lines(dtype_lines);
}

TEST_CASE("file.f1: a missing file is named with its flag and the nearest file", "[app]") {
  check_lines(file_lines);
}

TEST_CASE("file.f1: a short name has a nearest file, too", "[app]") {
  const Folder folder;
  for (const char* name : {"d.npy", "ab.json", "u1.npy"}) folder.put(name, "1");
  const auto refused = [&](const std::string& name) { return folder.refused(3, {"show", name}); };
  const auto nearest = [](const std::string& name, const std::string& other) {
    return missing(name, "TENSOR cannot be opened (nearest: " + other + ")");
  };
  CHECK(refused("dd.npy") == nearest("dd.npy", "d.npy"));
  CHECK(refused("ba.json") == nearest("ba.json", "ab.json"));
  CHECK(refused("a.json") == nearest("a.json", "ab.json"));
  CHECK(refused("ab.npy") == nearest("ab.npy", "ab.json"));
  CHECK(refused("u.npy") == nearest("u.npy", "u1.npy"));
  for (const char* name : {"idsx.csv", "idsx.npy"}) folder.put(name, "1");
  CHECK(refused("idsx") == nearest("idsx", "idsx.npy"));
  for (const char* name : {"x.npy", "u2.npy", "xy.json", "dxd.npy"}) {
    INFO(name);
    CHECK(refused(name) ==
          missing(name, "TENSOR cannot be opened (for values see tscatter help operands)"));
  }
}

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
  CHECK(Command("run -")
            .with_input(R"({"op": "ScatterNDUpdate", "data": [5], "indices": [[0]],
                            "updates": [3], "reduction": "Add"})")
            .run()
            .out == "[8]\n");
}

TEST_CASE("5,6 is short for [5,6]", "[app]") {
  CHECK(output_of("ScatterUpdate-3 -d 4xi32=0 -i 1,3 -u '7, -8' -a 0") == "[0, 7, 0, -8]\n");
  CHECK(output_of("ScatterUpdate-3 -d 2xf32=0 -i 0,1 -u 0.5,1 -a 0") == "[0.5, 1.0]\n");
}

TEST_CASE("1.5,2e3 is a list, and 5, is one of one", "[app]") {
  const auto updated = [](const std::string& indices, const std::string& updates) {
    return output_of({"ScatterUpdate-3", "-d", "4xf32=0", "-i", indices, "-u", updates, "-a", "0"});
  };
  CHECK(updated("1,3", "1.5,2e3") == "[0.0, 1.5, 0.0, 2000.0]\n");
  CHECK(updated("1,3", "-1E1, 5e-1") == "[0.0, -10.0, 0.0, 0.5]\n");
  CHECK(updated("1,3", "NaN,-Infinity") == "[0.0, \"NaN\", 0.0, \"-Infinity\"]\n");
  CHECK(updated("2,", "7,") == "[0.0, 0.0, 7.0, 0.0]\n");
  CHECK(output_of("SliceScatter-15 -d 3xi32=0 -u 5, --start 1, --stop 2 --step 1 --axes 0") ==
        "[0, 5, 0]\n");
  CHECK(refusal_of(2, "show 5,,") ==
        "TENSOR: the text must be JSON (no comma follows the last value), got ] at column 4 "
        "[json.f1]");
  CHECK(refusal_of(2, "show 1e,2") ==
        "TENSOR: the text must be JSON (a number is written like 10, 0.5 or -2e3), got 1e at "
        "column 2 [json.f1]");
  const Folder folder;
  folder.put("1.5,2e3", "[7]");
  CHECK(folder.out("show ./1.5,2e3").ends_with("\n[7]\n"));
  CHECK(folder.out("convert 1.5,2e3 - --format json") ==
        "{\"dtype\": \"float64\", \"shape\": [2], \"data\": [1.5, 2000.0]}\n");
  for (const char* path : {"a,b", "e,1", "x1,2", "1,x"}) {
    CHECK(refusal_of(3, {"show", path}).ends_with("[file.f1]"));
  }
}

TEST_CASE("--dtype bfloat16 reads bfloat16 that was kept as uint16", "[app]") {
  CHECK(output_of("ScatterNDUpdate-15 -d 2xu16=16256 -i [[0]] -u [3] -r sum --dtype bfloat16") ==
        "[4.0, 1.0]\n");
}

TEST_CASE("in a job a number for a list is a list of one", "[app]") {
  CHECK(Command("run -")
            .with_input(R"({"op": "SliceScatter-15", "data": [0, 0, 0], "updates": [5],
                            "start": 1, "stop": 2, "step": 1, "axes": 0})")
            .run()
            .out == "[0, 5, 0]\n");
}

TEST_CASE("a word that is no file where one is wanted is answered with the way", "[app]") {
  check_lines(std::vector{
      WrongLine{3, "run {\"op\":\"x\"}",
                "JOB: must be a file (or -, with the job's text on stdin), got the text itself "
                "[file.f1]"},
      WrongLine{2, "convert 1xi8=1 o.npy:x",
                "OUT: must be x.npy, x.npz:name, x.pb, x.safetensors:name, x.json or - (only an "
                "archive has members), got o.npy:x [cli.c10]"},
      WrongLine{2, "ScatterUpdate-3 -d o.json -i 0, -u 1, -a 0 --in-place",
                "--data: must be x.npy, x.pb, x.onnx:name, x.safetensors:name, "
                "x.safetensors.index.json:name or 4x3xf32=@path to be changed in place, got o.json "
                "[cli.c11]"},
      WrongLine{2, "verify --case a c.jsonl --ftz",
                "verify: has no flag --ftz (with --case, the case says the rest) [cli.c2]"},
      WrongLine{2, "compare 1 1 --missing nan",
                "--missing: is for tables of numbers (.csv, .tsv, .txt) [cli.c120]"}});
  CHECK(output_of("show -Infinity --header").starts_with("name        TENSOR\n"));
}

}  // namespace tscatter
