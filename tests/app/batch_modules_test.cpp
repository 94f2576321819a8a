// tscatter batch over modules of StableHLO, and generate --layout mlir, which writes them.
#include <filesystem>

#include "app/batch.hpp"
#include "app/folder.hpp"
#include "catch.hpp"

namespace tscatter {
namespace {

const std::filesystem::path samples = std::filesystem::path(TSCATTER_SOURCE_DIR) / "testdata/mlir";

// A function @NAME that adds 5 to the last of two elements, and expects another result to be that.
std::string module_of(const std::string& name, const std::string& expected) {
  return "func.func @" + name + R"(() {
  %0 = stablehlo.constant dense<[1, 2]> : tensor<2xi8>
  %1 = stablehlo.constant dense<[[1]]> : tensor<1x1xi32>
  %2 = stablehlo.constant dense<5> : tensor<1xi8>
  %3 = "stablehlo.scatter"(%0, %1, %2) ({
    ^bb0(%a: tensor<i8>, %b: tensor<i8>):
      %4 = stablehlo.add %a, %b : tensor<i8>
      stablehlo.return %4 : tensor<i8>
  }) {scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>} : (tensor<2xi8>, tensor<1x1xi32>, tensor<1xi8>) -> tensor<2xi8>
  check.expect_eq_const %3, )" +
         expected + R"( : tensor<2xi8>
  func.return
}
)";
}

const std::string good = "dense<[1, 7]>";

using Files = std::map<std::string, std::string>;

// A folder with modules; commands run in it.
struct Modules : Folder {
  explicit Modules(const Files& files = {}) {
    for (const auto& [name, text] : files) put(name, text);
  }

  Result run(const Strings& words) const { return with_state_in(*this, words).run(); }
};

}  // namespace

TEST_CASE("modules of all forms pass as a batch, each function a case at its line", "[app]") {
  const Modules modules;
  CHECK(modules.run({"batch", samples.native(), "-q"}).out == "6 cases: 6 passed\n");
  const std::string forms = (samples / "forms.mlir").native();
  CHECK(modules.run({"batch", forms, "--list"}).out ==
        "forms/add_rows\nforms/bits\nforms/subtract\nforms/bits:61\nforms/complex\n");
  CHECK(modules.run({"batch", (samples / "called.mlir").native(), "--list"}).out == "called\n");
  std::map<std::string, int> lines;
  for (const auto& each : json_lines(modules.run({"batch", forms, "--list", "--json"}).out))
    lines[each.at("name")] = each.at("line");
  CHECK(lines == std::map<std::string, int>{{"forms/add_rows", 4},
                                            {"forms/bits", 31},
                                            {"forms/subtract", 45},
                                            {"forms/bits:61", 61},
                                            {"forms/complex", 75}});
}

TEST_CASE("a module that expects another result fails, and is told as any case", "[app]") {
  const Modules modules(Files{{"m.mlir", "// a line\n" + module_of("main", "dense<[1, 8]>")}});
  const Result result = modules.run({"batch", "m.mlir"});
  CHECK(result.exit_code == 1);
  CHECK(result.out ==
        "FAILED   m  m.mlir:2: values differ: 1 of 2 elements (50 %), largest at [1]: got 7, "
        "expected 8 [batch.b7]\n\n1 failed:\n\nm  m.mlir:2\n  values differ: 1 of 2 elements (50 "
        "%), largest at [1]: got 7, expected 8 [batch.b7]\n  tscatter compare --case m m.mlir\n\n"
        "1 case: 1 failed\n");
  CHECK(modules.run({"compare", "--case", "m", "m.mlir"}).exit_code == 1);
}

TEST_CASE("what a module's function has that is not run here is told where it is skipped",
          "[app]") {
  const Modules modules(
      Files{{"all/m.mlir", "func.func @f() {\n  %0 = stablehlo.iota dim = 0 : tensor<2xi8>\n}\n" +
                               module_of("g", good)},
            {"all/empty.mlir", ""}});
  CHECK(
      modules.run({"batch", "all"}).out ==
      "skipped  empty  a function that is not run here: no function func.func that is no other's\n"
      "skipped  m/f  a function that is not run here: the operation stablehlo.iota in line 2\n"
      "ok       m/g\n\n3 cases: 1 passed, 2 skipped\n");
}

TEST_CASE("two functions that begin in one line are cases of two lines", "[app]") {
  const Modules modules(Files{{"m.mlir", "func.func @a() {} func.func @b() {}"}});
  std::string places;
  for (const auto& each : json_lines(modules.run({"batch", "m.mlir", "--list", "--json"}).out))
    places += each.at("name").get<std::string>() + " " + each.at("line").dump() + "\n";
  CHECK(places == "m/a 1\nm/b 2\n");
}

TEST_CASE("modules, node tests and cases.jsonl of a folder are one batch", "[app]") {
  const Modules modules(Files{{"all/a/m.mlir", module_of("main", good)},
                              {"all/notes.mlir.txt", "{"},
                              {"all/cases.jsonl", named("line", right)}});
  REQUIRE(
      modules
          .run({"generate", "onnx.Scatter-9", "--count", "2", "--layout", "onnx", "-o", "all/node"})
          .exit_code == 0);
  CHECK(modules.run({"batch", "all", "-q"}).out == "4 cases: 4 passed\n");
  const Result shard = modules.run({"batch", "all", "--shard", "1/1", "--json"});
  write_file(modules / "s.jsonl", shard.out);
  CHECK(modules.run({"batch", "merge", "all", "s.jsonl"}).out == "4 cases: 4 passed\n");
}

TEST_CASE("mlir.f1: a module that is not closed is refused before anything is run", "[app]") {
  const Modules modules(Files{{"all/a.mlir", module_of("main", good)},
                              {"all/b.mlir", "module {\nfunc.func @main() {\n"}});
  const Result result = modules.run({"batch", "all"});
  CHECK(result.exit_code == 4);
  CHECK(result.out.empty());
  CHECK(result.err ==
        "tscatter: all/b.mlir:3: a function must be closed by }, got the end of the text "
        "[mlir.f1]\n");
}

TEST_CASE("mlir.f1: a module has at most 64 MiB, and no more are read", "[app]") {
  const Modules modules(Files{{"m.mlir", ""}});
  std::filesystem::resize_file(modules / "m.mlir", std::uintmax_t{1} << 33U);
  CHECK(
      modules.run({"batch", "m.mlir"}).err ==
      "tscatter: m.mlir: a module must be at most 67108864 bytes long, got 8589934592 [mlir.f1]\n");
}

TEST_CASE("mlir.f3: a constant that is none is its case's failure, and others are run", "[app]") {
  const Modules modules(
      Files{{"m.mlir", module_of("a", "dense<[1, 7, 3]>") + module_of("b", good)}});
  const Result result = modules.run({"batch", "m.mlir"});
  CHECK(result.exit_code == 1);
  CHECK(result.out.starts_with(
      "FAILED   m/a  m.mlir:1: file is broken: expected: the lists of dense must have the type's "
      "shape [2], got more than 2 at [2] [mlir.f3]\nok       m/b\n"));
}

TEST_CASE("job.j18: wrong dimension numbers are their case's failure", "[app]") {
  std::string text = module_of("main", good);
  text.replace(text.find("inserted_window_dims"), 20, "inserted_widow_dims_");
  const Modules modules(Files{{"m.mlir", text}});
  const Result result = modules.run({"batch", "m.mlir"});
  CHECK(result.exit_code == 1);
  CHECK(result.out.starts_with(
      "FAILED   m  m.mlir:1: dims: each name must be one of update_window_dims, "));
}

TEST_CASE("json.f5: constants of MLIR are no operands of other cases", "[app]") {
  const Modules modules(Files{
      {"cases.jsonl", R"({"op": "ScatterUpdate-3", "data": {"mlir": "dense<1> : tensor<1xi8>"}, )"
                      R"("indices": [0], "updates": [1], "axis": 0, "expected": [1]})"}});
  const Result result = modules.run({"batch", "cases.jsonl"});
  CHECK(result.exit_code == 1);
  CHECK_THAT(result.out,
             contains("the keys must be dtype, shape and data, got \"mlir\" [json.f5]"));
}

TEST_CASE("generated modules pass as a batch", "[app]") {
  const Modules modules;
  CHECK(
      modules.run({"generate", "stablehlo.scatter", "--count", "80", "--layout", "mlir", "-o", "m"})
          .exit_code == 0);
  CHECK(modules.run({"batch", "m", "-q"}).out == "80 cases: 80 passed\n");
  CHECK(modules.run({"generate", "stablehlo.scatter", "--witness", "--layout", "mlir", "-o", "w"})
            .exit_code == 0);
  const std::string witnesses = modules.run({"batch", "w", "-q"}).out;
  CHECK_THAT(witnesses, contains(" passed\n"));
}

TEST_CASE("generate.g6: the layout mlir has stablehlo.scatter alone, without policies", "[app]") {
  const Modules modules;
  const Result other = modules.run({"generate", "xla.scatter", "--layout", "mlir", "-o", "x"});
  CHECK(other.exit_code == 2);
  CHECK(other.err ==
        "tscatter: generate: the layout mlir is for stablehlo.scatter (the layout npy has all "
        "operations), got xla.scatter [generate.g6]\n");
  const Result own = modules.run(
      {"generate", "stablehlo.scatter", "--oob", "drop-window", "--layout", "mlir", "-o", "x"});
  CHECK(own.exit_code == 2);
  CHECK(own.err ==
        "tscatter: generate: the layout mlir cannot hold policies (the layout npy can), got oob "
        "[generate.g6]\n");
  CHECK(!std::filesystem::exists(modules / "x"));
}

}  // namespace tscatter
