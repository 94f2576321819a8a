// Diagnoses of results with planted faults: each fault is named, and nothing where the result is
// legal.
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <numeric>
#include <regex>
#include <tuple>

#include "catch.hpp"
#include "diagnose/verdicts.hpp"
#include "tscatter/core/half.hpp"
#include "tscatter/diagnose/hypotheses.hpp"
#include "tscatter/tscatter.hpp"

namespace tscatter {
namespace {

using planted::all_of;
using planted::Device;
using planted::Fault;
using planted::is_named;
using planted::Meeting;
using planted::named;
using planted::names;
using planted::tried_reductions;
using planted::verdict_on;
using planted::verified;
using property::Random;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

}  // namespace

TEMPLATE_TEST_CASE("diagnose: each planted fault is named", "[diagnose]", std::uint32_t,
                   std::uint64_t, float, double) {
  int planted = 0;
  for (const Reduction reduction : tried_reductions) {
    for (const std::int64_t block : {1, 3}) {
      Random random(20261123);
      const auto device = planted::random_device<TestType>(random, reduction, 7, 9, block);
      for (const Fault<TestType>& fault : planted::faults_of(device)) {
        const Verification v = device.verify(fault.actual);
        if (v.count(ElementClass::wrong) == 0) continue;
        ++planted;
        INFO(to_string(reduction) << ", block " << block << ", " << fault.kind << ": "
                                  << fault.words << "\n"
                                  << all_of(v));
        CHECK(is_named(v, fault.kind, fault.words));
      }
    }
  }
  CHECK(planted > 60);
}

TEST_CASE("diagnose: what is legal has no diagnosis", "[diagnose]") {
  Random random(7);
  for (const Reduction reduction : tried_reductions) {
    const auto device = planted::random_device<float>(random, reduction, 5, 30, 4);
    for (int times = 0; times < 20; ++times) {
      std::vector<planted::Step> steps = device.steps();
      const auto order = random_order(random, steps.size());
      std::vector<planted::Step> shuffled;
      for (const std::size_t k : order) shuffled.push_back(steps[k]);
      const Verification v = device.verify(device.result(shuffled));
      CHECK(v.is_legal());
      CHECK(v.diagnoses.examined == 0);
      CHECK(v.diagnoses.named.empty());
      for (const ElementReport& each : v.worst) CHECK(!each.diagnosis);
    }
  }
}

TEST_CASE("diagnose: a lost update is found in any order of the others", "[diagnose]") {
  const Meeting<float> meeting{0.1F, {1e6F, 0.3F, 7.7F, 1000.1F}, Reduction::sum};
  const float other_order = ((0.1F + 1000.1F) + 0.3F) + 1e6F;
  const Verification v = verdict_on(meeting, other_order);
  CHECK(named(v) == std::vector<std::string>{"without-entry: without indices[2]"});
  CHECK(v.diagnoses.named.front().exact == 0);
}

TEST_CASE("diagnose: of very many updates the one that is missing is found", "[diagnose]") {
  Meeting<double> meeting{0, {}, Reduction::sum};
  for (int i = 0; i < 3000; ++i) meeting.updates.push_back(1.0 + i * i);
  double sum = 0;
  for (std::size_t i = 0; i < meeting.updates.size(); ++i)
    sum += i == 1234 ? 0 : meeting.updates[i];
  CHECK(names(verdict_on(meeting, sum), "without-entry", "without indices[1234]"));
  const double twice = sum + 2 * meeting.updates[1234];
  CHECK(names(verdict_on(meeting, twice), "entry-twice", "twice indices[1234]"));
}

TEST_CASE("diagnose: of very many updates the NaN that is missing is found", "[diagnose]") {
  Meeting<double> meeting{0, std::vector<double>(100, 1), Reduction::sum};
  meeting.updates[70] = nan;
  CHECK(names(verdict_on(meeting, 99.0), "without-entry", "without indices[70]"));
  meeting.updates[70] = std::numeric_limits<double>::infinity();
  CHECK(names(verdict_on(meeting, 99.0), "without-entry", "without indices[70]"));
}

TEST_CASE("diagnose: updates that were lost in another place each", "[diagnose]") {
  Device<std::uint32_t> device{.destinations = 4,
                               .data = {10, 20, 30, 40},
                               .indices = {0, 1, 2, 3, 0, 1, 2, 3},
                               .updates = {1, 2, 3, 4, 50, 60, 70, 80}};
  std::vector<std::uint32_t> actual = device.result(device.steps());
  actual[0] -= 1;
  actual[1] -= 60;
  actual[3] -= 80;
  CHECK(named(device.verify(actual)) ==
        std::vector<std::string>{
            "without-entry: without one update at each: indices[0], indices[5], indices[7]"});
}

TEST_CASE("diagnose: several faults have several ranks, and a rest is counted", "[diagnose]") {
  Device<std::uint32_t> device{.destinations = 6,
                               .data = {10, 20, 30, 40, 50, 60},
                               .indices = {0, 1, 2, 3, 4, 5},
                               .updates = {7, 8, 9, 11, 12, 13}};
  std::vector<std::uint32_t> actual = device.data;
  actual[4] = 50 + 2 * 12;
  actual[5] = 987654;
  const Verification v = device.verify(actual);
  CHECK(v.diagnoses.examined == 6);
  CHECK(v.diagnoses.unexplained == 1);
  CHECK(v.diagnoses.named.front().words == "no update applied: data's value");
  CHECK(v.diagnoses.named.front().explained == 4);
  const orders::Diagnosis& second = v.diagnoses.named.back();
  CHECK(second.rank == 2);
  CHECK(second.explained == 1);
}

TEST_CASE("diagnose: data's value that does not count", "[diagnose]") {
  CHECK(names(verdict_on(Meeting<double>{5, {2, 3}, Reduction::sum}, 5.0), "policy",
              "as with --self identity"));
  Arguments arguments = arguments_of(tensor<double>({2}, {5, 6}), int64s({2}, {0, 0}),
                                     tensor<double>({2}, {2, 4}), {{"reduction", Reduction::mean}});
  arguments.operands.emplace("axis", int64s({}, {0}));
  const auto mean = [&](double actual) {
    return verified("ScatterElementsUpdate-12", arguments, tensor<double>({2}, {actual, 6}));
  };
  CHECK(names(mean(3), "policy", "as with --use-init-val false"));
  CHECK(names(mean(11), "reduction", "the sum, not divided"));
  CHECK(names(mean(11), "reduction", "as with the reduction sum"));
  CHECK(names(mean(11.0 / 4), "reduction", "the sum, divided by one too many"));
  CHECK(names(mean(11.0 / 2), "reduction", "the sum, divided by one too few"));
  CHECK(names(mean(3.5), "without-entry", "without indices[1]"));
  CHECK(names(mean(7.0 / 3), "without-entry", "without indices[1]"));
}

TEST_CASE("diagnose: a mean by the reciprocal of the count", "[diagnose]") {
  const auto named = [](double by_reciprocal, double second) {
    Arguments arguments =
        arguments_of(tensor<double>({2}, {5, 6}), int64s({2}, {0, 0}),
                     tensor<double>({2}, {1, second}), {{"reduction", Reduction::mean}});
    arguments.operands.emplace("axis", int64s({}, {0}));
    return names(
        verified("ScatterElementsUpdate-12", arguments, tensor<double>({2}, {by_reciprocal, 6})),
        "reduction", "the sum, times the reciprocal of the count");
  };
  CHECK(named(10 * (1.0 / 3), 4));
  CHECK(!named(11 * (1.0 / 3), 5));  // the same as 11 / 3
}

TEST_CASE("diagnose: an extreme or a product that begins with zeros", "[diagnose]") {
  CHECK(names(verdict_on(Meeting<float>{9, {-3, -2}, Reduction::max}, 0.0F), "policy",
              "as with --self 0"));
  CHECK(names(verdict_on(Meeting<float>{9, {3, 2}, Reduction::min}, 0.0F), "policy",
              "as with --self 0"));
  CHECK(names(verdict_on(Meeting<std::int32_t>{9, {3, 2}, Reduction::prod}, 0), "policy",
              "as with --self 0"));
  CHECK(!names(verdict_on(Meeting<float>{9, {3, 2}, Reduction::sum}, 5.0F), "policy",
               "as with --self 0"));
}

TEST_CASE("diagnose: a largest number that begins with the least positive one", "[diagnose]") {
  const Meeting<float> negative{-9, {-3, -2}, Reduction::max};
  CHECK(names(verdict_on(negative, std::numeric_limits<float>::min()), "policy",
              "as with --self 1.1754943508222875e-38"));
  const Meeting<double> wide{-9, {-3, -2}, Reduction::max};
  CHECK(names(verdict_on(wide, std::numeric_limits<double>::min()), "policy",
              "as with --self 2.2250738585072014e-308"));
  const Meeting<float> least{9, {3, 2}, Reduction::min};
  CHECK(!names(verdict_on(least, std::numeric_limits<float>::min()), "policy",
               "as with --self 1.1754943508222875e-38"));
}

TEST_CASE("diagnose: indices out of range by another policy", "[diagnose]") {
  Policies policies = find_operation("ScatterNDUpdate-15")->policies;
  policies.outside = OutsideIndex::drop_window;
  const Call call =
      with_policies({.operation = find_operation("ScatterNDUpdate-15"),
                     .arguments = arguments_of(
                         tensor<double>({2, 3}, {0, 0, 0, 0, 0, 0}), int64s({2, 2}, {0, 3, 1, 1}),
                         tensor<double>({2}, {7, 8}), {{"reduction", Reduction::sum}})},
                    policies);
  const auto got = [&](std::vector<double> actual) {
    return verify(call, tensor<double>({2, 3}, std::move(actual)));
  };
  CHECK(names(got({0, 0, 7, 0, 8, 0}), "policy", "as with --oob clip-index"));
  CHECK(names(got({7, 0, 0, 0, 8, 0}), "policy", "as with --oob modulo"));
  CHECK(names(got({0, 0, 0, 7, 8, 0}), "indices",
              "indices that pass the end of an axis go on in the next row"));
}

TEST_CASE("diagnose: two policies at once, where they are asked for", "[diagnose]") {
  Policies policies = find_operation("ScatterNDUpdate-15")->policies;
  policies.outside = OutsideIndex::drop_window;
  const Call call = with_policies(
      {.operation = find_operation("ScatterNDUpdate-15"),
       .arguments = arguments_of(tensor<double>({3}, {1, 2, 3}), int64s({2, 1}, {0, 3}),
                                 tensor<double>({2}, {nan, 9}), {{"reduction", Reduction::max}})},
      policies);
  const Tensor actual = tensor<double>({3}, {nan, 2, 9});
  const std::string both = "as with --oob clip-index --extremes propagate";
  CHECK(!names(verify(call, actual), "policy", both));
  CHECK(names(verify(call, actual, {.policies = TriedPolicies::together}), "policy", both));
}

TEST_CASE("diagnose: an operation stands beside what it does otherwise", "[diagnose]") {
  const auto named_of = [](const Verification& v) {
    std::vector<std::string> texts;
    for (const orders::Diagnosis& each : v.diagnoses.named)
      texts.push_back(fmt::format("{} ({})", each.words, fmt::join(each.also, ", ")));
    return texts;
  };
  // Overwritten: as without a reduction.
  const Meeting<float> sum{1, {200, 10}, Reduction::sum};
  CHECK(named_of(verdict_on(sum, 10.0F)) ==
        std::vector<std::string>{"as with the reduction none (as ScatterNDUpdate-4, as "
                                 "onnx.ScatterND-13, as tf.tensor_scatter_nd_update)"});
  // Of two that explain as much, the one that says what the operation does otherwise.
  const Meeting<float> max{1, {std::nanf("")}, Reduction::max};
  const auto words = named_of(verdict_on(max, std::nanf("")));
  CHECK(std::ranges::count(words, "as with --extremes propagate (as onnx.ScatterND-18)") == 1);
  CHECK(std::ranges::count(
            words,
            "as with the reduction none (as ScatterNDUpdate-4, as tf.tensor_scatter_nd_update)") ==
        1);
  // Where it alone explains, it stands alone; and legal results name nothing.
  CHECK(verdict_on(sum, 211.0F).diagnoses.named.empty());
}

TEST_CASE("diagnose: a rank has one set of elements", "[diagnose]") {
  const Device<std::uint32_t> device{.destinations = 6,
                                     .reduction = Reduction::none,
                                     .data = {10, 20, 30, 40, 50, 60},
                                     .indices = {1, 4},
                                     .updates = {7, 8}};
  const auto ranks_of = [](const Verification& v) {
    std::vector<std::string> texts;
    for (const orders::Diagnosis& each : v.diagnoses.named)
      texts.push_back(fmt::format("{} {}: {}", each.rank, each.explained, each.words));
    return texts;
  };
  CHECK(ranks_of(device.verify({10, 7, 30, 8, 50, 60})) ==
        std::vector<std::string>{"1 2: indices[1] went to [3] in place of [4]"});
  // Two elements with a fault each.
  const Verification v = device.verify({10, 20, 30, 40, 8, 7});
  CHECK(v.diagnoses.unexplained == 0);
  CHECK(ranks_of(v) == std::vector<std::string>{"1 2: indices[0] went to [5] in place of [1]"});
  const Verification two = device.verify({10, 20, 30, 40, 8, 8});
  CHECK(two.diagnoses.unexplained == 0);
  CHECK(ranks_of(two) ==
        std::vector<std::string>{"1 1: no update applied: data's value", "1 1: without indices[0]",
                                 "2 1: written by indices[1], which does not go there"});
}

TEST_CASE("diagnose: all that explain the same are named", "[diagnose]") {
  const Meeting<std::uint32_t> same{0, std::vector<std::uint32_t>(40, 5), Reduction::sum};
  const Verification v = verdict_on<std::uint32_t>(same, 195);
  for (int k = 0; k < 40; ++k)
    CHECK(names(v, "without-entry", fmt::format("without indices[{}]", k)));
  CHECK(v.diagnoses.unnamed == 0);
}

TEST_CASE("diagnose: a fault of the whole call is not named where right elements deny it",
          "[diagnose]") {
  Device<std::uint32_t> device{
      .destinations = 4, .data = {10, 20, 30, 40}, .indices = {0, 1, 2}, .updates = {5, 6, 7}};
  // As if indices were off by one, were the others not right.
  const std::vector<std::uint32_t> one{15, 26, 37, 47};
  CHECK(named(device.verify(one)) ==
        std::vector<std::string>{"other-writer: written by indices[2], which does not go there"});
  const std::vector<std::uint32_t> all{10, 25, 36, 47};
  CHECK(names(device.verify(all), "indices", "indices off by +1 along axis 0"));
}

TEST_CASE("diagnose: a sample of many wrong elements, the same for any number of threads",
          "[diagnose]") {
  Random random(3);
  const auto device =
      planted::random_device<std::uint32_t>(random, Reduction::sum, 20000, 30000, 2);
  std::vector<planted::Step> steps = device.steps();
  for (planted::Step& each : steps) ++each.destination;
  const std::vector<std::uint32_t> actual = device.result(steps);
  const auto with_threads = [&](int threads) {
    return device.verify(actual, {.threads = threads, .tile_bytes = 4096});
  };
  const Verification v = with_threads(1);
  CHECK(v.diagnoses.examined == 1000);
  CHECK(v.count(ElementClass::wrong) > 20000);
  CHECK(names(v, "indices", "indices off by +1 along axis 0"));
  CHECK(all_of(v) == all_of(with_threads(3)));
}

TEST_CASE("diagnose: docs/verify.md says what each kind is, in the order of the table",
          "[diagnose]") {
  std::ifstream page(std::filesystem::path(TSCATTER_SOURCE_DIR) / "docs" / "verify.md");
  std::vector<std::string> documented;
  bool is_in_table = false;
  for (std::string line; std::getline(page, line);) {
    is_in_table = line.starts_with("| kind |") || (is_in_table && line.starts_with("|"));
    const std::string kinds = is_in_table ? line.substr(0, line.find('|', 1)) : "";
    static const std::regex kind("`([a-z-]+)`");
    for (std::sregex_iterator at(kinds.begin(), kinds.end(), kind), end; at != end; ++at)
      documented.push_back((*at)[1].str());
  }
  std::vector<std::string> tried;
  for (const diagnose::Hypothesis& each : diagnose::hypotheses()) tried.emplace_back(each.name);
  CHECK(documented == tried);
}

}  // namespace tscatter
