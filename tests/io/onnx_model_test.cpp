// Models of one node: what is written, what is read of any model, and what cannot be run here.
#include <array>
#include <limits>
#include <string>
#include <variant>

#include "catch.hpp"
#include "io/files.hpp"
#include "io/pb_bytes.hpp"
#include "tscatter/core/tensor.hpp"
#include "tscatter/onnx/model.hpp"
#include "tscatter/onnx/node_call.hpp"

namespace tscatter {
namespace {

using namespace std::string_literals;

onnx::Model read_onnx(const std::string& bytes) {
  return onnx::read_model(SpanSource(bytes_of(bytes)), "model.onnx");
}

// A node with its inputs, outputs, type and whatever follows.
std::string node(std::string_view type, const std::string& more = "") {
  return pb_text(1, pb_text(1, "d") + pb_text(1, "i") + pb_text(1, "u") + pb_text(2, "y") +
                        pb_text(4, type) + more);
}

std::string graph(const std::string& nodes) {
  return nodes + pb_text(11, pb_text(1, "u")) + pb_text(11, pb_text(1, "d")) +
         pb_text(11, pb_text(1, "i")) + pb_text(12, pb_text(1, "y"));
}

std::string model(const std::string& nodes, std::int64_t opset = 18) {
  return pb_integer(1, 8) + pb_text(7, graph(nodes)) + pb_text(8, pb_integer(2, opset));
}

// The operation, or why the model is not run.
std::string called(const std::string& bytes) {
  const auto call = onnx::call_of(read_onnx(bytes));
  if (const auto* why = std::get_if<std::string>(&call)) return *why;
  return std::string(std::get<onnx::NodeCall>(call).operation->name);
}

std::string integer_attribute(std::string_view name, std::int64_t value) {
  return pb_text(5, pb_text(1, name) + pb_integer(3, value) + pb_integer(20, 2));
}
std::string text_attribute(std::string_view name, std::string_view value) {
  return pb_text(5, pb_text(1, name) + pb_text(4, value) + pb_integer(20, 3));
}

constexpr std::array data{1.0F, 2.0F};
constexpr std::array indices{std::int64_t{0}};

}  // namespace

TEST_CASE("a call becomes a model, byte for byte, and comes back", "[io]") {
  const Operation& operation = *find_operation("onnx.ScatterElements-18");
  Arguments arguments{.operands = {{"data", view(data, {2})},
                                   {"indices", view(indices, {1})},
                                   {"updates", view(std::span(data).first(1), {1})}},
                      .attributes = {{"axis", std::int64_t{-1}}, {"reduction", Reduction::sum}}};
  const onnx::Model made = onnx::model_of(operation, arguments, arguments.operand("data").header());
  const auto value = [](std::string_view name, std::int64_t type, std::int64_t size) {
    const std::string shape = pb_text(2, pb_text(1, pb_integer(1, size)));
    return pb_text(1, name) + pb_text(2, pb_text(1, pb_integer(1, type) + shape));
  };
  const std::string node = pb_text(1, "data") + pb_text(1, "indices") + pb_text(1, "updates") +
                           pb_text(2, "output") + pb_text(4, "ScatterElements") +
                           integer_attribute("axis", -1) + text_attribute("reduction", "add");
  const std::string graph = pb_text(1, node) + pb_text(2, "onnx.scatter_elements_18") +
                            pb_text(11, value("data", 1, 2)) + pb_text(11, value("indices", 7, 1)) +
                            pb_text(11, value("updates", 1, 1)) +
                            pb_text(12, value("output", 1, 2));
  const std::string bytes = onnx::model_bytes(made);
  CHECK(bytes == pb_integer(1, 8) + pb_text(2, "tscatter") + pb_text(7, graph) +
                     pb_text(8, pb_text(1, "") + pb_integer(2, 18)));
  const auto call = std::get<onnx::NodeCall>(onnx::call_of(read_onnx(bytes)));
  CHECK(call.operation == &operation);
  CHECK(call.attributes == arguments.attributes);
  REQUIRE(call.inputs.size() == 3);
  CHECK(call.inputs[2].operand == "updates");
  CHECK(call.inputs[2].number == 2);
}

TEST_CASE("the version of an operation is the newest that the model's opset has", "[io]") {
  CHECK(called(model(node("ScatterND"), 18)) == "onnx.ScatterND-18");
  CHECK(called(model(node("ScatterND"), 25)) == "onnx.ScatterND-18");
  CHECK(called(model(node("ScatterND"), 17)) == "onnx.ScatterND-16");
  CHECK(called(model(node("ScatterND"), 11)) == "onnx.ScatterND-11");
  CHECK(called(model(node("Scatter"), 10)) == "onnx.Scatter-9");
  CHECK(called(pb_text(8, pb_text(1, "other") + pb_integer(2, 99)) +
               model(node("ScatterND"), 13)) == "onnx.ScatterND-13");
  CHECK(called(model(node("ScatterND", pb_text(7, "ai.onnx")))) == "onnx.ScatterND-18");
}

TEST_CASE("inputs are found by their names, wherever the graph lists them", "[io]") {
  const auto call = std::get<onnx::NodeCall>(onnx::call_of(read_onnx(model(node("ScatterND")))));
  REQUIRE(call.inputs.size() == 3);
  CHECK(call.inputs[0].operand == "data");
  CHECK(call.inputs[0].number == 1);
  CHECK(call.inputs[2].number == 0);
}

TEST_CASE("a model that cannot be run here says why", "[io]") {
  CHECK(called("") == "0 nodes");
  CHECK(called(model(node("ScatterND") + node("Relu"))) == "2 nodes");
  CHECK(called(model(node("Relu"))) == "the operation Relu of opset 18");
  CHECK(called(model(node("ScatterND"), 10)) == "the operation ScatterND of opset 10");
  CHECK(called(model(node("ScatterND", pb_text(7, "com.example")))) ==
        "the operation ScatterND of opset 18");
  CHECK(called(model(node("ScatterND", integer_attribute("axis", 0)))) ==
        "the attribute axis of ScatterND");
  CHECK(called(model(node("ScatterND", text_attribute("reduction", "mean")))) ==
        "the attribute reduction of ScatterND");
  CHECK(called(model(node("ScatterND", text_attribute("reduction", std::string(2000, 'x'))))) ==
        "the attribute reduction of ScatterND");
  CHECK(called(model(node("ScatterElements", text_attribute("axis", "0")))) ==
        "the attribute axis of ScatterElements");
  CHECK(called(model(node("ScatterND", pb_text(1, "more")))) == "the input more of ScatterND");
  CHECK(called(pb_text(8, pb_integer(2, 18)) + pb_text(7, node("ScatterND"))) ==
        "the input d of ScatterND");
}

TEST_CASE("pb.f1, pb.f2: a hostile model is refused with its place", "[io]") {
  const auto refused = [](const std::string& bytes) { return refusal([&] { read_onnx(bytes); }); };
  CHECK(refused("\x3a\x05"
                "abc"s) ==
        "model.onnx: a field must end within its message, which has 3 bytes left, got 5 bytes for "
        "the field at byte 0 [pb.f1]");
  CHECK(refused(pb_text(7, "\x0a\x7f")).ends_with("[pb.f1]"));
  CHECK(refused(pb_text(7, pb_text(1, "\x0b"))) ==
        "model.onnx: a field must have wire type 0, 1, 2 or 5, got 3, a group, at byte 4 [pb.f1]");
  CHECK(refused(pb_integer(7, 1)) ==
        "model.onnx: graph must be bytes with a length, got a varint at byte 0 [pb.f2]");
  CHECK(refused(pb_text(1, "a")) ==
        "model.onnx: ir_version must be a varint, got bytes with a length at byte 0 [pb.f2]");
  CHECK(refused(model(node(std::string(1025, 'x')))).ends_with("[pb.f2]"));
  CHECK(refused(model(node("ScatterND", pb_integer(5, 1)))).ends_with("[pb.f2]"));
  CHECK(refused(model(node("ScatterND", pb_text(5, pb_integer(2, 1))))) ==
        "model.onnx: f must be 4 bytes, got a varint at byte 31 [pb.f2]");
}

TEST_CASE("a model that is cut anywhere is refused, or has fewer fields", "[io]") {
  const std::string whole = model(node("ScatterElements", integer_attribute("axis", 1)));
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const std::string said = refusal([&] { read_onnx(whole.substr(0, size)); });
    const bool is_expected = said == "accepted" || said.find("[pb.f") != std::string::npos;
    CHECK(is_expected);
  }
}

TEST_CASE("of the lists of a large model 64 entries are kept", "[io]") {
  std::string inputs;
  for (int i = 0; i < 100000; ++i) inputs += pb_text(11, pb_text(1, "x"));
  const onnx::Model read_back = read_onnx(pb_text(7, inputs + node("ScatterND")));
  CHECK(read_back.inputs.size() == 64);
  CHECK(read_back.nodes == 1);
}

}  // namespace tscatter
