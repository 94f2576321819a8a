// Every example of the texts that has values (testdata/spec), through the library and through
// the oracle.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "catch.hpp"
#include "oracle/base.hpp"
#include "oracle/oracle.hpp"
#include "spec/golden_cases.hpp"
#include "tscatter/ops/attribute_json.hpp"
#include "tscatter/tscatter.hpp"

namespace tscatter {
namespace {

using nlohmann::json;
using oracle::Dense;

constexpr std::size_t published_examples = 25;

void flatten(const json& value, std::vector<json>& into) {
  if (!value.is_array()) return into.push_back(value);
  for (const json& part : value) flatten(part, into);
}

// "NaN" and "-Infinity", too.
double real_from(const json& value) {
  return value.is_string() ? std::stod(value.get<std::string>()) : value.get<double>();
}

Dense dense_from(const json& operand) {
  const auto dtype = dtype_from_name(operand.at("dtype").get<std::string>());
  REQUIRE(dtype.has_value());
  Dense dense = Dense::zeros(ElementType::of(*dtype), operand.at("shape").get<Shape>());
  std::vector<json> values;
  flatten(operand.at("data"), values);
  REQUIRE(values.size() == dense.count());
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (*dtype == DType::boolean) {
      *dense.element(i) = std::byte{values[i].get<bool>()};
    } else if (is_integer(*dtype)) {
      oracle::store_integer(*dtype, values[i].get<std::int64_t>(), dense.element(i));
    } else {
      const oracle::RealFormat format = oracle::format_of(*dtype);
      oracle::store_pattern(format, oracle::encoded(format, real_from(values[i])),
                            dense.element(i));
    }
  }
  return dense;
}

struct Golden {
  const Operation* operation;
  oracle::Call call;
  Dense expected;
};

Golden read_golden(const GoldenCase& each) {
  Golden golden{.operation = nullptr, .call = {}, .expected = {}};
  golden.operation = find_operation(each.job.at("op").get<std::string>());
  REQUIRE(golden.operation != nullptr);
  golden.call.operation = golden.operation->id;
  for (const auto& [name, operand] : each.inputs()) {
    golden.call.operands.emplace(name, dense_from(operand));
  }
  for (const AttributeInfo& attribute : golden.operation->attributes) {
    const std::string name(attribute.name);
    if (!each.job.contains(name)) continue;
    const auto value = read_attribute(attribute, each.job.at(name));
    REQUIRE(value.has_value());
    golden.call.attributes.emplace(name, *value);
  }
  golden.expected = dense_from(each.job.at("expected"));
  return golden;
}

std::vector<std::byte> applied(const Golden& golden) {
  Arguments arguments;
  for (const auto& [name, dense] : golden.call.operands) {
    arguments.operands.emplace(name, Tensor(oracle::header_of(dense, {}), std::span(dense.bytes)));
  }
  arguments.attributes = golden.call.attributes;
  std::vector<std::byte> result(golden.expected.bytes.size());
  MemoryOutput output{std::span(result)};
  apply(*golden.operation, arguments, output);
  return result;
}

}  // namespace

TEST_CASE("every example of the texts has a golden case, and every operation one", "[spec]") {
  REQUIRE(golden_cases().size() >= published_examples);
  std::set<const Operation*> exemplified;
  for (const GoldenCase& each : golden_cases())
    exemplified.insert(find_operation(each.job.at("op").get<std::string>()));
  const auto has_answers = [](const Operation* each) {
    // testdata/torch, jax and paddle have what libraries without examples printed. An index is no
    // tensor.
    constexpr std::array libraries{"torch", "jax", "xla", "paddle"};
    return each->unanswered.empty() && each->form != Form::index &&
           std::ranges::count(libraries, namespace_of(each->name)) == 0;
  };
  CHECK(static_cast<std::ptrdiff_t>(exemplified.size()) ==
        std::ranges::count_if(operations(), has_answers));
}

TEST_CASE("the examples of the texts give their values, with the errata", "[spec]") {
  for (const GoldenCase& each : golden_cases()) {
    INFO(each.name());
    const Golden golden = read_golden(each);
    CHECK_FALSE(each.notes.at("source").empty());
    CHECK(oracle::based(golden.call).operand("data").shape == golden.expected.shape);
    REQUIRE_FALSE(oracle::refusal_of(golden.call).has_value());
    CHECK(oracle::apply(golden.call).output.bytes == golden.expected.bytes);
    CHECK(applied(golden) == golden.expected.bytes);
  }
}

TEST_CASE("a value that a page prints wrong is kept beside the right one, with the reason",
          "[spec]") {
  int wrong = 0;
  for (const GoldenCase& each : golden_cases()) {
    INFO(each.name());
    if (!each.notes.contains("printed")) continue;
    ++wrong;
    CHECK(json::parse(each.notes.at("printed")) != each.job.at("expected").at("data"));
    CHECK_FALSE(each.notes.at("note").empty());
  }
  CHECK(wrong == 8);
}

}  // namespace tscatter
