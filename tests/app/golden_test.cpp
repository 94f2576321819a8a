// The examples of the operations' texts (testdata/spec) through the program: once as inline JSON,
// once as a job, once as .npy files; one of these where programs are slow.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/process.hpp"
#include "catch.hpp"
#include "io/files.hpp"
#include "property/environment.hpp"
#include "spec/golden_cases.hpp"
#include "tscatter/ops/operation.hpp"

namespace tscatter {
namespace {

using nlohmann::json;

std::string flag_of(std::string name) {
  std::ranges::replace(name, '_', '-');
  return "--" + name;
}

Strings front(const GoldenCase& each) {
  Strings words{each.job.at("op").get<std::string>(), "-o", "-", "--format", "json"};
  for (const AttributeInfo& attribute : find_operation(words.front())->attributes) {
    const auto value = each.job.find(attribute.name);
    if (value == each.job.end()) continue;
    words.insert(words.end(), {flag_of(std::string(attribute.name)),
                               value->is_string() ? value->get<std::string>() : value->dump()});
  }
  return words;
}

enum class Way { inline_json, job, files };

// The examples that go this way.
std::vector<GoldenCase> cases_for(Way way) {
  std::vector<GoldenCase> all = golden_cases();
  REQUIRE(all.size() >= 12);
  const std::size_t ways = property::extent("", {.whole = 1, .sample = 1, .slowed = 3});
  std::vector<GoldenCase> some;
  some.reserve(all.size());
  for (std::size_t i = static_cast<std::size_t>(way) % ways; i < all.size(); i += ways)
    some.push_back(std::move(all[i]));
  return some;
}

void check_result(const GoldenCase& each, const std::string& text) {
  const json result = json::parse(text);
  CHECK(result.at("dtype") == each.job.at("expected").at("dtype"));
  CHECK(result.at("shape") == each.job.at("expected").at("shape"));
  CHECK(result.at("data") == each.job.at("expected").at("data"));
}

}  // namespace

TEST_CASE("the texts' examples as inline JSON", "[app]") {
  for (const GoldenCase& each : cases_for(Way::inline_json)) {
    INFO(each.name());
    Strings words = front(each);
    for (const auto& [name, value] : each.inputs()) {
      words.insert(words.end(), {flag_of(name), value.dump()});
    }
    check_result(each, output_of(words));
  }
}

TEST_CASE("the texts' examples as .npy files", "[app]") {
  const TemporaryDirectory directory;
  for (const GoldenCase& each : cases_for(Way::files)) {
    INFO(each.name());
    Strings words = front(each);
    for (const auto& [name, value] : each.inputs()) {
      const std::string file = directory / (name + ".npy");
      output_of({"convert", value.dump(), file});
      words.insert(words.end(), {flag_of(name), file});
    }
    check_result(each, output_of(words));
  }
}

TEST_CASE("the texts' examples as jobs", "[app]") {
  for (const GoldenCase& each : cases_for(Way::job)) {
    INFO(each.name());
    json job = each.job;
    job.erase("name");
    job.erase("expected");
    job["output"] = "-";
    const Result result = Command("run - --format json").with_input(job.dump()).run();
    CHECK(result.exit_code == 0);
    check_result(each, result.out);
  }
}

}  // namespace tscatter
