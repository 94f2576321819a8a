// What two operations do differently, with cases that show it.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "app/process.hpp"
#include "catch.hpp"
#include "diff/witness.hpp"
#include "ops/answered.hpp"
#include "property/sampled_operations.hpp"
#include "tscatter/ops/operation.hpp"

namespace tscatter {
namespace {

using nlohmann::json;

json differences(const std::string& first, const std::string& second) {
  return json::parse(output_of({"ops", "--diff", first, second, "--json"})).at("differences");
}

Strings names_of_operations() {
  Strings names;
  for (const Operation* each : operations()) {
    if (property::has_answers(*each)) names.emplace_back(each->name);
  }
  return names;
}

}  // namespace

TEST_CASE("whatever two operations answer differently has a case that shows it", "[app]") {
  const Strings names = names_of_operations();
  const std::size_t stride = property::sampling_stride();
  for (std::size_t i = 0; i < names.size(); ++i) {
    for (std::size_t j = i + 1; j < names.size(); j += stride) {
      for (const json& each : differences(names[i], names[j])) {
        INFO(names[i] << " and " << names[j] << ": " << each.at("question"));
        REQUIRE(each.contains("results"));
        CHECK(each.at("results")[0] != each.at("results")[1]);
        CHECK_FALSE((each.at("refused")[0] == true && each.at("refused")[1] == true));
      }
    }
  }
}

TEST_CASE("two operations differ at each witness under a question, and forms are spelled right",
          "[app]") {
  const Strings names = names_of_operations();
  for (const app::Witness& each : app::witnesses()) {
    INFO(each.question << ", " << each.name << ": " << each.words);
    std::set<std::string> values;
    for (const std::string& name : names) {
      const app::Outcome outcome = app::outcome_of(each, *find_operation(name));
      values.insert(outcome.is_refused ? "refused" : outcome.values);
    }
    // It has reductions that no text has.
    const app::Outcome generic = app::outcome_of(each, answered(Form::nd));
    if (!generic.is_refused) values.insert(generic.values);
    // All refuse an index that is out of range: only policies answer otherwise.
    const bool may_be_alike = each.question.empty() || each.question == "index out of range";
    CHECK((values.size() > 1 || may_be_alike));
    CHECK(!each.calls.empty());
    for (const app::WitnessCall& call : each.calls) {
      INFO(call.form);
      CHECK(std::ranges::count(app::witness_forms, call.form) == 1);
    }
  }
}

TEST_CASE("the cases of ops --diff are commands that can be repeated", "[app]") {
  for (const json& each : differences("ScatterNDUpdate-15", "onnx.ScatterElements-18")) {
    for (std::size_t i = 0; i < 2; ++i) {
      Strings words;
      std::istringstream line(each.at("commands")[i].get<std::string>());
      for (std::string word; line >> word;) words.push_back(word);
      words.erase(words.begin());
      const Result result = tscatter_run(words);
      INFO(each.at("commands")[i]);
      CHECK((result.exit_code != 0) == each.at("refused")[i].get<bool>());
      if (result.exit_code == 0)
        CHECK(json::parse(result.out) == json::parse(each.at("results")[i].get<std::string>()));
    }
  }
}

TEST_CASE("ops NAMESPACE lists the operations of one namespace", "[app]") {
  const std::string torch = output_of("ops Torch");
  CHECK(torch.starts_with("torch.diagonal_scatter  replace a diagonal of two axes\n"));
  CHECK(std::ranges::count(torch, '\n') == 14);
  CHECK(output_of("ops tosa").find("tosa.") == 0);
  CHECK(output_of("ops torch.put").starts_with("torch.put: "));
}

TEST_CASE("ops --diff takes two operations that are known", "[app]") {
  CHECK(output_of("ops --diff ScatterNDUpdate-3 scatter_nd_update_4") ==
        "ScatterNDUpdate-3 and ScatterNDUpdate-4 differ in nothing\n");
  CHECK(refusal_of(2, "ops --diff ScatterNDUpdate-3 ScatterND") ==
        "ops: must be an operation (nearest: onnx.ScatterND-18, tf.scatter_nd, paddle.scatter_nd), "
        "got ScatterND [cli.c9]");
  CHECK(refusal_of(2, "ops --diff ScatterNDUpdate-3") ==
        "ops: --diff needs two operations: tscatter ops --diff A B [cli.c3]");
  CHECK(refusal_of(2, "ops --json") == R"({"kind":"usage","label":"cli.c3","where":"ops",)"
                                       R"("message":"--json needs --diff A B"})"
                                       "\n");
  CHECK(refusal_of(2, "ops ScatterNDUpdate-3 tosa.scatter") ==
        "ops: takes at most NAME (--diff compares two), got tosa.scatter [cli.c5]");
}

}  // namespace tscatter
