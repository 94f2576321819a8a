// What a diagnosis must not say: faults that elements which are right deny, or that nothing shows.
#include <numeric>

#include "catch.hpp"
#include "diagnose/verdicts.hpp"

namespace tscatter {
namespace {

using planted::all_of;
using planted::Device;
using planted::Meeting;
using planted::named;
using planted::names;
using planted::verdict_on;
using Words = std::vector<std::string>;

// Whether some diagnosis of any rank has these words, or begins with them.
bool has_words(const Verification& v, std::string_view words) {
  return std::ranges::any_of(v.diagnoses.named, [&](const orders::Diagnosis& each) {
    return each.words.starts_with(words);
  });
}

Device<std::uint32_t> sums_of(std::vector<std::uint32_t> data, std::vector<std::int64_t> indices,
                              std::vector<std::uint32_t> updates) {
  const auto destinations = static_cast<std::int64_t>(data.size());
  return {.destinations = destinations,
          .data = std::move(data),
          .indices = std::move(indices),
          .updates = std::move(updates)};
}

}  // namespace

TEST_CASE("diagnose: an update is not written by an entry that does go there", "[diagnose]") {
  const Verification v = sums_of({0}, {0, 0}, {5, 6}).verify({5});
  INFO(all_of(v));
  CHECK(names(v, "without-entry", "without indices[1]"));
  CHECK(!has_words(v, "written by"));
}

TEST_CASE("diagnose: an update is found at a place of no entry", "[diagnose]") {
  const Verification v = sums_of({1, 2, 3, 4}, {0, 1}, {50, 60}).verify({51, 62, 3, 54});
  INFO(all_of(v));
  CHECK(names(v, "other-writer", "written by indices[0], which does not go there"));
}

TEST_CASE("diagnose: narrower dtypes explain no value that their bound cannot tell", "[diagnose]") {
  const Meeting<float> ones{0, std::vector<float>(300, 1), Reduction::sum};
  for (const float wrong : {100.0F, 500.0F}) {
    const Verification v = verdict_on(ones, wrong);
    INFO(all_of(v));
    CHECK(v.count(ElementClass::wrong) == 1);
    CHECK(!has_words(v, "computed in"));
  }
  CHECK(names(verdict_on(ones, 256.0F), "precision", "computed in bfloat16"));
  // Few updates, in another order: 2048 + 1 is 2048 in float16.
  const Meeting<float> few{2048, {1, 1}, Reduction::sum};
  CHECK(names(verdict_on(few, 2048.0F), "precision", "computed in float16"));
  const Meeting<float> turned{1, {2048, 1}, Reduction::sum};
  CHECK(names(verdict_on(turned, 2048.0F), "precision", "computed in float16"));
}

TEST_CASE("diagnose: a range of entries is not missing where some of them were applied",
          "[diagnose]") {
  const auto device = sums_of({0, 0, 0, 0}, {0, 1, 2, 3, 0}, {1, 2, 3, 4, 5});
  const Verification some = device.verify({5, 2, 3, 0});
  INFO(all_of(some));
  CHECK(named(some) == Words{"without-entry: without one update at each: indices[0], indices[3]"});
  const auto twice = sums_of({0, 0, 0, 0}, {0, 1, 2, 3, 0, 1}, {1, 2, 3, 4, 5, 6});
  CHECK(names(twice.verify({5, 6, 0, 4}), "without-entries", "without indices[0] to indices[2]"));
}

TEST_CASE("diagnose: nothing counts twice where other elements are right", "[diagnose]") {
  const Verification updates = sums_of({0, 0, 0}, {0, 1, 2}, {5, 6, 7}).verify({10, 6, 7});
  INFO(all_of(updates));
  CHECK(named(updates) == Words{"entry-twice: twice indices[0]"});
  const Verification data = sums_of({5, 6, 7}, {0, 1}, {1, 2}).verify({11, 8, 7});
  INFO(all_of(data));
  CHECK(!has_words(data, "data's value twice"));
  CHECK(names(sums_of({5, 6, 7}, {0, 1}, {1, 2}).verify({11, 14, 7}), "data-twice",
              "data's value twice"));
}

TEST_CASE("diagnose: data that was not copied", "[diagnose]") {
  const auto sums = sums_of({5, 6, 7, 8}, {1}, {2});
  const std::string words = "data not copied: zeros where no update reaches";
  CHECK(named(sums.verify({0, 8, 0, 0})) == Words{"untouched: " + words});
  CHECK(has_words(sums.verify({0, 9, 0, 0}), words));
  CHECK(!has_words(sums.verify({0, 8, 0, 8}), words));
  CHECK(!has_words(sums.verify({3, 8, 3, 3}), words));
}

TEST_CASE("diagnose: one coincidence is no shift", "[diagnose]") {
  Device<std::uint32_t> device = sums_of({7, 0, 0, 0, 0, 0, 0, 0, 0, 0}, {9}, {5});
  device.reduction = Reduction::none;
  const Verification v = device.verify({7, 0, 0, 0, 0, 0, 0, 0, 0, 7});
  INFO(all_of(v));
  CHECK(v.count(ElementClass::wrong) == 1);
  CHECK(!has_words(v, "shifted"));
  CHECK(!has_words(sums_of({7, 0}, {1}, {5}).verify({7, 7}), "shifted"));
  CHECK(!has_words(sums_of({7, 8, 9}, {1}, {5}).verify({7, 7, 9}), "shifted"));
}

TEST_CASE("diagnose: data's value is not that of another place", "[diagnose]") {
  const std::vector<std::uint32_t> zeros(300, 0);
  const Verification v = sums_of(zeros, {1, 5, 9}, {7, 8, 9}).verify(zeros);
  INFO(all_of(v));
  CHECK(names(v, "no-update", "no update applied: data's value"));
  CHECK(!has_words(v, "shifted"));
  CHECK(!has_words(v, "rotated"));
}

TEST_CASE("diagnose: what lies out of range is not explained by a shift", "[diagnose]") {
  const Verification v = sums_of({1, 2, 3, 4, 5, 6}, {2}, {50}).verify({99, 1, 2, 53, 4, 5});
  INFO(all_of(v));
  CHECK(named(v) == Words{"shifted: shifted by +1 elements"});
  CHECK(v.diagnoses.named.front().explained == 5);
  CHECK(v.diagnoses.unexplained == 1);
}

// Four rows of 300,000 updates each, all into two elements: what reaches the right one alone is
// read, and no more of the others.
TEST_CASE("diagnose: right elements are compared, however many updates reach the others",
          "[diagnose]") {
  const std::size_t many = 300000;
  std::vector<std::int64_t> indices(2 * many + 2);
  for (std::size_t i = 0; i < 2 * many; ++i) indices[i] = static_cast<std::int64_t>(i % 2);
  indices[2 * many] = 2;
  indices[2 * many + 1] = 3;
  const auto device =
      sums_of({0, 0, 0, 0}, std::move(indices), std::vector<std::uint32_t>(2 * many + 2, 1));
  std::vector<std::uint32_t> actual = device.result(device.steps());
  CHECK(actual[2] == 1);
  actual[2] = 2;
  const Verification v = device.verify(actual);
  INFO(all_of(v));
  CHECK(v.count(ElementClass::wrong) == 1);
  CHECK(!has_words(v, "every update twice"));
  CHECK(names(v, "entry-twice", "twice indices[600000]"));
}

// Of a large result some elements are compared, and those that the fault would change.
TEST_CASE("diagnose: what indices would have written elsewhere is compared", "[diagnose]") {
  std::vector<std::uint32_t> data(20000);
  std::iota(data.begin(), data.end(), 0U);
  Device<std::uint32_t> device = sums_of(data, {300}, {7});
  device.reduction = Reduction::none;
  const Verification v = device.verify(data);
  INFO(all_of(v));
  CHECK(names(v, "no-update", "no update applied: data's value"));
  CHECK(!has_words(v, "indices"));
  CHECK(names(device.verify(device.result({{.destination = 301, .row = 0}})), "indices",
              "indices off by +1 along axis 0"));
}

// Of 3000 entries, one: that to which the reduction makes no difference is at no other place.
TEST_CASE("diagnose: many elements that are right deny a fault of the whole call", "[diagnose]") {
  std::vector<std::uint32_t> data(20000, 2);
  std::vector<std::int64_t> indices(3000);
  for (std::size_t i = 0; i < indices.size(); ++i) indices[i] = static_cast<std::int64_t>(6 * i);
  std::vector<std::uint32_t> updates(3000, 2);
  updates[1717] = 5;
  updates[2929] = 5;
  const Device<std::uint32_t> device = sums_of(data, indices, updates);
  std::vector<std::uint32_t> actual = device.result(device.steps());
  actual[static_cast<std::size_t>(indices[1717])] = 10;
  const Verification v = device.verify(actual);
  INFO(all_of(v));
  CHECK(v.count(ElementClass::wrong) == 1);
  CHECK(!has_words(v, "as with the reduction prod"));
}

TEST_CASE("diagnose: an operation without a reduction is named beside the reduction none",
          "[diagnose]") {
  const Verification v = sums_of({10, 20, 30}, {0, 1, 0}, {5, 6, 7}).verify({7, 6, 30});
  INFO(all_of(v));
  CHECK(names(v, "reduction", "as with the reduction none"));
  CHECK(names(v, "operation", "as onnx.ScatterND-13"));
  CHECK(names(v, "operation", "as ScatterNDUpdate-4"));
  CHECK(!has_words(v, "as onnx.ScatterND"));
  CHECK(!has_words(v, "as ScatterNDUpdate"));
}

}  // namespace tscatter
