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
using planted::call_of;
using planted::Device;
using planted::Fault;
using planted::is_named;
using planted::Meeting;
using planted::named;
using planted::names;
using planted::tensor_of;
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
        std::vector<std::string>{"without-entry: without one update at each: indices[0], "
                                 "indices[5], indices[7]"});
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
  Arguments arguments =
      call_of<double>(tensor_of<double>({2}, {5, 6}), tensor_of<std::int64_t>({2}, {0, 0}),
                      tensor_of<double>({2}, {2, 4}), Reduction::mean);
  arguments.operands.emplace("axis", tensor_of<std::int64_t>({}, {0}));
  const auto mean = [&](double actual) {
    return verified("ScatterElementsUpdate-12", arguments, tensor_of<double>({2}, {actual, 6}));
  };
  CHECK(names(mean(3), "policy", "as with --self identity"));
  CHECK(names(mean(11), "reduction", "the sum, not divided"));
  CHECK(names(mean(11), "reduction", "as with the reduction sum"));
  CHECK(names(mean(3.5), "without-entry", "without indices[1]"));
  CHECK(names(mean(7.0 / 3), "without-entry", "without indices[1]"));
}

TEST_CASE("diagnose: indices out of range by another policy", "[diagnose]") {
  Policies policies = find_operation("ScatterNDUpdate-15")->policies;
  policies.outside = OutsideIndex::drop_window;
  const Call call =
      with_policies({.operation = find_operation("ScatterNDUpdate-15"),
                     .arguments = call_of<double>(tensor_of<double>({2, 3}, {0, 0, 0, 0, 0, 0}),
                                                  tensor_of<std::int64_t>({2, 2}, {0, 3, 1, 1}),
                                                  tensor_of<double>({2}, {7, 8}), Reduction::sum)},
                    policies);
  const auto got = [&](std::vector<double> actual) {
    return verify(call, tensor_of<double>({2, 3}, std::move(actual)));
  };
  CHECK(names(got({0, 0, 7, 0, 8, 0}), "policy", "as with --oob clip-index"));
  CHECK(names(got({7, 0, 0, 0, 8, 0}), "policy", "as with --oob modulo"));
  CHECK(names(got({0, 0, 0, 7, 8, 0}), "indices",
              "indices that pass the end of an axis go on in the next row"));
}

TEST_CASE("diagnose: two policies at once, where they are asked for", "[diagnose]") {
  Policies policies = find_operation("ScatterNDUpdate-15")->policies;
  policies.outside = OutsideIndex::drop_window;
  const Call call =
      with_policies({.operation = find_operation("ScatterNDUpdate-15"),
                     .arguments = call_of<double>(
                         tensor_of<double>({3}, {1, 2, 3}), tensor_of<std::int64_t>({2, 1}, {0, 3}),
                         tensor_of<double>({2}, {nan, 9}), Reduction::max)},
                    policies);
  const Tensor actual = tensor_of<double>({3}, {nan, 2, 9});
  const std::string both = "as with --oob clip-index --extremes propagate";
  CHECK(!names(verify(call, actual), "policy", both));
  CHECK(names(verify(call, actual, {.policies = TriedPolicies::together}), "policy", both));
}

TEST_CASE("diagnose: indices that are read otherwise", "[diagnose]") {
  std::vector<double> data(300);
  std::iota(data.begin(), data.end(), 1000.0);
  const auto rows = [&](std::vector<std::int64_t> at) {
    const auto count = static_cast<std::int64_t>(at.size());
    std::vector<double> updates(at.size());
    std::iota(updates.begin(), updates.end(), 1.0);
    return call_of<double>(tensor_of<double>({300}, data), tensor_of<std::int64_t>({count, 1}, at),
                           tensor_of<double>({count}, updates), Reduction::sum);
  };
  const auto with = [&](const std::vector<std::pair<std::size_t, double>>& added) {
    std::vector<double> actual = data;
    for (const auto& [at, value] : added) actual[at] += value;
    return tensor_of<double>({300}, actual);
  };
  const auto verdict = [&](const std::vector<std::int64_t>& at, const Tensor& actual) {
    return verified("ScatterNDUpdate-15", rows(at), actual);
  };
  CHECK(names(verdict({200, 3}, with({{244, 1}, {3, 2}})), "indices", "indices cut to int8"));
  CHECK(names(verdict({256, 3}, with({{0, 1}, {3, 2}})), "indices", "indices cut to uint8"));
  CHECK(names(verdict({5, 7, 9}, with({{5, 1}, {0, 2}, {7, 3}})), "indices",
              "the bytes of indices read as int32"));

  const auto pairs = [&](const std::vector<double>& actual) {
    return verified("ScatterNDUpdate-15",
                    call_of<double>(tensor_of<double>({3, 3}, std::vector<double>(9, 0.5)),
                                    tensor_of<std::int64_t>({3, 2}, {0, 1, 0, 2, 1, 1}),
                                    tensor_of<double>({3}, {1, 2, 4}), Reduction::sum),
                    tensor_of<double>({3, 3}, actual));
  };
  CHECK(names(pairs({.5, .5, .5, 1.5, 4.5, .5, 2.5, .5, .5}), "indices",
              "the coordinates of indices in reversed order"));
  // (0, 1), (0, 2), (1, 1) by columns: (0, 2), (1, 1), (0, 1)
  CHECK(names(pairs({.5, 4.5, 1.5, .5, 2.5, .5, .5, .5, .5}), "indices",
              "indices read in the other memory order"));
  CHECK(names(pairs({.5, .5, 1.5, .5, .5, 4.5, .5, .5, .5}), "indices",
              "indices off by +1 along axis 1"));
  CHECK(names(pairs({.5, .5, .5, .5, 1.5, 2.5, .5, 4.5, .5}), "indices",
              "indices off by +1 along axis 0"));
}

TEST_CASE("diagnose: another axis, another memory order of updates, another operation",
          "[diagnose]") {
  Arguments arguments = call_of<double>(tensor_of<double>({2, 2}, {10, 20, 30, 40}),
                                        tensor_of<std::int64_t>({2, 2}, {1, 1, 0, 1}),
                                        tensor_of<double>({2, 2}, {1, 2, 3, 4}), Reduction::sum);
  arguments.operands.emplace("axis", tensor_of<std::int64_t>({}, {0}));
  const auto got = [&](std::vector<double> actual) {
    return verified("ScatterElementsUpdate-12", arguments,
                    tensor_of<double>({2, 2}, std::move(actual)));
  };
  CHECK(got({13, 20, 31, 46}).is_legal());
  CHECK(names(got({10, 23, 33, 44}), "axis", "along axis 1"));
  CHECK(names(got({12, 20, 31, 47}), "updates", "updates read in the other memory order"));

  const Verification v =
      verified("onnx.ScatterND-18",
               call_of<float>(tensor_of<float>({2}, {1, 2}), tensor_of<std::int64_t>({1, 1}, {0}),
                              tensor_of<float>({1}, {std::nanf("")}), Reduction::max),
               tensor_of<float>({2}, {1, 2}));
  CHECK(names(v, "operation", "as ScatterNDUpdate-15"));
  CHECK(names(v, "policy", "as with --extremes data"));
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
        std::vector<std::string>{"as with the reduction none (as onnx.ScatterND-13, as "
                                 "ScatterNDUpdate-4)"});
  // Of two that explain as much, the one that says what the operation does otherwise.
  const Meeting<float> max{1, {std::nanf("")}, Reduction::max};
  const auto words = named_of(verdict_on(max, std::nanf("")));
  CHECK(std::ranges::count(words, "as with --extremes propagate (as onnx.ScatterND-18)") == 1);
  CHECK(std::ranges::count(words, "as with the reduction none (as ScatterNDUpdate-4)") == 1);
  // Where it alone explains, it stands alone; and legal results name nothing.
  CHECK(verdict_on(sum, 211.0F).diagnoses.named.empty());
}

TEST_CASE("diagnose: the axis along which indices count is named", "[diagnose]") {
  const auto wrong_axis = [](const Verification& v) {
    return names(v, "indices", "indices off by +1 along axis 1") &&
           !names(v, "indices", "indices off by +1 along axis 0");
  };
  const Tensor nines = tensor_of<float>({2, 5}, std::vector<float>(10, 9));
  const Tensor pairs = tensor_of<std::int64_t>({2, 2}, {1, 2, 2, 3});
  Arguments elements =
      call_of<float>(nines, pairs, tensor_of<float>({2, 2}, {1, 2, 3, 4}), Reduction::none);
  elements.attributes["axis"] = std::int64_t{1};
  CHECK(wrong_axis(verified("onnx.ScatterElements-18", elements,
                            tensor_of<float>({2, 5}, {9, 9, 1, 2, 9, 9, 9, 9, 3, 4}))));

  Arguments rows = call_of<float>(tensor_of<float>({2, 5, 1}, std::vector<float>(10, 9)), pairs,
                                  tensor_of<float>({2, 2, 1}, {1, 2, 3, 4}), Reduction::none);
  rows.attributes.clear();
  CHECK(wrong_axis(
      verified("tosa.scatter", rows, tensor_of<float>({2, 5, 1}, {9, 9, 1, 2, 9, 9, 9, 9, 3, 4}))));

  Arguments start = call_of<float>(tensor_of<float>({2, 5, 1}, std::vector<float>(10, 9)),
                                   tensor_of<std::int64_t>({2}, {0, 2}),
                                   tensor_of<float>({2, 2, 1}, {1, 2, 3, 4}), Reduction::none);
  start.attributes.clear();
  CHECK(wrong_axis(verified("onnx.TensorScatter-24", start,
                            tensor_of<float>({2, 5, 1}, {9, 1, 2, 9, 9, 9, 9, 9, 3, 4}))));
}

// generic.scatter of windows of one element, the second coordinate of which counts along axis 0.
TEST_CASE("diagnose: the axis of each coordinate of a window is named", "[diagnose]") {
  Operation own = *find_operation("generic.scatter");
  own.form = Form::window;
  own.overridden = own.unanswered;
  Arguments arguments = call_of<float>(tensor_of<float>({4, 5}, std::vector<float>(20, 9)),
                                       tensor_of<std::int64_t>({3, 2}, {0, 1, 2, 1, 3, 2}),
                                       tensor_of<float>({3}, {1, 2, 3}), Reduction::sum);
  const auto put = [&](const char* name, std::vector<std::int64_t> values) {
    const auto count = static_cast<std::int64_t>(values.size());
    arguments.operands.emplace(name, tensor_of<std::int64_t>({count}, std::move(values)));
  };
  put("update_window_dims", {});
  put("inserted_window_dims", {0, 1});
  put("input_batching_dims", {});
  put("scatter_indices_batching_dims", {});
  put("scatter_dims_to_operand_dims", {1, 0});
  put("index_vector_dim", {1});
  const auto got = [&](std::int64_t down, std::int64_t right) {
    std::vector<float> actual(20, 9);
    for (const auto& [row, column, value] :
         {std::tuple(1, 0, 1.0F), std::tuple(1, 2, 2.0F), std::tuple(2, 3, 3.0F)})
      actual[static_cast<std::size_t>((row + down) * 5 + column + right)] += value;
    return verify(own, arguments, tensor_of<float>({4, 5}, actual));
  };
  CHECK(got(0, 0).is_legal());
  CHECK(names(got(1, 0), "indices", "indices off by +1 along axis 0"));
  CHECK(names(got(0, 1), "indices", "indices off by +1 along axis 1"));
}

TEST_CASE("diagnose: another operation has the same axis, as an operand or an attribute",
          "[diagnose]") {
  const auto with = [](Tensor updates) {
    return call_of<float>(tensor_of<float>({2, 2}, {10, 20, 30, 40}),
                          tensor_of<std::int64_t>({2, 2}, {1, 0, 0, 1}), std::move(updates),
                          Reduction::max);
  };
  Arguments arguments = with(tensor_of<float>({2, 2}, {50, std::nanf(""), 70, 80}));
  Arguments openvino = arguments;
  openvino.operands.emplace("axis", tensor_of<std::int64_t>({}, {1}));
  Arguments onnx = arguments;
  onnx.attributes["axis"] = std::int64_t{1};
  const Tensor by_openvino = tensor_of<float>({2, 2}, {std::nanf(""), 50, 70, 80});
  const Tensor by_onnx = tensor_of<float>({2, 2}, {10, 50, 70, 80});
  CHECK(verified("ScatterElementsUpdate-12", openvino, by_openvino).is_legal());
  CHECK(verified("onnx.ScatterElements-18", onnx, by_onnx).is_legal());
  CHECK(names(verified("ScatterElementsUpdate-12", openvino, by_onnx), "operation",
              "as onnx.ScatterElements-18"));
  CHECK(names(verified("onnx.ScatterElements-18", onnx, by_openvino), "operation",
              "as ScatterElementsUpdate-12"));

  // Along axis 0 it is not the other operation that errs.
  openvino.operands.insert_or_assign("updates", tensor_of<float>({2, 2}, {50, 60, 70, 80}));
  const Verification v =
      verified("ScatterElementsUpdate-12", openvino, tensor_of<float>({2, 2}, {70, 60, 50, 80}));
  INFO(all_of(v));
  CHECK(names(v, "axis", "along axis 0"));
  CHECK(!names(v, "operation", "as onnx.ScatterElements-18"));
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

// Rows of two, in two batches of data: the whole row, in both batches.
TEST_CASE("diagnose: an entry that went elsewhere did so with all its elements", "[diagnose]") {
  Arguments arguments =
      call_of<float>(tensor_of<float>({2, 3, 2}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}),
                     tensor_of<std::int64_t>({1}, {0}),
                     tensor_of<float>({2, 1, 2}, {50, 60, 70, 80}), Reduction::none);
  arguments.attributes.clear();
  arguments.operands.emplace("axis", tensor_of<std::int64_t>({}, {1}));
  const auto got = [&](std::vector<float> actual) {
    return verified("ScatterUpdate-3", arguments, tensor_of<float>({2, 3, 2}, std::move(actual)));
  };
  const std::string words = "indices[0] went to [2] in place of [0]";
  CHECK(names(got({1, 2, 3, 4, 50, 60, 7, 8, 9, 10, 70, 80}), "misplaced", words));
  const Verification half = got({1, 2, 3, 4, 50, 60, 7, 8, 9, 10, 11, 12});
  for (const orders::Diagnosis& each : half.diagnoses.named) CHECK(each.words != words);
}

TEST_CASE("diagnose: how far off rows are is found from the first wrong elements", "[diagnose]") {
  const auto device_of = [](std::int64_t rows) {
    Random random(5);
    auto device = planted::random_device<std::uint32_t>(random, Reduction::none, rows, rows, 2);
    std::iota(device.indices.begin(), device.indices.end(), 0);
    return device;
  };
  const auto with = [](const Device<std::uint32_t>& device, auto row) {
    std::vector<planted::Step> steps = device.steps();
    for (planted::Step& each : steps) each.row = row(each.row) % device.entries();
    return device.verify(device.result(steps));
  };
  const auto hundred = device_of(100);
  CHECK(names(with(hundred, [](std::int64_t row) { return row + 17; }), "updates",
              "each entry with the updates of the entry +17 from it"));
  CHECK(names(with(hundred, [](std::int64_t row) { return row + 70; }), "updates",
              "each entry with the updates of the entry -30 from it"));
  CHECK(names(with(hundred, [](std::int64_t row) { return 3 * row; }), "updates",
              "updates read with 3 times the stride"));
  CHECK(names(with(hundred, [](std::int64_t row) { return 4 + 3 * row; }), "updates",
              "updates read with 3 times the stride, from that of entry 4 on"));
  CHECK(names(with(device_of(13), [](std::int64_t row) { return row + 5; }), "updates",
              "each entry with the updates of the entry +5 from it"));
  const auto large = device_of(5000);
  CHECK(names(with(large, [](std::int64_t row) { return row + 1234; }), "updates",
              "each entry with the updates of the entry +1234 from it"));
}

TEST_CASE("diagnose: a result that is rotated", "[diagnose]") {
  Random random(6);
  const auto device = planted::random_device<std::uint32_t>(random, Reduction::sum, 13, 9, 1);
  std::vector<std::uint32_t> actual = device.result(device.steps());
  std::rotate(actual.begin(), actual.end() - 5, actual.end());
  const Verification v = device.verify(actual);
  INFO(all_of(v));
  CHECK(names(v, "shifted", "rotated by +5 elements"));
}

TEST_CASE("diagnose: a cache that does not wrap around", "[diagnose]") {
  Arguments arguments =
      call_of<float>(tensor_of<float>({1, 4, 1}, {1, 2, 3, 4}), tensor_of<std::int64_t>({1}, {3}),
                     tensor_of<float>({1, 2, 1}, {50, 60}), Reduction::none);
  arguments.attributes.clear();
  const auto got = [&](std::string_view mode, std::vector<float> actual) {
    arguments.attributes["mode"] = Word{mode};
    return verified("onnx.TensorScatter-24", arguments,
                    tensor_of<float>({1, 4, 1}, std::move(actual)));
  };
  CHECK(got("circular", {60, 2, 3, 50}).is_legal());
  CHECK(names(got("circular", {1, 2, 50, 60}), "policy", "as with --mode linear --oob clip-start"));
  CHECK(
      names(got("circular", {1, 2, 3, 50}), "policy", "as with --mode linear --oob drop-elements"));
}

TEST_CASE("diagnose: all that explain the same are named", "[diagnose]") {
  const Meeting<std::uint32_t> same{0, std::vector<std::uint32_t>(40, 5), Reduction::sum};
  const Verification v = verdict_on<std::uint32_t>(same, 195);
  for (int k = 0; k < 40; ++k)
    CHECK(names(v, "without-entry", fmt::format("without indices[{}]", k)));
  CHECK(v.diagnoses.unnamed == 0);
}

TEST_CASE("diagnose: slices", "[diagnose]") {
  const std::vector<double> data(6, 1);
  const std::vector<double> updates{5, 6};
  const std::vector<std::int64_t> start{2};
  const std::vector<std::int64_t> stop{4};
  const std::vector<std::int64_t> step{1};
  const Call call = slice_scatter_15(view(data, {6}), view(updates, {2}), view(start, {1}),
                                     view(stop, {1}), view(step, {1}), nullptr);
  const auto got = [&](std::vector<double> actual) {
    return verify(call, tensor_of<double>({6}, std::move(actual)));
  };
  CHECK(names(got({1, 1, 1, 1, 1, 1}), "no-update", "no update applied: data's value"));
  CHECK(names(got({1, 1, 1, 5, 6, 1}), "shifted", "shifted by +1 elements"));
}

TEST_CASE("diagnose: slices whose step or start is not heeded", "[diagnose]") {
  const std::vector<double> data(12, 1);
  const std::vector<double> updates{5, 6, 7, 8};
  const std::vector<std::int64_t> start{1, 3};
  const std::vector<std::int64_t> stop{3, -5};
  const std::vector<std::int64_t> step{1, -2};
  const Call call = slice_scatter_15(view(data, {3, 4}), view(updates, {2, 2}), view(start, {2}),
                                     view(stop, {2}), view(step, {2}), nullptr);
  const auto got = [&](std::vector<double> actual) {
    return verify(call, tensor_of<double>({3, 4}, std::move(actual)));
  };
  CHECK(got({1, 1, 1, 1, 1, 6, 1, 5, 1, 8, 1, 7}).is_legal());
  CHECK(names(got({1, 1, 1, 1, 1, 1, 6, 5, 1, 1, 8, 7}), "slice",
              "the step along axis 1 not heeded"));
  CHECK(names(got({1, 6, 1, 5, 1, 8, 1, 7, 1, 1, 1, 1}), "slice",
              "the start along axis 0 not heeded"));
}

TEST_CASE("diagnose: an update of an entry that does not go there", "[diagnose]") {
  Device<std::uint32_t> device{.destinations = 3,
                               .block = 2,
                               .reduction = Reduction::none,
                               .data = {1, 2, 3, 4, 5, 6},
                               .indices = {0, 1, 2, 0, 1},
                               .updates = {10, 11, 20, 21, 30, 31, 40, 41, 50, 51}};
  std::vector<std::uint32_t> actual = device.result(device.steps());
  actual[4] = 20;
  actual[5] = 21;
  CHECK(names(device.verify(actual), "other-writer",
              "written by indices[1], which does not go there"));
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

TEST_CASE("diagnose: where the wrong elements lie", "[diagnose]") {
  Device<std::uint32_t> device{.destinations = 3,
                               .block = 2,
                               .data = {1, 2, 3, 4, 5, 6},
                               .indices = {0, 1, 2},
                               .updates = {1, 1, 1, 1, 1, 1}};
  std::vector<std::uint32_t> actual = device.result(device.steps());
  CHECK(!device.verify(actual).place);
  actual[2] = 99;
  actual[3] = 98;
  const Verification v = device.verify(actual, {.grid = GridLimits{}});
  REQUIRE(v.place);
  CHECK(v.place->low == Position{1, 0});
  CHECK(v.place->high == Position{1, 1});
  CHECK(v.place->axis == 0);
  REQUIRE(v.grid);
  CHECK(v.grid->at(1, 0).beyond == 1);
  CHECK(v.grid->at(1, 0).largest == 95);
  CHECK(v.grid->at(0, 0).beyond == 0);
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
