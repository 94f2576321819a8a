#include "tscatter/ops/operation.hpp"

#include <algorithm>

#include "catch.hpp"
#include "ops/call.hpp"
#include "tscatter/ops/names/registry.hpp"

namespace tscatter {
namespace {

Arguments legal_arguments() { return arguments_of(zeros({2}), ints({1, 1}, {0}), zeros({1})); }

std::string operation_refused(const Arguments& arguments) {
  return refusal(*find_operation("ScatterNDUpdate-15"), arguments);
}

std::string_view found(std::string_view name) { return find_operation(name)->name; }

}  // namespace

TEST_CASE("operation.o1: a required operand that is missing is refused", "[ops]") {
  Arguments arguments = legal_arguments();
  CHECK(operation_refused(arguments) == "legal");
  arguments.operands.erase("updates");
  CHECK(operation_refused(arguments) == "scatter_nd_update_15: updates is missing [operation.o1]");
}

TEST_CASE("operation.o2: an operand that the operation does not have is refused", "[ops]") {
  Arguments arguments = legal_arguments();
  arguments.operands.emplace("axis", scalar(0));
  CHECK(operation_refused(arguments) ==
        "scatter_nd_update_15: the operation has no operand axis [operation.o2]");
}

TEST_CASE("operation.o2: an attribute that the operation does not have is refused", "[ops]") {
  Arguments arguments = legal_arguments();
  arguments.attributes["mode"] = "fast";
  CHECK(operation_refused(arguments) ==
        "scatter_nd_update_15: the operation has no attribute mode [operation.o2]");
}

TEST_CASE("operation.o3: an attribute with another value than those listed is refused", "[ops]") {
  Arguments arguments = legal_arguments();
  arguments.attributes["reduction"] = "mul";
  CHECK(operation_refused(arguments) ==
        "scatter_nd_update_15: reduction must be one of none, sum, sub, prod, min, max, got mul "
        "[operation.o3]");
  arguments.attributes["reduction"] = true;
  CHECK(operation_refused(arguments) ==
        "scatter_nd_update_15: reduction must be one of none, sum, sub, prod, min, max, got true "
        "[operation.o3]");
  arguments.attributes["reduction"] = Reduction::prod;
  CHECK(operation_refused(arguments) == "legal");
}

TEST_CASE("an operation is found without regard to case, hyphens and underscores", "[ops]") {
  CHECK(found("ScatterNDUpdate-15") == "ScatterNDUpdate-15");
  CHECK(found("scatter_nd_update_15") == "ScatterNDUpdate-15");
  CHECK(found("SLICESCATTER15") == "SliceScatter-15");
  CHECK(find_operation("ScatterND") == nullptr);
  CHECK(find_operation("") == nullptr);
}

TEST_CASE("an operation without a version is the newest one", "[ops]") {
  CHECK(found("scatterndupdate") == "ScatterNDUpdate-15");
}

TEST_CASE("OpenVINO's operations are found with and without their namespace, by exact versions",
          "[ops]") {
  CHECK(found("openvino.ScatterNDUpdate-3") == "ScatterNDUpdate-3");
  CHECK(found("OV.slice_scatter") == "SliceScatter-15");
  CHECK(found("Open_VINO.scatter-update") == "ScatterUpdate-3");
  for (const char* name : {"ScatterNDUpdate-5", "ScatterNDUpdate-03", "ScatterNDUpdate-15.0",
                           "vino.ScatterUpdate", ".ScatterUpdate", "-.ScatterUpdate", "ov.", "."}) {
    INFO(name);
    CHECK(find_operation(name) == nullptr);
  }
}

TEST_CASE("onnx: a version is an opset, and means the newest version not above it", "[ops]") {
  CHECK(found("onnx.ScatterND") == "onnx.ScatterND-18");
  CHECK(found("ONNX.scatter_nd_11") == "onnx.ScatterND-11");
  CHECK(found("onnx.ScatterND-12") == "onnx.ScatterND-11");
  CHECK(found("onnx.ScatterND-17") == "onnx.ScatterND-16");
  CHECK(found("onnx.ScatterND-99") == "onnx.ScatterND-18");
  CHECK(find_operation("onnx.ScatterND-10") == nullptr);
  CHECK(find_operation("onnx.ScatterND-99999999999999999999") == nullptr);
  CHECK(find_operation("ov.ScatterND") == nullptr);
  CHECK(find_operation("onnx.ScatterNDUpdate-15") == nullptr);
}

TEST_CASE("operations come in the order of their namespaces, names and versions", "[ops]") {
  const std::vector<std::string> names = operation_names();
  const auto place = [&](const char* name) { return std::ranges::find(names, name); };
  CHECK(names.size() == operations().size());
  CHECK(place("ScatterNDUpdate-3") < place("ScatterNDUpdate-15"));
  CHECK(place("ScatterNDUpdate-15") < place("ScatterUpdate-3"));
  CHECK(place("ScatterUpdate-3") < place("SliceScatter-15"));
  CHECK(place("SliceScatter-15") < place("onnx.ScatterND-11"));
  CHECK(place("onnx.ScatterND-11") < place("onnx.ScatterND-18"));
  CHECK(place("onnx.ScatterND-18") < names.end());
}

TEST_CASE("what a function takes without names are all operands and some attributes", "[ops]") {
  using Words = std::vector<std::string_view>;
  CHECK(find_operation("SliceScatter-15")->positional() ==
        Words{"data", "updates", "start", "stop", "step", "axes"});
  CHECK(find_operation("torch.select_scatter")->positional() ==
        Words{"input", "src", "dim", "index"});
  CHECK(find_operation("torch.masked_fill")->positional() == Words{"input", "mask", "value"});
  for (const Operation* operation : operations()) {
    const Words words = operation->positional();
    for (const OperandInfo& each : operation->operands)
      CHECK(std::ranges::count(words, each.word()) == 1);
    for (const std::string_view word : words) {
      INFO(operation->name << ", " << word);
      CHECK(std::ranges::count(operation->operands, word, &OperandInfo::word) +
                std::ranges::count(operation->attributes, word, &AttributeInfo::word) ==
            1);
    }
  }
}

TEST_CASE("the labels of an operation are its id and a number, counted from 1", "[ops]") {
  for (const Operation* operation : operations()) {
    for (std::size_t i = 0; i < operation->rules.size(); ++i) {
      CHECK(operation->rules[i].label == std::string(operation->id) + ".c" + std::to_string(i + 1));
    }
  }
}

}  // namespace tscatter
