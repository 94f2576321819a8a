// Modules of the layout mlir: read back, each has the bytes of its case.
#include "catch.hpp"
#include "generate/cases.hpp"
#include "io/files.hpp"
#include "tscatter/generate/suite.hpp"
#include "tscatter/mlir/dense.hpp"
#include "tscatter/mlir/module.hpp"

namespace tscatter::generate {
namespace {

GenerateOptions modules(std::int64_t count) {
  GenerateOptions options = options_for("stablehlo.scatter", 7, count);
  options.layout = Layout::mlir;
  return options;
}

std::string bytes_of_constant(std::string_view constant, const TensorHeader& header) {
  const Tensor tensor = mlir::dense_tensor(constant, "constant");
  CHECK(tensor.shape() == header.shape);
  CHECK(tensor.type() == header.type);
  return content(tensor);
}

}  // namespace

TEST_CASE("a module that is read back has the bytes of its case", "[generate]") {
  const TemporaryDirectory directory;
  const GenerateOptions options = modules(generated_cases());
  write_suite(suite_of(CaseGenerator(options)), directory / "modules");
  for (const GeneratedCase& each : all_cases(options)) {
    INFO(each.name);
    const std::string text = read_file(directory / ("modules/" + each.name + ".mlir"));
    const std::vector<mlir::Function> functions = mlir::functions_of(text, each.name);
    REQUIRE(functions.size() == 1);
    const auto* const call = std::get_if<mlir::ScatterCall>(&functions[0].call);
    REQUIRE(call != nullptr);
    for (const auto& [name, constant] :
         {std::pair("data", call->input), std::pair("indices", call->scatter_indices),
          std::pair("updates", call->updates)}) {
      const GeneratedTensor& tensor = each.operand(name);
      CHECK(bytes_of_constant(constant, tensor.header) == text_of(tensor.bytes));
    }
    CHECK(bytes_of_constant(call->expected, each.operand("data").header) ==
          text_of(output_of(each)));
    CHECK(call->body == std::get<Reduction>(each.attributes.at("reduction")));
  }
}

TEST_CASE("generate.g5: a folder of modules takes the same command alone", "[generate]") {
  const TemporaryDirectory directory;
  const auto write = [&](std::int64_t count) {
    write_suite(suite_of(CaseGenerator(modules(count))), directory / "a");
  };
  write(2);
  write(3);
  CHECK(directory.names() == std::vector<std::string>{"a"});
  CHECK(read_file(directory / "a/cases.txt")
            .starts_with("# tscatter generate, scheme 4: stablehlo.scatter --seed 7 --layout mlir "
                         "--count 3\nstablehlo.scatter-00000-"));
  CHECK(refusal([&] { write(2); }).ends_with("--count 3 [generate.g5]"));
}

TEST_CASE("the layout mlir has no difference of bool, which StableHLO has not", "[generate]") {
  GenerateOptions options = modules(10);
  options.dtypes = {DType::boolean};
  options.reductions = {Reduction::sub};
  CHECK(refusal([&] { CaseGenerator{options}; }) ==
        "generate: no case of bool has the requested reductions, values and max-elements "
        "[generate.g2]");
  options.layout = Layout::npy;
  CHECK(refusal([&] { CaseGenerator{options}; }) == "accepted");
}

TEST_CASE("generate.g6: the layout mlir is of stablehlo.scatter, as it is", "[generate]") {
  GenerateOptions options = modules(10);
  options.operation = find_operation("xla.scatter");
  CHECK(refusal([&] { CaseGenerator{options}; }) ==
        "generate: the layout mlir is for stablehlo.scatter (the layout npy has all operations), "
        "got xla.scatter [generate.g6]");
  options = modules(10);
  options.broken = Broken::added;
  CHECK(refusal([&] { CaseGenerator{options}; }) ==
        "generate: the layout mlir cannot hold cases that break a rule: leave out --errors, or use "
        "the layout npy [generate.g6]");
}

}  // namespace tscatter::generate
