// Random faults against what a device leaves (device.hpp): no diagnosis is false.
#include <map>

#include "catch.hpp"
#include "diagnose/verdicts.hpp"
#include "property/environment.hpp"

namespace tscatter {
namespace {

using planted::all_of;
using planted::Fault;
using planted::is_named;
using planted::reductions;
using planted::words_of;
using property::Random;

}  // namespace

// What the faults of a device leave at the wrong elements is what their diagnoses count.
TEST_CASE("diagnose: no diagnosis is false", "[diagnose]") {
  const std::uint64_t first = property::from_environment("TSCATTER_SEED", 20261123);
  const std::uint64_t elements =
      property::extent("TSCATTER_ELEMENTS", {.whole = 100000, .sample = 4000, .slowed = 1000});
  std::uint64_t examined = 0;
  std::uint64_t compared = 0;
  for (std::uint64_t seed = first; examined < elements; ++seed) {
    Random random(seed);
    const Reduction reduction = reductions[random.bits() % reductions.size()];
    const auto device = planted::random_device<std::uint32_t>(
        random, reduction, random.between(1, 12), random.between(1, 12), random.between(1, 3));
    const std::vector<Fault<std::uint32_t>> faults = planted::faults_of(device);
    const Fault<std::uint32_t>& fault = faults[random.bits() % faults.size()];
    std::vector<std::uint32_t> actual = fault.actual;
    const bool is_mixed = random.chance(30);
    if (is_mixed)
      actual[random.bits() % actual.size()] += static_cast<std::uint32_t>(random.between(1, 100));
    if (random.chance(10)) actual = device.result(device.steps());
    examined += actual.size();
    const Verification v = device.verify(actual, {.worst = 10000});
    const std::int64_t wrong = v.count(ElementClass::wrong);
    INFO("TSCATTER_SEED=" << seed << ", " << to_string(reduction) << ", " << fault.kind << ": "
                          << fault.words << "\n"
                          << all_of(v));
    REQUIRE(v.diagnoses.examined == wrong);
    std::map<std::string, const Fault<std::uint32_t>*> by_words;
    for (const auto& each : faults) by_words[each.words] = &each;
    for (const orders::Diagnosis& each : v.diagnoses.named) {
      const auto known = by_words.find(words_of(each));
      if (each.rank != 1 || known == by_words.end()) continue;
      ++compared;
      std::int64_t same = 0;
      for (const ElementReport& one : v.worst) {
        const auto at = static_cast<std::size_t>(one.index);
        if (one.verdict.element_class == ElementClass::wrong &&
            known->second->actual[at] == actual[at])
          ++same;
      }
      REQUIRE(same == each.exact);
    }
    // Where a single element has a source, a shift may be a coincidence.
    const bool is_shown = fault.kind != "shifted" || actual.size() > 2;
    const bool is_planted = wrong > 0 && !is_mixed && is_shown && actual == fault.actual;
    if (is_planted) REQUIRE(is_named(v, fault.kind, fault.words));
  }
  CHECK(compared > elements / 40);
}

}  // namespace tscatter
