// Random cases against the oracle. TSCATTER_SEED and TSCATTER_CASES set the first seed and the
// number of cases; case i has the seed TSCATTER_SEED + i, so TSCATTER_SEED=<seed of the case>
// TSCATTER_CASES=1 runs it alone.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iostream>
#include <map>
#include <string>

#include "catch.hpp"
#include "oracle/accumulated.hpp"
#include "property/environment.hpp"
#include "property/random_calls.hpp"
#include "property/random_case.hpp"
#include "property/wrong_with.hpp"
#include "tscatter/ops/operation.hpp"
#include "tscatter/ops/policies.hpp"

namespace tscatter::property {
namespace {

constexpr std::uint64_t default_seed = 20240611;
constexpr Extent legal_cases{.whole = 80000, .sample = 10000, .slowed = 1000};
constexpr Extent illegal_cases{.whole = 16000, .sample = 8000, .slowed = 1000};

// Of the operations that came after the first four.
bool is_of_family(std::string_view operation) {
  constexpr std::array first{"scatter_update_3", "scatter_nd_update_3", "scatter_nd_update_15",
                             "slice_scatter_15"};
  return std::ranges::count(first, operation) == 0;
}

// How often each word of a kind came up.
class Census {
 public:
  void count(const std::string& kind, std::string_view word) { ++counts_[kind][std::string(word)]; }
  const std::map<std::string, int>& of(const std::string& kind) { return counts_[kind]; }

  void print() const {
    for (const auto& [kind, words] : counts_) {
      std::string line = "  " + kind + ":";
      for (const auto& [word, count] : words) line += fmt::format(" {} {},", word, count);
      line.back() = '\n';
      std::cout << line;
    }
  }

 private:
  std::map<std::string, std::map<std::string, int>> counts_;
};

std::string replay(std::uint64_t seed, const Case& c, const std::string& wrong) {
  return fmt::format("{}. Replay with TSCATTER_SEED={} TSCATTER_CASES=1: {}", wrong, seed,
                     to_string(c));
}

// A number counts as one.
std::string kind_of_answer(const PolicyInfo& policy, const Operation& row) {
  const std::string answer = answer_to(policy, row);
  if (answer.empty()) return "its attribute's";
  return find_word(policy, answer) ? answer : "a number";
}

void count_case(Census& census, const Case& c) {
  const oracle::Result result = oracle::apply(c.call);
  census.count("with duplicates", result.duplicates > 0 ? "yes" : "no");
  census.count("elements written", result.elements_written() > 0 ? "some" : "none");
  census.count("operation", c.call.operation);
  if (c.call.operation == "generic.scatter")
    census.count("form of generic.scatter", answer_to(info(Policy::form), c.call.row()));
  if (c.call.variant) {
    for (const PolicyInfo* each : policies_of(c.call.row()))
      census.count(fmt::format("answer to {}", each->key), kind_of_answer(*each, c.call.row()));
  }
  if (oracle::accumulator_of(c.call).size > c.call.operand("data").type.size)
    census.count("accumulator", info(oracle::accumulator_of(c.call).dtype).name);
  census.count("with dropped entries", result.dropped > 0 ? "yes" : "no");
  if (c.call.variant)
    census.count("policy on indices out of range",
                 fmt::format("{}", static_cast<int>(c.call.row().policies.outside)));
  census.count("dtype", info(c.call.operand("data").type.dtype).name);
  census.count("reduction", to_string(c.call.reduction()));
  census.count("order of data",
               c.layouts.find("data")->second.order == MemoryOrder::c ? "C" : "Fortran");
  census.count("rank", std::to_string(c.call.operand("data").shape.size()));
}

}  // namespace

TEST_CASE("random legal cases give the oracle's result bit for bit", "[property]") {
  const std::uint64_t first = from_environment("TSCATTER_SEED", default_seed);
  const std::uint64_t cases = extent("TSCATTER_CASES", legal_cases);
  std::cout << "legal cases: TSCATTER_SEED=" << first << " TSCATTER_CASES=" << cases << std::endl;
  Census census;
  std::uint64_t agreed = 0;
  for (std::uint64_t seed = first; seed < first + cases; ++seed) {
    INFO("TSCATTER_SEED=" << seed << " TSCATTER_CASES=1");
    Random random(seed);
    const Case c = random_legal_case(random);
    const std::string wrong = wrong_with_legal(c);
    if (!wrong.empty()) FAIL(replay(seed, c, wrong));
    count_case(census, c);
    ++agreed;
  }
  census.print();
  int of_family = 0;
  for (const auto& [operation, count] : census.of("operation"))
    of_family += is_of_family(operation) ? count : 0;
  std::cout << "legal cases: " << agreed << " agree with the oracle, " << of_family
            << " of them of operations after the first four" << std::endl;
  REQUIRE(agreed == cases);
  if (cases < legal_cases.sample) return;
  CHECK(2 * of_family >= static_cast<int>(cases));
  for (const Operation* operation : operations()) {
    INFO(operation->id);
    CHECK(census.of("operation").contains(std::string(operation->id)));
  }
  for (const std::string form : {"rows", "nd", "elements", "window"})
    CHECK(census.of("form of generic.scatter").contains(form));
}

TEST_CASE("random cases that break one rule are refused by it, and nothing is written",
          "[property]") {
  const std::uint64_t first = from_environment("TSCATTER_SEED", default_seed);
  const std::uint64_t cases = extent("TSCATTER_CASES", illegal_cases);
  std::cout << "illegal cases: TSCATTER_SEED=" << first << " TSCATTER_CASES=" << cases << std::endl;
  Census census;
  std::uint64_t refused = 0;
  for (std::uint64_t seed = first; seed < first + cases; ++seed) {
    INFO("TSCATTER_SEED=" << seed << " TSCATTER_CASES=1");
    Random random(seed);
    const IllegalCase illegal = random_illegal_case(random);
    const std::string wrong = wrong_with_illegal(illegal.broken, illegal.refusal);
    if (!wrong.empty()) FAIL(replay(seed, illegal.broken, wrong));
    census.count("rule", illegal.refusal.label);
    ++refused;
  }
  census.print();
  std::cout << "illegal cases: " << refused << " refused by their rule" << std::endl;
  REQUIRE(refused == cases);
  if (cases < illegal_cases.sample) return;
  for (const Operation* operation : operations()) {
    for (const OperationRule& rule : operation->rules) {
      const bool is_unbroken = rule.check == Check::index_range && takes_any_place(*operation);
      INFO(rule.label);
      CHECK(census.of("rule").contains(std::string(rule.label)) != is_unbroken);
    }
  }
}

}  // namespace tscatter::property
