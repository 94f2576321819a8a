// Every example of the four texts that has values (testdata/spec), through the library and through
// the oracle.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "catch.hpp"
#include "oracle/oracle.hpp"
#include "tscatter/tscatter.hpp"

namespace tscatter {
namespace {

using nlohmann::json;
using oracle::Dense;

constexpr std::size_t golden_files = 12;

void flatten(const json& value, std::vector<json>& into) {
  if (!value.is_array()) return into.push_back(value);
  for (const json& part : value) flatten(part, into);
}

Dense dense_from(const json& operand) {
  const auto dtype = dtype_from_name(operand.at("dtype").get<std::string>());
  REQUIRE(dtype.has_value());
  Dense dense = Dense::zeros(ElementType::of(*dtype), operand.at("shape").get<Shape>());
  std::vector<json> values;
  flatten(operand.at("data"), values);
  REQUIRE(values.size() == dense.count());
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (is_integer(*dtype)) {
      oracle::store_integer(*dtype, values[i].get<std::int64_t>(), dense.element(i));
    } else {
      const oracle::RealFormat format = oracle::format_of(*dtype);
      oracle::store_pattern(format, oracle::encoded(format, values[i].get<double>()),
                            dense.element(i));
    }
  }
  return dense;
}

struct Golden {
  json text;
  const Operation* operation;
  oracle::Call call;
  Dense expected;
};

Golden read_golden(const std::filesystem::path& path) {
  Golden golden{
      .text = json::parse(std::ifstream(path)), .operation = nullptr, .call = {}, .expected = {}};
  golden.operation = find_operation(golden.text.at("op").get<std::string>());
  REQUIRE(golden.operation != nullptr);
  golden.call.operation = golden.operation->id;
  for (const auto& [name, operand] : golden.text.at("inputs").items()) {
    golden.call.operands.emplace(name, dense_from(operand));
  }
  const auto reduction = reduction_from_name(golden.text.value("reduction", "none"));
  REQUIRE(reduction.has_value());
  golden.call.reduction = *reduction;
  golden.expected = dense_from(golden.text.at("expected"));
  return golden;
}

std::vector<std::byte> applied(const Golden& golden) {
  Arguments arguments;
  for (const auto& [name, dense] : golden.call.operands) {
    arguments.operands.emplace(name, Tensor(oracle::header_of(dense, {}), std::span(dense.bytes)));
  }
  if (golden.text.contains("reduction") && !golden.operation->attributes.empty()) {
    arguments.attributes["reduction"] = golden.text.at("reduction").get<std::string>();
  }
  std::vector<std::byte> result(golden.expected.bytes.size());
  MemoryOutput output{std::span(result)};
  apply(*golden.operation, arguments, output);
  return result;
}

std::vector<std::filesystem::path> golden_paths() {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(TSCATTER_SPEC_DIR)) {
    if (entry.path().extension() == ".json") paths.push_back(entry.path());
  }
  std::ranges::sort(paths);
  return paths;
}

}  // namespace

TEST_CASE("every example of the texts has a golden file", "[spec]") {
  REQUIRE(golden_paths().size() == golden_files);
}

TEST_CASE("the examples of the texts give their values, with the errata", "[spec]") {
  for (const std::filesystem::path& path : golden_paths()) {
    INFO(path.string());
    const Golden golden = read_golden(path);
    CHECK(golden.text.at("name").get<std::string>() == path.stem().string());
    CHECK(golden.call.operand("data").shape == golden.expected.shape);
    REQUIRE_FALSE(oracle::refusal_of(golden.call).has_value());
    CHECK(oracle::apply(golden.call).output.bytes == golden.expected.bytes);
    CHECK(applied(golden) == golden.expected.bytes);
  }
}

TEST_CASE("a value that a page prints wrong is kept beside the right one, with the reason",
          "[spec]") {
  int wrong = 0;
  for (const std::filesystem::path& path : golden_paths()) {
    INFO(path.string());
    const Golden golden = read_golden(path);
    if (!golden.text.contains("printed")) continue;
    ++wrong;
    CHECK(golden.text.at("printed") != golden.text.at("expected").at("data"));
    CHECK_FALSE(golden.text.at("note").get<std::string>().empty());
  }
  CHECK(wrong == 3);
}

}  // namespace tscatter
