// Modules of StableHLO: what their functions scatter, and why a function is not run.
#include "catch.hpp"
#include "io/files.hpp"
#include "tscatter/mlir/module.hpp"

namespace tscatter::mlir {
namespace {

std::string replaced(std::string text, std::string_view what, std::string_view by) {
  const std::size_t at = text.find(what);
  REQUIRE(at != std::string::npos);
  return text.replace(at, what.size(), by);
}

// A function that adds 5 to the last of two elements.
const std::string add = R"(func.func @f() {
  %0 = stablehlo.constant dense<[1, 2]> : tensor<2xi8>
  %1 = stablehlo.constant dense<[[1]]> : tensor<1x1xi32>
  %2 = stablehlo.constant dense<5> : tensor<1xi8>
  %3 = "stablehlo.scatter"(%0, %1, %2) ({
    ^bb0(%a: tensor<i8>, %b: tensor<i8>):
      %4 = stablehlo.add %a, %b : tensor<i8>
      stablehlo.return %4 : tensor<i8>
  }) {scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], index_vector_dim = 1>} : (tensor<2xi8>, tensor<1x1xi32>, tensor<1xi8>) -> tensor<2xi8>
  check.expect_eq_const %3, dense<[1, 7]> : tensor<2xi8>
  func.return
})";

std::string with(std::string_view what, std::string_view by) { return replaced(add, what, by); }

// The same with elements of float32.
std::string of_floats(std::string_view check) {
  std::string text = with("check.expect_eq_const %3, dense<[1, 7]> : tensor<2xi8>", check);
  for (std::size_t at = text.find("i8"); at != std::string::npos; at = text.find("i8"))
    text.replace(at, 2, "f32");
  return text;
}

ScatterCall call_of(const std::string& text) {
  static std::string kept;
  kept = text;
  const std::vector<Function> functions = functions_of(kept, "m.mlir");
  REQUIRE(functions.size() == 1);
  INFO((std::holds_alternative<std::string>(functions[0].call)
            ? std::get<std::string>(functions[0].call)
            : ""));
  REQUIRE(std::holds_alternative<ScatterCall>(functions[0].call));
  return std::get<ScatterCall>(functions[0].call);
}

std::string reason_of(const std::string& text) {
  const std::vector<Function> functions = functions_of(text, "m.mlir");
  REQUIRE(functions.size() == 1);
  const auto* const reason = std::get_if<std::string>(&functions[0].call);
  return reason == nullptr ? "run" : *reason;
}

std::string refused_module(const std::string& text) {
  return refusal([&] { functions_of(text, "m.mlir"); });
}

Reduction body_of(std::string_view body) {
  return call_of(with("%4 = stablehlo.add %a, %b", body)).body;
}

}  // namespace

TEST_CASE("a function's scatter has its constants, dimension numbers and body", "[io]") {
  const ScatterCall call = call_of(add);
  CHECK(call.input == "dense<[1, 2]> : tensor<2xi8>");
  CHECK(call.scatter_indices == "dense<[[1]]> : tensor<1x1xi32>");
  CHECK(call.updates == "dense<5> : tensor<1xi8>");
  CHECK(call.dims == "#stablehlo.scatter<inserted_window_dims=[0],index_vector_dim=1>");
  CHECK(call.body == Reduction::sum);
  CHECK(call.promises.empty());
  CHECK(call.expected == "dense<[1, 7]> : tensor<2xi8>");
  CHECK(functions_of("\n\n" + add, "m.mlir")[0].line == 3);
  CHECK(functions_of(add, "m.mlir")[0].name == "f");
}

TEST_CASE("a region is one operation of both arguments, or returns the second", "[io]") {
  CHECK(body_of("%4 = stablehlo.multiply %b, %a") == Reduction::prod);
  CHECK(body_of("%4 = \"stablehlo.minimum\"(%a, %b) : (tensor<i8>, tensor<i8>) -> tensor<i8> //") ==
        Reduction::min);
  CHECK(body_of("%4 = stablehlo.maximum %a, %b") == Reduction::max);
  CHECK(body_of("%4 = stablehlo.subtract %a, %b") == Reduction::sub);
  CHECK(body_of("%4 = stablehlo.and %a, %b") == Reduction::bit_and);
  CHECK(body_of("%4 = stablehlo.or %a, %b") == Reduction::bit_or);
  CHECK(body_of("%4 = stablehlo.xor %a, %b") == Reduction::bit_xor);
  const std::string set = replaced(add, "stablehlo.return %4", "stablehlo.return %b");
  CHECK(call_of(replaced(set, "%4 = stablehlo.add %a, %b : tensor<i8>", "")).body ==
        Reduction::none);
  const std::string other = "a region that does not reduce its two arguments in line 5";
  CHECK(reason_of(with("stablehlo.add %a, %b", "stablehlo.subtract %b, %a")) == other);
  CHECK(reason_of(with("stablehlo.add %a, %b", "stablehlo.add %a, %a")) == other);
  CHECK(reason_of(with("stablehlo.add %a, %b", "stablehlo.add %a, %0")) == other);
  CHECK(reason_of(with("return %4", "return %a")) == other);
  CHECK(reason_of(set) == other);
  CHECK(reason_of(with("      stablehlo.return",
                       "      %5 = stablehlo.add %4, %b : tensor<i8>\n stablehlo.return")) ==
        "a region of several operations in line 8");
  CHECK(reason_of(with("stablehlo.add", "stablehlo.divide")) ==
        "the operation stablehlo.divide of a region in line 7");
  CHECK(reason_of(with("(%a: tensor<i8>, %b: tensor<i8>)", "(%a: tensor<i16>, %b: tensor<i16>)")) ==
        "a region of tensor<i16> for data of int8");
  CHECK(reason_of(with("%b: tensor<i8>)", "%b: tensor<i8>, %c: tensor<i8>)")) ==
        "a region without two arguments in line 6");
}

TEST_CASE("promises are read, and other attributes are not passed over", "[io]") {
  const auto with_attribute = [](std::string_view more) {
    return with("index_vector_dim = 1>}", "index_vector_dim = 1>, " + std::string(more) + "}");
  };
  CHECK(call_of(with_attribute("unique_indices = true, indices_are_sorted = false")).promises ==
        std::vector<std::string>{"unique_indices"});
  CHECK(reason_of(with_attribute("axle = 1")) == "the attribute axle in line 9");
  CHECK(reason_of(with_attribute("unique_indices = 1")) ==
        "line 9: must have true or false here, got 1");
  CHECK(reason_of(with("#stablehlo.scatter<", "#other.scatter<")) ==
        "dimension numbers that are not #stablehlo.scatter<…> in line 9");
  CHECK(reason_of(with("{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = "
                       "[0], index_vector_dim = 1>}",
                       "")) == "a scatter without dimension numbers in line 5");
}

TEST_CASE("a check says how far the result may be from what is expected", "[io]") {
  const std::string constant = "dense<[1.0, 7.0]> : tensor<2xf32>";
  const auto assertion = [&](const std::string& check) {
    return call_of(of_floats(check)).assertion;
  };
  const Assertion exact = assertion("check.expect_eq_const %3, " + constant);
  CHECK((exact.atol == 0.0 && !exact.max_ulp && !exact.equal_nan));
  const Assertion almost = assertion("check.expect_almost_eq_const %3, " + constant);
  CHECK((almost.atol == 1e-4 && almost.equal_nan));
  CHECK(assertion("check.expect_almost_eq_const %3, " + constant + ", tolerance = 2.5e-01").atol ==
        0.25);
  CHECK(assertion("check.expect_almost_eq_const(%3, " + constant + ") : tensor<2xf32>").atol ==
        1e-4);
  const std::string two = "%9 = stablehlo.constant " + constant + "\n";
  const Assertion close = assertion(two +
                                    "check.expect_close %3, %9, max_ulp_difference = 4, "
                                    "min_ulp_difference = 0 : tensor<2xf32>, tensor<2xf32>");
  CHECK((close.max_ulp == 4 && close.equal_nan && !close.atol));
  CHECK(assertion(two + "check.expect_almost_eq %3, %9, tolerance = 0.5 : f64 : tensor<2xf32>")
            .atol == 0.5);
  const auto target = [&](const std::string& name) {
    return assertion(two + "stablehlo.custom_call @check." + name +
                     "(%3, %9) {has_side_effect = true} : (tensor<2xf32>, tensor<2xf32>) -> ()");
  };
  CHECK(target("expect_close").max_ulp == 3);
  CHECK(target("expect_almost_eq").atol == 1e-3);
  CHECK(target("expect_eq").atol == 0.0);
  CHECK(reason_of(of_floats(two + "check.expect_close %3, %9, max_ulp_difference = 4, "
                                  "min_ulp_difference = 1 : tensor<2xf32>, tensor<2xf32>")) ==
        "the number min_ulp_difference in line 11");
  const Assertion of_integers = call_of(add).assertion;
  CHECK((!of_integers.atol && !of_integers.max_ulp));
}

TEST_CASE("what a function has beside one scatter and one check is told", "[io]") {
  const std::string check = "  check.expect_eq_const %3, dense<[1, 7]> : tensor<2xi8>\n";
  CHECK(reason_of(replaced(add, check, "")) == "no check of what it scatters");
  CHECK(reason_of(replaced(add, check, check + check)) == "a second check of what it scatters");
  CHECK(reason_of(replaced(add, check,
                           check + "check.expect_eq_const %0, dense<[1, 2]> : tensor<2xi8>\n")) ==
        "run");
  CHECK(reason_of(replaced(add, check,
                           check + "check.expect_eq_const %0, dense<[1, 3]> : tensor<2xi8>\n")) ==
        "a check of %0, which is another constant");
  CHECK(reason_of(with("@f()", "@f(%x: tensor<i8>)")) == "a function with arguments");
  CHECK(reason_of(with("stablehlo.constant dense<5> : tensor<1xi8>",
                       "stablehlo.negate %1 : tensor<1xi8>")) ==
        "the operation stablehlo.negate in line 4");
  CHECK(reason_of(with("dense<5> : tensor<1xi8>", "dense<5> : tensor<1xi4>")) ==
        "the type tensor<1xi4> in line 4");
  CHECK(reason_of(with("dense<5>", "dense_resource<x>")) == "a constant without dense< in line 4");
  CHECK(reason_of(with("(%0, %1, %2)", "(%0, %0, %1, %2, %2)")) ==
        "a scatter of 5 operands in line 5");
  CHECK(reason_of(with("(%0, %1, %2)", "(%0, %7, %2)")) == "the value %7 without a definition");
  CHECK(reason_of(with("%2 = ", "%2, %9 = ")) ==
        "several results under names of their own in line 4");
  CHECK(reason_of("func.func @f() {\n func.return\n}") == "no stablehlo.scatter");
  CHECK(reason_of("module {}") == "no function func.func that is no other's");
  CHECK(reason_of("") == "no function func.func that is no other's");
}

TEST_CASE("constants come from functions without arguments", "[io]") {
  const std::string caller = with("%2 = stablehlo.constant dense<5> : tensor<1xi8>",
                                  "%2:2 = call @given() : () -> (tensor<1xi8>, tensor<1xi8>)");
  const std::string text = replaced(caller, "(%0, %1, %2)", "(%0, %1, %2#1)");
  const std::string given = R"(
func.func private @given() -> (tensor<1xi8> {x.y = "}"}, tensor<1xi8>) attributes {a = 1 : i8} {
  %a = stablehlo.constant dense<3> : tensor<1xi8> loc("here":1:2)
  %b = stablehlo.constant dense<4> : tensor<1xi8>
  return %a, %b : tensor<1xi8>, tensor<1xi8>
})";
  CHECK(call_of(text + given).updates == "dense<4> : tensor<1xi8>");
  CHECK(call_of(given + text).updates == "dense<4> : tensor<1xi8>");
  CHECK(reason_of(text) == "a call of @given, which is not there");
  CHECK(functions_of(text + "\n// -----\n" + given, "m.mlir").size() == 2);
  CHECK(reason_of(replaced(text, "%2#1", "%2#2") + given) == "@given: fewer than 3 results");
  CHECK(reason_of(text + replaced(given, "dense<4>", "other<4>")) ==
        "@given: a constant without dense< in line 15");
  CHECK(reason_of(text + replaced(given, "return %a, %b", "return %a, %c")) ==
        "the value %c without a definition");
  CHECK(reason_of(replaced(text, "@given()", "@given(%0)") + given) ==
        "a call with arguments in line 4");
}

TEST_CASE("a function of IREE's tests is read, too", "[io]") {
  std::string text = with("stablehlo.constant dense<5>", "util.unfoldable_constant dense<5>");
  text = replaced(text, "index_vector_dim = 1>", "index_vector_dim = 1,\n  >");
  text = replaced(text, "%b: tensor<i8>):", "%b: tensor<i8>):  // no predecessors");
  text = replaced(text, "check.expect_eq_const %3, dense<[1, 7]> : tensor<2xi8>",
                  "check.expect_eq_const(%3, dense<[1, 7]> : tensor<2xi8>) : tensor<2xi8>");
  const ScatterCall call = call_of(text);
  CHECK(call.updates == "dense<5> : tensor<1xi8>");
  CHECK(call.dims == "#stablehlo.scatter<inserted_window_dims=[0],index_vector_dim=1,>");
  CHECK(call.expected == "dense<[1, 7]> : tensor<2xi8>");
}

TEST_CASE("what a statement lacks is told with its line", "[io]") {
  CHECK(reason_of(with("index_vector_dim = 1>} :", "index_vector_dim = 1>}")) ==
        "line 9: must have : here, got (");
  CHECK(reason_of("func.func @f() { call @g() : ) {}\n}") == "line 1: must have ( here, got )");
  CHECK(reason_of(with("({\n    ^bb0", "({\n    bb0")) ==
        "line 6: must have a block (^bb0) here, got bb0");
  CHECK(reason_of(with("%2 = ", "%2 ")) == "line 4: must have = here, got stablehlo.constant");
  CHECK(reason_of(with("  func.return", "  ) func.return")) ==
        "line 11: must have an operation here, got )");
  CHECK(reason_of(with("inserted_window_dims = [0]", "inserted_window_dims = [0}")) ==
        "line 9: a bracket must be closed by ], got }");
}

TEST_CASE("mlir.f1: strings and functions are closed", "[io]") {
  CHECK(refused_module(with("  func.return\n}", "  func.return\n")) ==
        "m.mlir:12: a function must be closed by }, got the end of the text [mlir.f1]");
  CHECK(refused_module("module {\n \"a\\\"b") ==
        "m.mlir:2: a string must end in its line, got none of the quotes that end it [mlir.f1]");
  CHECK(refused_module("func.func f() {}") ==
        "m.mlir:1: must have the name of a function (@main) here, got f [mlir.f1]");
  CHECK(refused_module("func.func @f {}") == "m.mlir:1: must have ( here, got { [mlir.f1]");
  CHECK(refused_module("func.func @f(]) {}") ==
        "m.mlir:1: a bracket must be closed by ), got ] [mlir.f1]");
  CHECK(refused_module("func.func @f(") ==
        "m.mlir:1: a bracket must be closed by ), got the end of the text [mlir.f1]");
}

TEST_CASE("mlir.f1: a module has at most 64 MiB", "[io]") {
  const std::string most(longest_module, ' ');
  CHECK(reason_of(most) == "no function func.func that is no other's");
  CHECK(refused_module(most + " ") ==
        "m.mlir: a module must be at most 67108864 bytes long, got 67108865 [mlir.f1]");
}

TEST_CASE("brackets and names without end are read without recursion", "[io]") {
  const std::string open = "func.func @f() {\n";
  CHECK(refused_module(open + std::string(2'000'000, '{')).ends_with("[mlir.f1]"));
  CHECK(reason_of(open + "call @f(" + std::string(1'000'000, '(') + ") }") ==
        "line 2: must have a value (%0) here, got (");
  std::string many;
  for (int i = 0; i < 20000; ++i)
    many += "func.func @f" + std::to_string(i) + "() {call @f" + std::to_string(i + 1) + "()}\n";
  CHECK(functions_of(many, "m.mlir").size() == 1);
}

}  // namespace tscatter::mlir
