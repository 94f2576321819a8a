// Cases that break one rule, according to the oracle and to the library.
#include <map>
#include <set>

#include "catch.hpp"
#include "generate/cases.hpp"
#include "io/files.hpp"
#include "property/environment.hpp"
#include "tscatter/apply/apply.hpp"
#include "tscatter/ops/forms/forms.hpp"
#include "tscatter/ops/policies.hpp"

namespace tscatter::generate {

TEST_CASE("a broken case is refused by its rule and no other", "[generate]") {
  const auto cases = static_cast<std::int64_t>(
      property::extent("TSCATTER_GENERATED", {.whole = 200, .sample = 20, .slowed = 15}));
  for (const Operation* operation : operations()) {
    if (!has_answers(*operation)) continue;
    for (const std::uint64_t seed : {0U, 7U, 99U}) {
      for (const std::int64_t max_rank : {1, 2, 6}) {
        GenerateOptions options = options_for(operation->name, seed, cases);
        options.broken = Broken::added;
        options.max_rank = max_rank;
        options.max_elements = 64;
        const CaseGenerator generator(options);
        for (std::int64_t i = options.count; i < generator.size(); ++i) {
          const GeneratedCase each = generator.at(i);
          INFO(each.name << ", seed " << seed);
          const auto refused = oracle::refusal_of(call_of(each));
          CHECK((refused ? refused->label : "accepted") == each.expected_error);
          const std::string text = refusal([&] { output_of(each); });
          CHECK(text.ends_with(" [" + each.expected_error + "]"));
          for (const auto& [operand, tensor] : each.operands) CHECK(tensor.header.count() <= 64);
        }
      }
    }
  }
}

namespace {

// What follows the number in the name: "c4-indices-above".
std::string way_of(const GeneratedCase& broken) {
  return broken.name.substr(broken.name.find('-', broken.name.find("-error-") + 7) + 1);
}

}  // namespace

TEST_CASE("200 broken cases break every rule of the operation, in many ways", "[generate]") {
  for (const Operation* operation : sampled_operations(has_answers)) {
    // More where there are more than ten rules.
    const auto cases =
        std::max<std::int64_t>(200, 20 * static_cast<std::int64_t>(operation->rules.size()));
    GenerateOptions options = options_for(operation->name, 12, cases);
    options.broken = Broken::added;
    const CaseGenerator generator(options);
    REQUIRE(generator.size() == 2 * cases);
    std::map<std::string, int> labels;
    std::set<std::string> ways;
    for (std::int64_t i = cases; i < 2 * cases; ++i) {
      const GeneratedCase each = generator.at(i);
      ++labels[each.expected_error];
      ways.insert(way_of(each));
    }
    INFO(operation->name);
    std::size_t breakable = 0;
    for (const OperationRule& rule : operation->rules) {
      const bool takes_any = operation->policies.outside != OutsideIndex::error;
      if (rule.check == Check::index_range && takes_any) continue;
      ++breakable;
      CHECK(labels[std::string(rule.label)] >= 15);
    }
    CHECK(labels.size() == breakable);
    // Fewer where updates is one value, or data is made.
    CHECK(ways.size() > (is_made(operation->base) ? 40 : 50));
  }
}

TEST_CASE("broken cases of an operation have every change among them", "[generate]") {
  GenerateOptions options = options_for("ScatterUpdate-3", 12, 2000);
  options.broken = Broken::added;
  const CaseGenerator generator(options);
  std::set<std::string> ways;
  for (std::int64_t i = options.count; i < generator.size(); ++i)
    ways.insert(way_of(generator.at(i)));
  for (const std::string way :
       {"c1-data-rank-0",        "c2-axis-axis-more",    "c2-axis-float32",
        "c2-axis-longer",        "c2-axis-shorter",      "c3-axis-above",
        "c3-axis-below",         "c3-axis-int64-max",    "c3-axis-int64-min",
        "c4-data-shorter",       "c4-indices-above",     "c4-indices-below",
        "c4-indices-minus-1",    "c4-indices-int64-max", "c4-indices-int64-min",
        "c4-indices-uint64-max", "c5-indices-bool",      "c6-updates-axis-less",
        "c6-updates-axis-more",  "c6-updates-longer",    "c6-updates-shorter",
        "c6-updates-size-1",     "c7-updates-float64",   "c7-updates-strings"}) {
    INFO(way);
    CHECK(ways.contains(way));
  }
}

namespace {

// generic.scatter in a form, with the first answer to every other question.
Operation generic(Form form) {
  Operation row = *find_operation("generic.scatter");
  for (const PolicyInfo& each : policy_table())
    override_policy(row, each, each.policy == Policy::form ? static_cast<std::size_t>(form) : 0);
  return row;
}

// The labels of the broken cases, each of which the oracle refuses by its label.
std::set<std::string> broken_labels(const Operation& operation) {
  GenerateOptions options = options_for(operation.name, 12);
  options.operation = &operation;
  options.broken = Broken::added;
  const CaseGenerator generator(options);
  std::set<std::string> labels;
  for (std::int64_t i = options.count; i < generator.size(); ++i) {
    const GeneratedCase each = generator.at(i);
    INFO(each.name);
    oracle::Call call = call_of(each);
    call.variant = std::make_shared<Operation>(operation);
    const auto refused = oracle::refusal_of(call);
    CHECK((refused ? refused->label : "accepted") == each.expected_error);
    CHECK(refusal([&] { output_of(each); }).ends_with(" [" + each.expected_error + "]"));
    labels.insert(each.expected_error);
  }
  return labels;
}

}  // namespace

TEST_CASE("broken cases of generic.scatter break every rule, each form its own", "[generate]") {
  std::set<std::string> labels;
  for (const Form form : {Form::rows, Form::nd, Form::elements, Form::window})
    labels.merge(broken_labels(generic(form)));
  for (const Rule& rule : find_operation("generic.scatter")->rules) {
    INFO(rule.label);
    CHECK(labels.contains(std::string(rule.label)));
  }
}

TEST_CASE("operation.o6: windows that may not meet have broken cases, too", "[generate]") {
  Operation unique = generic(Form::window);
  override_policy(unique, info(Policy::duplicates), "true");
  CHECK(broken_labels(unique).contains("operation.o6"));
}

TEST_CASE("operation.o6: with unique every operation whose entries can meet has cases that do",
          "[generate]") {
  const auto can_meet = [](const Operation& operation) {
    return has_answers(operation) && forms::info(operation.form).repeats_places() &&
           operation.label(Check::duplicates).empty();  // no rule of its own
  };
  for (const Operation* operation : sampled_operations(can_meet)) {
    Operation unique = *operation;
    override_policy(unique, info(Policy::duplicates), "true");
    INFO(operation->name);
    CHECK(broken_labels(unique).contains("operation.o6"));
  }
}

}  // namespace tscatter::generate
