// Commands, flags and help.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "app/process.hpp"
#include "catch.hpp"
#include "tscatter/ops/operation.hpp"

namespace tscatter {
namespace {

Strings update_with(const std::string& name) {
  return {name, "-d", "3xu8=0", "-i", "[1]", "-u", "[7]", "-a", "0"};
}

}  // namespace

TEST_CASE("an operation is named without regard to case, hyphen, underscore and version", "[app]") {
  for (const char* name : {"ScatterUpdate-3", "scatterupdate3", "SCATTER_UPDATE_3",
                           "scatter-update", "ScatterUpdate"}) {
    CHECK(output_of(update_with(name)) == "[0, 7, 0]\n");
  }
  const Result newest =
      tscatter_run("scatter_nd_update -d 2xu8=1 -i [[-1]] -u [4] -r sum -n --json");
  CHECK(nlohmann::json::parse(newest.out).at("op") == "ScatterNDUpdate-15");
  CHECK(output_of("SHOW 1") == output_of("show 1"));
}

TEST_CASE("flags may be written in every usual way", "[app]") {
  const std::string result = "[0, 7, 0]\n";
  CHECK(output_of("ScatterUpdate --data=3xu8=0 --indices=[1] --updates=[7] --axis=0") == result);
  CHECK(output_of("ScatterUpdate -d3xu8=0 -i[1] -u[7] -a0") == result);
  CHECK(output_of("ScatterUpdate -d 3xu8=0 -i [1] -u [7] -a -1 -j1") == result);
  CHECK(output_of("--color never ScatterUpdate -d 3xu8=0 -i [1] -u [7] -a 0 -q") == result);
}

TEST_CASE("what is a flag's value or an argument is nothing else", "[app]") {
  CHECK(output_of("ops --rule npy.f8 -q") ==
        "npy.f8: nothing follows the data, but another .npy file\n");
  CHECK(output_of("show --header -- 1").starts_with("name        TENSOR\n"));
  CHECK(output_of("-q -- show -vh") == output_of("show -h"));
  CHECK(output_of("show --nope --help") == output_of("show --help"));
  CHECK(refusal_of(2, "show --dtype --help 1") ==
        "--dtype: must be the name of a numeric dtype (see tscatter help operands), got --help "
        "[cli.c4]");
}

TEST_CASE("cli.c1: a first word that is no command is refused with the nearest", "[app]") {
  CHECK(refusal_of(2, {"ScaterUpdate"}) ==
        "command line: the first word must be a command or an operation (nearest: "
        "ScatterUpdate-3), got ScaterUpdate [cli.c1]");
  CHECK_THAT(refusal_of(2, {"shwo"}), contains("(nearest: show)"));
  CHECK(refusal_of(2, {"qqqqqqqqqq"}) ==
        "command line: the first word must be a command or an operation (see tscatter --help), got "
        "qqqqqqqqqq [cli.c1]");
  CHECK_THAT(refusal_of(2, {"ScatterUpdate-4"}), contains("(nearest: ScatterUpdate-3)"));
  CHECK(refusal_of(2, {""}).ends_with("[cli.c1]"));
}

TEST_CASE("cli.c2: a flag that the command does not have is refused", "[app]") {
  CHECK(refusal_of(2, "show --jsn x") == "show: has no flag --jsn (nearest: --json) [cli.c2]");
  CHECK(refusal_of(2, "ScatterUpdate -r sum") ==
        "ScatterUpdate-3: has no flag -r (ScatterNDUpdate-15 has it) [cli.c2]");
  CHECK(refusal_of(2, "ScatterNDUpdate-3 --reduction sum").ends_with("[cli.c2]"));
  CHECK(refusal_of(2, "ScatterNDUpdate-15 --axis 0").ends_with("[cli.c2]"));
  CHECK(refusal_of(2, "SliceScatter --indices 0").ends_with("[cli.c2]"));
  CHECK(refusal_of(2, {"--nope"}).ends_with("[cli.c2]"));
  CHECK(refusal_of(2, "show -vx 1").starts_with("show: has no flag -x "));
  CHECK(refusal_of(2, "show -v5 1").starts_with("show: has no flag -5 "));
  CHECK(refusal_of(2, "convert x.npy -o y.npy") ==
        "convert: has no flag -o (it takes IN OUT) [cli.c2]");
  CHECK(refusal_of(2, "explain torch.put --actual y.npy") ==
        "torch.put: has no flag --actual (tscatter verify has --actual) [cli.c2]");
  CHECK(refusal_of(2, "verify torch.put --expected y.npy") ==
        "torch.put: has no flag --expected (tscatter compare takes ACTUAL and EXPECTED) [cli.c2]");
  CHECK(refusal_of(2, "show --- 1").starts_with("show: has no flag --- "));
}

TEST_CASE("cli.c3: what is required and missing is named", "[app]") {
  CHECK(refusal_of(2, "ScatterUpdate -d 3xu8=0 -i [1] -a 0") ==
        "ScatterUpdate-3: --updates TENSOR is missing [cli.c3]");
  CHECK(refusal_of(2, "convert 1") == "convert: OUT is missing: tscatter convert IN OUT [cli.c3]");
  CHECK(refusal_of(2, "verify --case a") ==
        "verify: CASES is missing: tscatter verify --case NAME CASES [cli.c3]");
  CHECK(refusal_of(2, {"run"}) == "run: JOB is missing: tscatter run JOB [cli.c3]");
  CHECK(refusal_of(2, {"-q"}) ==
        "command line: a command is missing (tscatter --help lists them) [cli.c3]");
}

TEST_CASE("cli.c4: a flag's value is one that it takes, once", "[app]") {
  CHECK(refusal_of(2, "ScatterNDUpdate -r summ") ==
        "-r: must be one of none, sum, sub, prod, min, max (nearest: sum), got summ [cli.c4]");
  CHECK(refusal_of(2, "show --dtype float23 1") ==
        "--dtype: must be the name of a numeric dtype (nearest: float32), got float23 [cli.c4]");
  CHECK(refusal_of(2, "ScatterUpdate -d") == "-d: needs a value: -d TENSOR [cli.c4]");
  CHECK(refusal_of(2, "ScatterUpdate --data=") ==
        "--data: needs a value, got an empty one [cli.c4]");
  CHECK(refusal_of(2, "show --dtype= f32 1") ==
        "--dtype: needs a value, got an empty one [cli.c4]");
  CHECK(refusal_of(2, "ScatterUpdate -d 1 --data 2") == "--data: is given twice [cli.c4]");
  CHECK(refusal_of(2, "show --json=yes 1") == "--json: takes no value, got yes [cli.c4]");
  CHECK(refusal_of(2, "--color alway show 1") ==
        "--color: must be one of never, auto, always (nearest: always), got alway [cli.c4]");
  CHECK(refusal_of(2, "torch.scatter_reduce --include-self no") ==
        "--include-self: must be true or false, got no [cli.c4]");
  for (const char* threads : {"-1", "1025", "two", "1.5", "99999999999"}) {
    Strings words = update_with("ScatterUpdate");
    words.insert(words.end(), {"-j", threads});
    CHECK(refusal_of(2, words) == "--threads: must be an integer from 0 to 1024, got " +
                                      std::string(threads) + " [cli.c4]");
  }
}

TEST_CASE("ops says which dtypes indices may have", "[app]") {
  CHECK_THAT(output_of("ops ScatterNDUpdate-15"),
             contains("index entries along the last axis, of rank 1 or more; int32 or int64\n"));
  CHECK_THAT(output_of("ops ScatterUpdate-3"),
             contains("positions along the axis, of any rank; of an integer dtype\n"));
}

TEST_CASE("cli.c5: an argument too many is refused", "[app]") {
  CHECK(refusal_of(2, "convert 1 a.npy b.npy") ==
        "convert: takes at most IN OUT, got b.npy [cli.c5]");
  CHECK(refusal_of(2, "ScatterUpdate data.npy") ==
        "ScatterUpdate-3: takes flags only (use --data data.npy), got data.npy [cli.c5]");
  CHECK(refusal_of(2, "ScatterUpdate -d 1 i.npy") ==
        "ScatterUpdate-3: takes flags only (use --indices i.npy), got i.npy [cli.c5]");
  CHECK(refusal_of(2, "torch.masked_fill -d 1 --mask 1 --value 1 out.npy") ==
        "torch.masked_fill: takes flags only (use -o out.npy), got out.npy [cli.c5]");
  CHECK(refusal_of(2, "recover ./x.npy.tscatter-undo") ==
        "recover: must be given the file that was changed, ./x.npy, got its undo journal [cli.c5]");
  CHECK(refusal_of(2, "- show").ends_with("[cli.c5]"));
  CHECK(refusal_of(2, "set w.npy[0, 1] 1") ==
        "set: the bracket in w.npy[0, is not closed: quote the word, 'w.npy[0, 1]' [cli.c5]");
  CHECK(refusal_of(2, "get w.npy[0, 1, 2] -q") ==
        "get: the bracket in w.npy[0, is not closed: quote the word, 'w.npy[0, 1, 2]' [cli.c5]");
  CHECK(refusal_of(2, "get w.npy[0, 1") == "get: takes at most DATA[INDEX], got 1 [cli.c5]");
  CHECK(refusal_of(2, "set w.npy [0:2] 1") ==
        "set: the index belongs to the word before it: 'w.npy[0:2]' [cli.c5]");
  CHECK(refusal_of(2, "get w.npy [0]") ==
        "get: the index belongs to the word before it: 'w.npy[0]' [cli.c5]");
  CHECK(refusal_of(2, "set w.npy i.npy 5") ==
        "set: the index belongs to the word before it: 'w.npy[i.npy]' [cli.c5]");
  CHECK(refusal_of(2, "get w.npy 0:2") ==
        "get: the index belongs to the word before it: 'w.npy[0:2]' [cli.c5]");
  CHECK(refusal_of(2, "get w.npy[1] [0]") == "get: takes at most DATA[INDEX], got [0] [cli.c5]");
  CHECK(refusal_of(2, "show w.npy [0]") == "show: takes at most TENSOR, got [0] [cli.c5]");
}

TEST_CASE("cli.c8: a label that is no rule's is refused with the nearest", "[app]") {
  CHECK(refusal_of(2, "ops --rule npy.f77") ==
        "--rule: must be the label of a rule (nearest: npy.f7), got npy.f77 [cli.c8]");
  CHECK(output_of("ops --rule npy.f8") ==
        "npy.f8: nothing follows the data, but another .npy file\n");
}

TEST_CASE("cli.c9: a topic or operation that there is not is refused with the nearest", "[app]") {
  CHECK(refusal_of(2, "help operand") ==
        "help: must be a command or a topic (nearest: operands), got operand [cli.c9]");
  CHECK(refusal_of(2, "ops SliceScater") ==
        "ops: must be an operation (nearest: SliceScatter-15), got SliceScater [cli.c9]");
}

TEST_CASE("cli.c10: an output of a form that is not written is refused", "[app]") {
  const std::string rule = "OUT: must be x.npy, x.npz:name, x.pb, x.safetensors:name, x.json or -";
  CHECK(refusal_of(2, "convert 1 x.npz") == rule + " (write x.npz:NAME), got x.npz [cli.c10]");
  CHECK(refusal_of(2, "convert 1 ''") == rule + ", got an empty name [cli.c10]");
}

TEST_CASE("without arguments: what it is, examples, where help is", "[app]") {
  CHECK(output_of({}) ==
        "tscatter changes parts of arrays in files, with NumPy's indexing, and checks\n"
        "results of scatter operations.\n\n"
        "  tscatter set 'a.npy[ids.npy]' rows.npy --in-place\n"
        "      a[ids] = rows, in the file itself\n"
        "  tscatter add 'm.safetensors:w[ids.npy]' x.npy --in-place\n"
        "      np.add.at(w, ids, x)\n"
        "  tscatter set 'a.npy[< 0]' 0 -o b.npy\n"
        "      a[a < 0] = 0, as a new file\n"
        "  tscatter get 'a.npy[ids.npy, ::2]' -o b.npy\n"
        "      b = a[ids, ::2]\n"
        "  tscatter compare results golden\n"
        "      the files of two folders\n"
        "  tscatter verify add 'a.npy[ids.npy]' x.npy --actual gpu.npy\n"
        "      is gpu.npy right, in some order of the sums?\n\n"
        "tscatter --help lists the commands, tscatter ops the operations.\n");
}

TEST_CASE("every command has help, -h the short one", "[app]") {
  Strings commands = split_words("run show convert ops help");
  for (const Operation* operation : operations()) commands.emplace_back(operation->name);
  for (const std::string& command : commands) {
    INFO(command);
    const std::string long_help = output_of({command, "--help"});
    const std::string short_help = output_of({command, "-h"});
    CHECK(long_help.find("\nExamples\n  tscatter ") < long_help.find("\nusage: "));
    CHECK_THAT(short_help, !contains("Examples"));
    CHECK_THAT(short_help, contains("usage: tscatter " + command));
    CHECK(long_help.size() > short_help.size());
    CHECK(output_of({"help", command}) == long_help);
  }
  CHECK(output_of({"help"}) == output_of({"--help"}));
  CHECK(output_of({"-h"}).size() < output_of({"--help"}).size());
}

TEST_CASE("the help of a command without an operation says where their names are", "[app]") {
  for (const char* command : {"verify", "explain", "generate"}) {
    CHECK_THAT(output_of({command, "--help"}),
               contains("\nOPERATION is a name that tscatter ops lists, or a word such as add\n"));
  }
}

TEST_CASE("every topic has a text", "[app]") {
  for (const char* topic : {"index", "exit-codes", "operands", "formats", "jobs", "journal",
                            "numpy", "environment", "messages", "rules"}) {
    CHECK(output_of({"help", topic}).starts_with(std::string(topic).substr(0, 4)));
  }
  CHECK(output_of("help EXIT_CODES") == output_of("help exit-codes"));
}

TEST_CASE("--version says what it is built of", "[app]") {
  const std::string text = output_of({"--version"});
  CHECK(text.starts_with("tscatter "));
  for (const char* word : {"compiler", "CLI11", "fmt", "nlohmann_json", "spdlog", "kernels"}) {
    CHECK_THAT(text, contains(word));
  }
}

TEST_CASE("ops lists the operations and describes one", "[app]") {
  const std::string list = output_of({"ops"});
  for (const Operation* operation : operations()) {
    const std::string name(operation->name);
    CHECK_THAT(list, contains(name + " "));
    const std::string text = output_of({"ops", name});
    CHECK(text.starts_with(name + ": "));
    for (const char* part :
         {"\ninputs\n", "\ndtypes\n", "\nanswers\n", "\nrules\n", "\nexamples\n"}) {
      CHECK_THAT(text, contains(part));
    }
    for (const OperationRule& rule : operation->rules) {
      const std::size_t line = text.find(fmt::format("\n  {} ", rule.label));
      CHECK(text.find(fmt::format("  {}\n", rule.text), line) < text.find('\n', line + 1));
    }
  }
  const std::string of_reductions = output_of("ops torch.scatter_reduce");
  CHECK_THAT(of_reductions,
             contains("\n  sum and prod: all but opaque ones; amax and amin: no complex ones "
                      "either; mean: no opaque ones, bool and complex ones\n"));
  CHECK_THAT(output_of("ops stablehlo.scatter"), contains("\n      --dims  "));
  CHECK_THAT(output_of("ops torch.scatter"), !contains("--dims"));
  CHECK(output_of("ops scatter_update") == output_of("ops ScatterUpdate-3"));
}

TEST_CASE("ops says what an operation does where operations differ, and who says so", "[app]") {
  const auto answers = [](const std::string& name) {
    const std::string text = output_of({"ops", name});
    const std::size_t begin = text.find("\nanswers\n") + 9;
    return text.substr(begin, text.find("\n\nrules") + 1 - begin);
  };
  CHECK(answers("onnx.ScatterND-13") ==
        "  form                nd: the last axis of indices has coordinates (the text)\n"
        "  base                data: what no update reaches keeps its bytes (the text)\n"
        "  negative index      counts from the end of its axis (as later versions say)\n"
        "  index out of range  is refused (as ONNX's reference)\n"
        "  shape of updates    exactly the one that is required (the text)\n"
        "  duplicates          are applied in row-major order of the entries (our decision: the "
        "text has no order)\n"
        "  unit of order       an entry: its block of updates is applied as a whole (our decision: "
        "the text has no order)\n");
  CHECK(answers("onnx.ScatterND-18")
            .ends_with("  min, max            propagate: a NaN stays; of equals data (as ONNX's "
                       "reference; of equals our decision)\n"
                       "  sums and products   of floats are rounded to data's dtype at each step "
                       "(as ONNX's reference)\n"));
  CHECK_THAT(answers("ScatterNDUpdate-3"), contains("\n  negative index      is out of range"));
  CHECK_THAT(answers("ScatterNDUpdate-15"), contains("any of one element (our decision: "));
  CHECK(answers("ScatterElementsUpdate-12")
            .ends_with("  unit of order         an element: each is an entry of its own (our "
                       "decision: the text has no order)\n"
                       "  min, max              update: a NaN in updates stays, one in data goes; "
                       "of equals updates (the text)\n"
                       "  use_init_val = false  begins with 0, 1 for prod, the largest number for "
                       "min, the lowest for max (of min and max our decision: as OpenVINO)\n"
                       "  mean of integers      is the sum, which wraps, divided and rounded down "
                       "(our decision: the text "
                       "has no rounding)\n"
                       "  mean of floats        is the sum, divided once and rounded to data's "
                       "dtype (our decision: the text has no rounding)\n"
                       "  divisor of a mean     is the number of values (the text)\n"
                       "  sums and products     of floats are rounded to data's dtype at each step "
                       "(our decision: the text has no rounding)\n"));
  CHECK(answers("tosa.scatter").ends_with("  duplicates          are refused (the text)\n"));
  CHECK(answers("generic.scatter")
            .starts_with(
                "  form                  each call says it, by form (no text)\n"
                "  base                  data: what no update reaches keeps its bytes (no text)\n"
                "  negative index        each call says it, by negative (no text)\n"
                "  index out of range    each call says it, by oob (no text)\n"));
  CHECK_THAT(answers("ScatterNDUpdate-15"), !contains("use_init_val"));
  CHECK_THAT(answers("ScatterNDUpdate-15"), !contains("mean"));
  CHECK(answers("SliceScatter-15") ==
        "  form              slice: start, stop and step, no indices (the text)\n"
        "  base              data: what no update reaches keeps its bytes (the text)\n"
        "  shape of updates  exactly the one that is required (the text)\n");
}

TEST_CASE("ops: long names of flags and rules keep the columns", "[app]") {
  const std::string text = output_of("ops ScatterElementsUpdate-12");
  CHECK_THAT(text, contains("\n  -r, --reduction     how "));
  CHECK_THAT(text, contains("\n      --use-init-val  whether "));
  CHECK_THAT(text, contains("\n  scatter_elements_update_12.c9   updates "));
  CHECK_THAT(text, contains("\n  scatter_elements_update_12.c10  the "));
  CHECK_THAT(output_of({"ops"}), contains("\nSliceScatter-15                  write "));
}

TEST_CASE("counts in reports for people have commas, JSON has none", "[app]") {
  const Strings run =
      split_words("ScatterUpdate-3 -d 70000xi8=0 -i 1200xi64=7 -u 1200xi8=1 -a 0 -n");
  const std::string words = output_of(run);
  CHECK_THAT(words, contains("index entries     1,200\n"));
  CHECK_THAT(words, contains("duplicates        1,199\n"));
  CHECK_THAT(words, contains("elements written  1 of 70,000\n"));
  Strings with_json = run;
  with_json.emplace_back("--json");
  CHECK_THAT(output_of(with_json), contains("\"index_entries\":1200,"));
  CHECK_THAT(output_of("show 70000xi8=0"), contains("elements    70,000\n"));
  const Result ulp = tscatter_run("compare 1xf64=1 1xf64=1.25");
  CHECK_THAT(ulp.out, contains("1,125,899,906,842,624"));
}

TEST_CASE("explain counts the entries that a policy drops", "[app]") {
  Strings words = split_words(
      "explain ScatterNDUpdate-15 -d 3xi64=0 -i '[[0], [5], [1], [9]]' -u '[1, 2, 3, 4]' --oob "
      "drop-window");
  CHECK_THAT(output_of(words), contains("\nindex entries  4\ndropped        2\n"));
  words.emplace_back("--json");
  CHECK_THAT(output_of(words), contains("\"index_entries\":4,\"dropped\":2,"));
}

TEST_CASE("verify counts the entries that a policy drops", "[app]") {
  const auto words = [](const std::string& indices, const std::string& actual) {
    return Strings{"verify",   "ScatterUpdate-3",
                   "-d",       "[0, 0, 0, 0]",
                   "-i",       indices,
                   "-u",       "[7, 8]",
                   "-a",       "0",
                   "--oob",    "drop-window",
                   "--actual", actual};
  };
  const std::string none_in_range = R"(legal: all 4 elements are as in order

op          ScatterUpdate-3
overridden  oob drop-window
dtype       int64
shape       [4]
dropped     2

class      elements
untouched         4  100 %
)";
  CHECK(output_of(words("[4, -1]", "[0, 0, 0, 0]")) == none_in_range);
  CHECK_THAT(output_of(words("[1, 2]", "[0, 7, 8, 0]")), contains("\ndropped     0\n"));
  Strings with_json = words("[1, 6]", "[0, 7, 0]");
  with_json.emplace_back("--json");
  const Result result = tscatter_run(with_json);
  CHECK(result.out.starts_with(
      R"({"op":"ScatterUpdate-3","reduction":"none","overridden":{"oob":"drop-window"},)"
      R"("dtype":{"actual":"int64","expected":"int64"},"shape":{"actual":[3],"expected":[4]},)"
      R"("dropped":1,"elements":0,)"));
}

TEST_CASE("a report names the family of min and max where the text leaves it open", "[app]") {
  const auto report = [](const char* operation, const char* data, const char* reduction) {
    return output_of(
        {operation, "-d", data, "-i", "[[0]]", "-u", "[1]", "-r", reduction, "-n", "--json"});
  };
  const std::string nan = "\"nan\":\"propagate\"";
  CHECK_THAT(report("onnx.ScatterND-18", "1xf32=0", "max"), contains(nan));
  CHECK_THAT(report("onnx.ScatterND-18", "1xf32=0", "add"), !contains("nan"));
  CHECK_THAT(report("onnx.ScatterND-18", "1xi32=0", "max"), !contains("nan"));
  CHECK(report("onnx.ScatterND-17", "1xf32=0", "Sum")
            .starts_with("{\"op\":\"onnx.ScatterND-16\",\"reduction\":\"add\","));
  CHECK_THAT(report("ScatterNDUpdate-15", "1xf32=0", "max"), !contains("nan"));
}

TEST_CASE("-v says what is done on stderr, -q nothing", "[app]") {
  Strings words = update_with("ScatterUpdate");
  words.emplace_back("-v");
  const Result loud = tscatter_run(words);
  CHECK(loud.out == "[0, 7, 0]\n");
  CHECK_THAT(loud.err, contains("data: uint8 [3], C order, 3 bytes from --data ("));
  CHECK_THAT(loud.err, !contains("\x1b"));
  words.insert(words.end(), {"--color", "always"});
  CHECK_THAT(tscatter_run(words).err, contains("\x1b"));
  words.emplace_back("-q");
  CHECK(tscatter_run(words).err.empty());
}

}  // namespace tscatter
