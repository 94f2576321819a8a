// Random faults against what a device leaves (device.hpp): no diagnosis is false.
#include <algorithm>

#include "catch.hpp"
#include "diagnose/claims.hpp"
#include "diagnose/verdicts.hpp"
#include "property/environment.hpp"

namespace tscatter {
namespace {

using planted::all_of;
using planted::Device;
using planted::Fault;
using planted::is_named;
using planted::tried_reductions;
using planted::wrong_elements;
using property::Random;

// How many of the wrong elements.
template <class Holds>
std::int64_t count_wrong(const Verification& v, const Holds& holds) {
  return std::ranges::count_if(v.worst, [&](const ElementReport& each) {
    return each.verdict.element_class == ElementClass::wrong &&
           holds(static_cast<std::size_t>(each.index));
  });
}

// What is said of each element on its own.
template <class T>
bool holds_of_some(const planted::Claimant<T>& claimant, std::string_view words, std::size_t i,
                   T got) {
  if (words.starts_with("without one update at each: ")) return claimant.is_without_one(i, got);
  if (words.starts_with("twice one update at each: ")) return claimant.is_twice_one(i, got);
  return words == "without several of its updates" && claimant.is_without_some(i, got);
}

// Requires that each diagnosis holds: of the wrong elements that it explains, and of all that are
// right if it is one of the whole call. Returns how many were compared.
template <class T>
std::uint64_t check_claims(const Verification& v, const Device<T>& device,
                           const std::vector<T>& actual) {
  const planted::Claimant<T> claimant(device);
  const std::vector<bool> wrong = wrong_elements(v, actual.size());
  const bool are_all = v.diagnoses.examined == v.count(ElementClass::wrong);
  for (const orders::Diagnosis& each : v.diagnoses.named) {
    const std::string& words = each.words;
    INFO(words);
    const auto claim = claimant.claim(words);
    const std::int64_t explained = count_wrong(v, [&](std::size_t i) {
      return claim ? claim->explains(i, actual[i]) : holds_of_some(claimant, words, i, actual[i]);
    });
    REQUIRE(each.explained <= explained);
    if (!claim) continue;
    const std::int64_t exact =
        count_wrong(v, [&](std::size_t i) { return claim->is(i, actual[i]); });
    REQUIRE(each.exact <= exact);
    if (std::is_integral_v<T> && each.rank == 1 && are_all) REQUIRE(each.exact == exact);
    for (std::size_t i = 0; i < actual.size() && claim->is_whole; ++i) {
      if (!wrong[i]) REQUIRE(claim->allows(i, actual[i]));
    }
  }
  return v.diagnoses.named.size();
}

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
    const Reduction reduction = tried_reductions[random.bits() % tried_reductions.size()];
    const bool is_large = random.chance(3);  // not all of its elements are compared
    const auto device = planted::random_device<std::uint32_t>(
        random, reduction, is_large ? random.between(1000, 2000) : random.between(1, 12),
        random.between(1, 12), random.between(1, is_large ? 2 : 3));
    const std::vector<Fault<std::uint32_t>> faults = planted::faults_of(device);
    const Fault<std::uint32_t>& fault = faults[random.bits() % faults.size()];
    std::vector<std::uint32_t> actual = fault.actual;
    const bool is_mixed = random.chance(30);
    if (is_mixed)
      actual[random.bits() % actual.size()] += static_cast<std::uint32_t>(random.between(1, 100));
    if (random.chance(10)) actual = device.result(device.steps());
    examined += is_large ? 20 : actual.size();
    const Verification v = device.verify(actual, {.worst = 10000});
    const std::int64_t wrong = v.count(ElementClass::wrong);
    INFO("TSCATTER_SEED=" << seed << ", " << to_string(reduction) << ", " << fault.kind << ": "
                          << fault.words << "\n"
                          << all_of(v));
    REQUIRE(v.diagnoses.examined == std::min<std::int64_t>(wrong, 1000));
    compared += check_claims(v, device, actual);
    // Where a single element has a source, a shift may be a coincidence.
    const bool is_shown = fault.kind != "shifted" || actual.size() > 2;
    const bool is_planted = wrong > 0 && !is_mixed && is_shown && actual == fault.actual;
    if (is_planted) REQUIRE(is_named(v, fault.kind, fault.words));
  }
  CHECK(compared > elements / 40);
}

// Values that nothing left, among sums of many updates.
TEST_CASE("diagnose: no diagnosis of a random value is false", "[diagnose]") {
  const std::uint64_t first = property::from_environment("TSCATTER_SEED", 20261123);
  const std::uint64_t elements =
      property::extent("TSCATTER_ELEMENTS", {.whole = 20000, .sample = 1000, .slowed = 300});
  std::uint64_t examined = 0;
  for (std::uint64_t seed = first; examined < elements; ++seed) {
    Random random(seed);
    Device<float> device{.destinations = random.between(1, 4)};
    const std::int64_t entries = random.among({4, 16, 100, 300, 600});
    const bool is_whole = random.chance(50);
    const auto value = [&] {
      const auto number = static_cast<float>(random.between(1, 9));
      return is_whole ? number : number / 7;
    };
    for (std::int64_t i = 0; i < device.destinations; ++i) device.data.push_back(value());
    for (std::int64_t i = 0; i < entries; ++i) {
      device.indices.push_back(random.between(0, device.destinations - 1));
      device.updates.push_back(value());
    }
    std::vector<float> actual = device.result(device.steps());
    float& broken = random.among({&actual.front(), &actual.back()})[0];
    const auto near = static_cast<std::int64_t>(broken);
    broken = static_cast<float>(random.between(0, 2 * near + 1));
    if (random.chance(30)) broken /= 16;
    examined += actual.size();
    const Verification v = device.verify(actual, {.worst = 10000});
    INFO("TSCATTER_SEED=" << seed << ", got " << broken << " for " << near << "\n" << all_of(v));
    check_claims(v, device, actual);
  }
}

}  // namespace tscatter
