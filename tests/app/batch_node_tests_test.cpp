// tscatter batch over node tests of ONNX, and generate --layout onnx, which writes them.
#include <filesystem>

#include "app/process.hpp"
#include "catch.hpp"
#include "io/files.hpp"
#include "io/pb_bytes.hpp"

namespace tscatter {
namespace {

// A folder with tests of its own; commands run in it.
class NodeTests {
 public:
  Command command(Strings words) const {
    return Command(std::move(words))
        .in(folder_.path())
        .with_environment("XDG_STATE_HOME", (folder_ / ".state").native())
        .with_environment("CI", "");
  }
  Result run(Strings words) const { return command(std::move(words)).run(); }

  void generate(const std::string& operation, const std::string& to) const {
    REQUIRE(run({"generate", operation, "--count", "2", "--dtype", "int32", "--layout", "onnx",
                 "-o", to})
                .exit_code == 0);
  }
  // A model of one node, and an empty data set.
  void put_model(const std::string& test, const std::string& type,
                 const std::string& attributes = "") const {
    const std::string node = pb_text(1, "d") + pb_text(2, "y") + pb_text(4, type) + attributes;
    std::filesystem::create_directories(folder_ / (test + "/test_data_set_0"));
    write_file(folder_ / (test + "/model.onnx"),
               pb_integer(1, 8) + pb_text(7, pb_text(1, node)) + pb_text(8, pb_integer(2, 18)));
  }

  std::filesystem::path operator/(const std::string& name) const { return folder_ / name; }

 private:
  TemporaryDirectory folder_;
};

// The first folder of tests below.
std::string first_test(const std::filesystem::path& folder) {
  std::string first = "~";
  for (const auto& each : std::filesystem::directory_iterator(folder)) {
    if (each.is_directory()) first = std::min(first, each.path().filename().native());
  }
  return first;
}

}  // namespace

TEST_CASE("generated node tests of each operation of ONNX pass as a batch", "[app]") {
  const NodeTests tests;
  for (const char* name : {"onnx.Scatter-9", "onnx.ScatterElements-18", "onnx.ScatterND-16"}) {
    REQUIRE(tests
                .run({"generate", name, "--count", "60", "--layout", "onnx", "-o",
                      std::string("all/") + name})
                .exit_code == 0);
  }
  CHECK(tests.run({"batch", "all", "-q"}).out == "180 cases: 180 passed\n");
}

TEST_CASE("a node test has a model, inputs in the operation's order, and an output", "[app]") {
  const NodeTests tests;
  tests.generate("onnx.ScatterND-18", "nd");
  const std::string test = "nd/" + first_test(tests / "nd");
  for (const char* file :
       {"/model.onnx", "/test_data_set_0/input_0.pb", "/test_data_set_0/input_1.pb",
        "/test_data_set_0/input_2.pb", "/test_data_set_0/output_0.pb"})
    CHECK(std::filesystem::is_regular_file(tests / (test + file)));
  CHECK_THAT(read_file(tests / (test + "/test_data_set_0/input_1.pb")), contains("B\7indices"));
  CHECK(read_file(tests / "nd/cases.txt")
            .starts_with("# tscatter generate, scheme 4: onnx.ScatterND-18 --seed 0 --dtype int32 "
                         "--layout onnx --count 2\ntest_onnx.scatter_nd_18-00000-"));
}

TEST_CASE("a wrong output of a node test is told as that of any case", "[app]") {
  const NodeTests tests;
  tests.generate("onnx.ScatterND-18", "nd");
  const std::string test = first_test(tests / "nd");
  const std::string output = "nd/" + test + "/test_data_set_0/output_0.pb";
  REQUIRE(tests.run({"convert", "2x2xf32=0", output}).exit_code == 0);
  const Result result = tests.run({"batch", "nd/" + test + "/model.onnx"});
  CHECK(result.exit_code == 1);
  CHECK(result.out.starts_with("FAILED   " + test + "  nd/" + test + "/model.onnx:1: "));
  CHECK(tests.run({"batch", "nd/" + test + "/model.onnx", "--update-golden", "-q"}).exit_code == 0);
  CHECK(tests.run({"batch", "nd", "-q"}).out == "2 cases: 2 passed\n");
}

TEST_CASE("each data set of a node test is a case", "[app]") {
  const NodeTests tests;
  tests.generate("onnx.Scatter-9", "s");
  const std::string test = "s/" + first_test(tests / "s");
  for (const char* more : {"/test_data_set_10", "/test_data_set_2"}) {
    std::filesystem::copy(tests / (test + "/test_data_set_0"), tests / (test + more),
                          std::filesystem::copy_options::recursive);
  }
  const std::string name = first_test(tests / "s");
  CHECK(tests.run({"batch", test + "/model.onnx", "--list"}).out ==
        name + "/test_data_set_0\n" + name + "/test_data_set_2\n" + name + "/test_data_set_10\n");
  CHECK(tests.run({"batch", test + "/model.onnx", "-q"}).out == "3 cases: 3 passed\n");
}

TEST_CASE("node tests and cases.jsonl of a folder are one batch", "[app]") {
  const NodeTests tests;
  tests.generate("onnx.Scatter-9", "all/b");
  write_file(tests / "all/a-cases.txt", "");
  std::filesystem::create_directories(tests / "all/a");
  write_file(tests / "all/a/cases.jsonl",
             R"({"name": "line", "op": "ScatterUpdate-3", "data": [1], "indices": [0], )"
             R"("updates": [2], "axis": 0, "expected": [2]})");
  std::filesystem::create_directories(tests / "all/c");
  write_file(tests / "all/c/model.onnx", "no test: there is no data set beside it");
  CHECK(tests.run({"batch", "all", "-q"}).out == "3 cases: 3 passed\n");
}

TEST_CASE("a model that cannot be run here is skipped with a word", "[app]") {
  const NodeTests tests;
  tests.put_model("all/test_relu", "Relu");
  CHECK(tests.run({"batch", "all"}).out ==
        "skipped  test_relu  a model that is not run here: the operation Relu of opset 18\n\n"
        "1 case: 1 skipped\n");
}

TEST_CASE("pb.f1: a broken model is refused before anything is run", "[app]") {
  const NodeTests tests;
  tests.put_model("all/test_relu", "Relu");
  write_file(tests / "all/test_relu/model.onnx", "\x3a\x05");
  const Result result = tests.run({"batch", "all"});
  CHECK(result.exit_code == 4);
  CHECK(result.err ==
        "tscatter: all/test_relu/model.onnx: a field must end within its message, which has 0 "
        "bytes left, got 5 bytes for the field at byte 0 [pb.f1]\n");
}

TEST_CASE("batch.b16: a model that is run as a node test has a data set beside it", "[app]") {
  const NodeTests tests;
  tests.put_model("test_relu", "Relu");
  std::filesystem::remove(tests / "test_relu/test_data_set_0");
  const Result result = tests.run({"batch", "test_relu/model.onnx"});
  CHECK(result.exit_code == 2);
  CHECK(result.err ==
        "tscatter: test_relu/model.onnx: the model has no data set beside it, test_data_set_0 "
        "[batch.b16]\n");
}

TEST_CASE("generate.g6: the layout onnx has operations of ONNX, and no broken cases", "[app]") {
  const NodeTests tests;
  const Result other = tests.run({"generate", "ScatterUpdate-3", "--layout", "onnx", "-o", "x"});
  CHECK(other.exit_code == 2);
  CHECK(other.err ==
        "tscatter: generate: the layout onnx is for operations of ONNX (tscatter ops onnx lists "
        "them), got ScatterUpdate-3 [generate.g6]\n");
  const Result broken =
      tests.run({"generate", "onnx.Scatter-9", "--errors", "--layout", "onnx", "-o", "x"});
  CHECK(broken.exit_code == 2);
  CHECK(broken.err ==
        "tscatter: generate: the layout onnx cannot hold cases that break a rule: leave out "
        "--errors, or use the layout npy [generate.g6]\n");
  CHECK(!std::filesystem::exists(tests / "x"));
}

TEST_CASE("generate.g5: a folder of node tests takes the same command alone", "[app]") {
  const NodeTests tests;
  tests.generate("onnx.Scatter-9", "s");
  tests.generate("onnx.Scatter-9", "s");
  const Result other = tests.run({"generate", "onnx.Scatter-9", "--count", "2", "-o", "s"});
  CHECK(other.exit_code == 3);
  CHECK(other.err.ends_with("got a directory with other files [generate.g5]\n"));
}

TEST_CASE("names of a model that are not UTF-8 are escaped where its case is told", "[app]") {
  const NodeTests tests;
  tests.put_model("all/test_a\xff", "Scatter\xff\n");
  CHECK(tests.run({"batch", "all"}).out ==
        "skipped  test_a\\xff  a model that is not run here: the operation Scatter\\xff\\n of "
        "opset 18\n\n1 case: 1 skipped\n");
  tests.generate("onnx.Scatter-9", "s");
  const std::string test = first_test(tests / "s");
  std::filesystem::rename(tests / ("s/" + test), tests / "s/t\xfe");
  const Result shard = tests.run({"batch", "s", "--shard", "1/1", "--json"});
  CHECK(shard.exit_code == 0);
  write_file(tests / "s.jsonl", shard.out);
  CHECK(tests.run({"batch", "merge", "s", "s.jsonl"}).out == "2 cases: 2 passed\n");
}

TEST_CASE("a model whose node has an attribute that is unknown or given twice is not run",
          "[app]") {
  const NodeTests tests;
  const auto skipped = [&](const std::string& attributes) {
    tests.put_model("all/test_x", "ScatterElements", attributes);
    return tests.run({"batch", "all"}).out;
  };
  const auto axis = [](const std::string& name) {
    return pb_text(5, pb_text(1, name) + pb_integer(3, 0) + pb_integer(20, 2));
  };
  const auto said = [](const std::string& what) {
    return "skipped  test_x  a model that is not run here: " + what +
           " of ScatterElements\n\n1 case: 1 skipped\n";
  };
  CHECK(skipped(axis("axle")) == said("the attribute axle"));
  CHECK(skipped(axis("axis") + axis("axis")) == said("a second attribute axis"));
  std::string many;
  for (int i = 0; i < 64; ++i) many += axis("axis");
  CHECK(skipped(many + axis("axle")) == said("a second attribute axis"));
}

}  // namespace tscatter
