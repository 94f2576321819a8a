// Random cases against the oracle. TSCATTER_SEED and TSCATTER_CASES set the first seed and the
// number of cases; case i has the seed TSCATTER_SEED + i, so TSCATTER_SEED=<seed of the case>
// TSCATTER_CASES=1 runs it alone.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <map>
#include <string>

#include "catch.hpp"
#include "property/random_case.hpp"
#include "property/run_case.hpp"

namespace tscatter::property {
namespace {

constexpr std::uint64_t default_seed = 20240611;
constexpr std::uint64_t default_legal_cases = 80000;
constexpr std::uint64_t default_illegal_cases = 8000;

std::uint64_t from_environment(const char* name, std::uint64_t otherwise) {
  const char* value = std::getenv(name);
  return value == nullptr ? otherwise : std::strtoull(value, nullptr, 10);
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

// A destination without axes in data without elements: entries are not read then, and nobody can
// tell them apart.
bool has_no_destinations(const oracle::Call& call) {
  if (!call.operands.contains("indices")) return false;
  const Shape& indices = call.operand("indices").shape;
  return call.operation != "scatter_update_3" && indices.back() == 0 &&
         call.operand("data").count() == 0;
}

std::string wrong_counts(const Case& c, const Report& report, const oracle::Result& expected) {
  const RunCounts& counts = report.counts;
  if (report.index_entries != expected.index_entries) {
    return fmt::format("index_entries are {}, must be {}", report.index_entries,
                       expected.index_entries);
  }
  if (counts.elements_written != expected.elements_written()) {
    return fmt::format("elements_written are {}, must be {}", counts.elements_written,
                       expected.elements_written());
  }
  if (counts.duplicates != expected.duplicates && !has_no_destinations(c.call)) {
    return fmt::format("duplicates are {}, must be {}", counts.duplicates, expected.duplicates);
  }
  return "";
}

// What is wrong with the library's answer to a legal case; "" when nothing is.
std::string wrong_with_legal(const Case& c) {
  if (const auto refusal = oracle::refusal_of(c.call))
    return "the oracle refuses by " + refusal->label;
  const oracle::Result expected = oracle::apply(c.call);
  const Report checked = check_case(c);
  const Outcome outcome = run_case(c);
  if (outcome.error) return std::string("refused: ") + outcome.error->what();
  if (!outcome.misuse.empty()) return outcome.misuse;
  if (!outcome.is_committed) return "not committed";
  const oracle::Layout layout = c.layouts.find("data")->second;
  if (const auto at = oracle::first_difference(expected, layout, outcome.output)) {
    return fmt::format("element {} in row-major order differs from the oracle's", *at);
  }
  const std::string wrong = wrong_counts(c, outcome.report, expected);
  return wrong.empty() ? wrong_counts(c, checked, expected) : wrong;
}

std::string wrong_with_illegal(const IllegalCase& illegal) {
  const Case& c = illegal.broken;
  const Outcome outcome = run_case(c);
  if (!outcome.error)
    return fmt::format("not refused, must be by {} {}", illegal.refusal.label, outcome.misuse);
  const Error& error = *outcome.error;
  if (error.kind() != ErrorKind::rule || error.label() != illegal.refusal.label) {
    return fmt::format("refused with \"{}\", must be by {}", error.what(), illegal.refusal.label);
  }
  const std::string& place = illegal.refusal.place;
  if (!place.empty() && !error.message().starts_with(place + " must be in [")) {
    return fmt::format("refused with \"{}\", must name {}", error.what(), place);
  }
  if (outcome.is_begun || outcome.is_committed || !outcome.misuse.empty())
    return "the output was touched";
  const oracle::Layout layout = c.layouts.find("data")->second;
  const bool is_in_place = c.delivery.destination == Destination::in_place;
  if (is_in_place && outcome.output != oracle::stored(c.call.operand("data"), layout))
    return "data was changed";
  return "";
}

std::string replay(std::uint64_t seed, const Case& c, const std::string& wrong) {
  return fmt::format("{}. Replay with TSCATTER_SEED={} TSCATTER_CASES=1: {}", wrong, seed,
                     to_string(c));
}

void count_case(Census& census, const Case& c) {
  const oracle::Result result = oracle::apply(c.call);
  census.count("with duplicates", result.duplicates > 0 ? "yes" : "no");
  census.count("elements written", result.elements_written() > 0 ? "some" : "none");
  census.count("operation", c.call.operation);
  census.count("dtype", info(c.call.operand("data").type.dtype).name);
  census.count("reduction", to_string(c.call.reduction));
  census.count("order of data",
               c.layouts.find("data")->second.order == MemoryOrder::c ? "C" : "Fortran");
  census.count("rank", std::to_string(c.call.operand("data").shape.size()));
}

}  // namespace

TEST_CASE("random legal cases give the oracle's result bit for bit", "[property]") {
  const std::uint64_t first = from_environment("TSCATTER_SEED", default_seed);
  const std::uint64_t cases = from_environment("TSCATTER_CASES", default_legal_cases);
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
  std::cout << "legal cases: " << agreed << " agree with the oracle" << std::endl;
  REQUIRE(agreed == cases);
}

TEST_CASE("random cases that break one rule are refused by it, and nothing is written",
          "[property]") {
  const std::uint64_t first = from_environment("TSCATTER_SEED", default_seed);
  const std::uint64_t cases = from_environment("TSCATTER_CASES", default_illegal_cases);
  std::cout << "illegal cases: TSCATTER_SEED=" << first << " TSCATTER_CASES=" << cases << std::endl;
  Census census;
  std::uint64_t refused = 0;
  for (std::uint64_t seed = first; seed < first + cases; ++seed) {
    INFO("TSCATTER_SEED=" << seed << " TSCATTER_CASES=1");
    Random random(seed);
    const IllegalCase illegal = random_illegal_case(random);
    const std::string wrong = wrong_with_illegal(illegal);
    if (!wrong.empty()) FAIL(replay(seed, illegal.broken, wrong));
    census.count("rule", illegal.refusal.label);
    ++refused;
  }
  census.print();
  std::cout << "illegal cases: " << refused << " refused by their rule" << std::endl;
  REQUIRE(refused == cases);
  if (cases < default_illegal_cases) return;
  for (const Operation* operation : operations()) {
    for (const Rule& rule : operation->rules)
      CHECK(census.of("rule").contains(std::string(rule.label)));
  }
}

}  // namespace tscatter::property
