// The examples of the operations' texts (testdata/spec) through the program: once as inline JSON,
// once as a job, once as .npy files.
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "app/process.hpp"
#include "catch.hpp"
#include "io/files.hpp"

namespace tscatter {
namespace {

using nlohmann::json;

std::vector<json> golden_cases() {
  std::vector<json> cases;
  for (const auto& entry : std::filesystem::directory_iterator(TSCATTER_SPEC_DIR)) {
    if (entry.path().extension() == ".json")
      cases.push_back(json::parse(std::ifstream(entry.path())));
  }
  return cases;
}

Strings front(const json& each) {
  Strings words{each.at("op").get<std::string>(), "-o", "-", "--format", "json"};
  if (each.contains("reduction") && each.at("op") == "ScatterNDUpdate-15") {
    words.insert(words.end(), {"-r", each.at("reduction").get<std::string>()});
  }
  return words;
}

void check_result(const json& each, const std::string& text) {
  const json result = json::parse(text);
  CHECK(result.at("dtype") == each.at("expected").at("dtype"));
  CHECK(result.at("shape") == each.at("expected").at("shape"));
  CHECK(result.at("data") == each.at("expected").at("data"));
}

}  // namespace

TEST_CASE("the texts' examples as inline JSON", "[app]") {
  const std::vector<json> cases = golden_cases();
  REQUIRE(cases.size() >= 12);
  for (const json& each : cases) {
    INFO(each.at("name"));
    Strings words = front(each);
    for (const auto& [name, value] : each.at("inputs").items()) {
      words.insert(words.end(), {"--" + name, value.dump()});
    }
    check_result(each, output_of(words));
  }
}

TEST_CASE("the texts' examples as .npy files", "[app]") {
  const TemporaryDirectory directory;
  for (const json& each : golden_cases()) {
    INFO(each.at("name"));
    Strings words = front(each);
    for (const auto& [name, value] : each.at("inputs").items()) {
      const std::string file = directory / (name + ".npy");
      output_of({"convert", value.dump(), file});
      words.insert(words.end(), {"--" + name, file});
    }
    check_result(each, output_of(words));
  }
}

TEST_CASE("the texts' examples as jobs", "[app]") {
  for (const json& each : golden_cases()) {
    INFO(each.at("name"));
    json job = each.at("inputs");
    job["op"] = each.at("op");
    job["output"] = "-";
    if (front(each).size() > 5) job["reduction"] = each.at("reduction");
    const Result result = Command({"run", "-", "--format", "json"}).with_input(job.dump()).run();
    CHECK(result.exit_code == 0);
    check_result(each, result.out);
  }
}

}  // namespace tscatter
