// explain() and history() of one element: whether its updates depend on their order, and why.
#include "tscatter/explain/explain.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <random>

#include "catch.hpp"
#include "ops/call.hpp"
#include "tscatter/ops/operation.hpp"
#include "tscatter/tscatter.hpp"

namespace tscatter {
namespace {

// One element `data`, and updates that all reach it.
template <class T>
Explanation explain_one(T data, const std::vector<T>& updates, Reduction reduction,
                        const ExplainOptions& options = {}) {
  const auto count = static_cast<std::int64_t>(updates.size());
  const std::vector<std::int32_t> indices(updates.size(), 0);
  const std::vector<T> elements{data};
  const Arguments arguments =
      arguments_of(view(std::span(elements), {1}), view(std::span(indices), {count, 1}),
                   view(std::span(updates), {count}), {{"reduction", reduction}});
  return explain(*find_operation("scatter_nd_update_15"), arguments, options);
}

template <class T>
OrderDependence depends(T data, const std::vector<T>& updates, Reduction reduction) {
  return explain_one(data, updates, reduction).order.depends;
}

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float nan = std::numeric_limits<float>::quiet_NaN();

float met(float value, float update, Reduction reduction) {
  switch (reduction) {
    case Reduction::sum: return value + update;
    case Reduction::sub: return value - update;
    default: return value * update;
  }
}

// Tries every order; all NaN are the same.
bool orders_differ(float data, std::vector<float> updates, Reduction reduction) {
  const auto result = [&] {
    float value = data;
    for (const float each : updates) value = met(value, each, reduction);
    return std::isnan(value) ? nan : value;
  };
  std::ranges::sort(updates);
  const float first = result();
  while (std::next_permutation(updates.begin(), updates.end())) {
    const float other = result();
    if (std::memcmp(&first, &other, sizeof(float)) != 0) return true;
  }
  return false;
}

std::string refusal(const Position& position, std::int64_t worst = 5) {
  try {
    explain_one<float>(1, {2, 3}, Reduction::sum, {.worst = worst, .at = {position}});
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::usage);
    return error.what();
  }
  return "nothing";
}

}  // namespace

TEST_CASE("sums that are exact in every order do not depend on it, however many", "[explain]") {
  CHECK(depends<float>(0, std::vector<float>(1000, 1), Reduction::sum) == OrderDependence::no);
  std::vector<float> whole(1000);
  for (std::size_t i = 0; i < whole.size(); ++i) whole[i] = static_cast<float>(i) - 300;
  CHECK(depends<float>(3, whole, Reduction::sum) == OrderDependence::no);
  CHECK(depends<float>(3, whole, Reduction::sub) == OrderDependence::no);
  // All partial sums below 2^24 are exact; 2^24 + 1 is not.
  std::vector<float> most(15, 1);
  most[14] = 16777215.0F - 14;
  CHECK(depends<float>(0, most, Reduction::sum) == OrderDependence::no);
  most[14] = 16777216;
  CHECK(depends<float>(0, most, Reduction::sum) == OrderDependence::yes);
}

TEST_CASE("a NaN among the terms of a sum or product makes every order the same", "[explain]") {
  std::vector<float> updates(20, 0.1F);
  updates[7] = nan;
  updates[8] = 1e30F;
  CHECK(depends<float>(1, updates, Reduction::sum) == OrderDependence::no);
  CHECK(depends<float>(1, updates, Reduction::prod) == OrderDependence::no);
}

TEST_CASE("infinities of one sign stay, unless an overflow to the other may come", "[explain]") {
  std::vector<float> updates(20, 0.1F);
  updates[3] = -infinity;
  CHECK(depends<float>(1, updates, Reduction::sum) == OrderDependence::no);
  updates[8] = infinity;
  CHECK(depends<float>(1, updates, Reduction::sum) == OrderDependence::no);
  CHECK(depends<float>(3e38F, {3e38F, -infinity}, Reduction::sum) == OrderDependence::yes);
}

TEST_CASE("zeros, alone or beside an infinity, do not depend on the order", "[explain]") {
  const std::vector<float> zeros(20, 0);
  CHECK(depends<float>(0, zeros, Reduction::sum) == OrderDependence::no);
  CHECK(depends<float>(infinity, zeros, Reduction::sum) == OrderDependence::no);
}

TEST_CASE("whole numbers below 2^53 are exact in every order, however many", "[explain]") {
  std::vector<double> small(13, 1);
  small[3] = 2;
  CHECK(depends<double>(9007199254740992 - 15, small, Reduction::sum) == OrderDependence::no);
  CHECK(depends<double>(9007199254740992 - 9, small, Reduction::sum) != OrderDependence::no);
}

TEST_CASE("products that are exact, or end at a zero, do not depend on the order", "[explain]") {
  CHECK(depends<float>(3, std::vector<float>(60, 2), Reduction::prod) == OrderDependence::no);
  std::vector<float> updates(20, 1.1F);
  updates[4] = -0.0F;
  updates[5] = 1.3F;
  CHECK(depends<float>(3, updates, Reduction::prod) == OrderDependence::no);
  CHECK(depends<float>(1, {1e30F, 1e30F, 0.0F}, Reduction::prod) == OrderDependence::yes);
}

TEST_CASE("many equal updates do not depend on the order", "[explain]") {
  CHECK(depends<float>(0.3F, std::vector<float>(50, 0.1F), Reduction::sum) == OrderDependence::no);
}

TEST_CASE("more than 12 updates that no tried order tells apart are not decided", "[explain]") {
  std::vector<float> lost;
  for (int i = 1; i <= 13; ++i) lost.push_back(0.1F * static_cast<float>(i));
  const Explanation explanation = explain_one<float>(1e30F, lost, Reduction::sum);
  CHECK(explanation.order.depends == OrderDependence::unknown);
  CHECK(explanation.order.undecided == 1);
  CHECK(explanation.order.dependent == 0);
  lost.pop_back();
  CHECK(depends<float>(1e30F, lost, Reduction::sum) == OrderDependence::no);
}

TEST_CASE("an element that is not decided is not listed beside those that depend", "[explain]") {
  const std::vector<float> data{1e30F, 1e8F};
  std::vector<std::int32_t> indices(13, 0);
  indices.insert(indices.end(), {1, 1, 1});
  std::vector<float> updates;
  for (int i = 1; i <= 13; ++i) updates.push_back(0.1F * static_cast<float>(i));
  updates.insert(updates.end(), {1.0F, 5.0F, -1e8F});
  const Arguments arguments =
      arguments_of(view(std::span(data), {2}), view(std::span(indices), {16, 1}),
                   view(std::span(updates), {16}), {{"reduction", Reduction::sum}});
  const OrderReport order = explain(*find_operation("scatter_nd_update_15"), arguments).order;
  CHECK(order.depends == OrderDependence::yes);
  CHECK(order.undecided == 1);
  CHECK(order.dependent == 1);
  REQUIRE(order.first.size() == 1);
  CHECK(order.first.front().index == 1);
}

TEST_CASE("4 to 6 updates depend on the order exactly if two orders leave different bytes",
          "[explain]") {
  const std::array values{0.1F, 1.0F,   3.0F,   -3.0F, 16777216.0F, 0x1p-24F, -0x1p-25F,
                          0.0F, -0.0F,  1e-40F, 1e30F, -1e38F,      2.9e38F,  1e-30F,
                          0.7F, 1000.F, -0.1F,  7.25F, infinity,    -infinity};
  std::mt19937 random(20261123);
  int dependent = 0;
  for (int times = 0; times < 600; ++times) {
    // The special values at the end are rare.
    const std::size_t among = times % 8 == 0 ? values.size() : values.size() - 2;
    const auto any = [&] { return values[random() % among]; };
    const Reduction reduction =
        std::array{Reduction::sum, Reduction::sub, Reduction::prod}[random() % 3];
    const float data = any();
    std::vector<float> updates(4 + random() % 3);
    for (float& each : updates) each = any();
    const bool differs = orders_differ(data, updates, reduction);
    INFO("data " << data << ", " << to_string(reduction) << " of "
                 << Catch::Detail::stringify(updates));
    CHECK((depends(data, updates, reduction) == OrderDependence::yes) == differs);
    CHECK(depends(data, updates, reduction) != OrderDependence::unknown);
    dependent += differs ? 1 : 0;
  }
  CHECK(dependent > 100);
  CHECK(dependent < 500);
}

TEST_CASE("without updates all but values is explained", "[explain]") {
  const std::vector<float> data(6, 1);
  const std::vector<std::int32_t> indices{2, 0, 2};
  Arguments arguments{.operands = {{"data", view(std::span(data), {3, 2})},
                                   {"indices", view(std::span(indices), {3, 1})}},
                      .attributes = {{"reduction", Reduction::sum}}};
  const Operation& operation = *find_operation("scatter_nd_update_15");
  const Explanation told = explain(operation, arguments, {.at = {{2, 1}, {1, 0}}});
  CHECK(told.coverage == Coverage{.never = 2, .once = 2, .several = 2, .most_writers = 2});
  CHECK(told.order.depends == OrderDependence::unknown);
  CHECK(told.order.reason == OrderReason::no_updates);
  CHECK(told.order.undecided == 2);
  REQUIRE(told.histories.size() == 2);
  const History& history = told.histories.front();
  CHECK(!history.has_values);
  CHECK(history.writers == 2);
  REQUIRE(history.steps.size() == 2);
  CHECK(history.steps.back().entry == Position{2});
  CHECK(history.steps.back().update == Position{2, 1});
  CHECK(history.steps.back().value.empty());
  CHECK(told.histories.back().steps.empty());
  arguments.attributes["reduction"] = Reduction::none;
  CHECK(explain(operation, arguments).order.depends == OrderDependence::unknown);
  const std::vector<std::int32_t> apart{2, 0, 1};
  arguments.operands.insert_or_assign("indices", view(std::span(apart), {3, 1}));
  CHECK(explain(operation, arguments).order.depends == OrderDependence::no);
}

TEST_CASE("explain.e5: updates of any shape are asked for", "[explain]") {
  const std::vector<float> data(6, 1);
  const std::vector<std::int64_t> indices{0};
  const Arguments arguments{.operands = {{"data", view(std::span(data), {1, 6})},
                                         {"indices", view(std::span(indices), {1})}},
                            .attributes = {}};
  try {
    explain(*find_operation("onnx.TensorScatter-24"), arguments);
    FAIL("it was explained");
  } catch (const Error& error) {
    CHECK(std::string(error.what()) ==
          "onnx.tensor_scatter_24: updates are missing: the other operands do not determine their "
          "shape [explain.e5]");
  }
}

TEST_CASE("the order of minima shows in the sign of a zero alone", "[explain]") {
  CHECK(depends<float>(1, {0.0F, -0.0F}, Reduction::min) == OrderDependence::yes);
  CHECK(depends<float>(0, {0.0F, -0.0F}, Reduction::min) == OrderDependence::no);
  CHECK(depends<float>(-1, {0.0F, -0.0F}, Reduction::min) == OrderDependence::no);
  CHECK(depends<float>(-1, {0.0F, -0.0F}, Reduction::max) == OrderDependence::yes);
  CHECK(depends<float>(1, {0.0F, -0.0F, -1.0F}, Reduction::min) == OrderDependence::no);
  CHECK(depends<float>(nan, {0.0F, -0.0F}, Reduction::min) == OrderDependence::no);
  CHECK(depends<float>(1, {nan, 0.5F}, Reduction::min) == OrderDependence::no);
  std::vector<float> many(1000, 0.0F);
  many[999] = -0.0F;
  const Explanation explanation = explain_one<float>(1, many, Reduction::min);
  REQUIRE(explanation.order.first.size() == 1);
  CHECK(explanation.order.first[0].other.entries.first[0] == Position{999});
}

TEST_CASE("of many overwriting updates the example ends with one that differs", "[explain]") {
  std::vector<float> many(1000, 7);
  many[300] = 8;
  const Explanation explanation = explain_one<float>(1, many, Reduction::none);
  REQUIRE(explanation.order.first.size() == 1);
  const DependentElement& element = explanation.order.first[0];
  CHECK(element.writers == 1000);
  CHECK(element.in_order.entries.last == std::vector<Position>{{998}, {999}});
  CHECK(element.other.entries.last == std::vector<Position>{{299}, {300}});
  many[300] = 7;
  CHECK(depends<float>(1, many, Reduction::none) == OrderDependence::no);
}

TEST_CASE("integers and bools do not depend on the order, and say why", "[explain]") {
  CHECK(explain_one<std::int8_t>(1, {100, 100}, Reduction::sum).order.reason ==
        OrderReason::integers);
  const std::array<bool, 2> updates{true, false};
  const std::array<bool, 1> data{false};
  const std::array<std::int32_t, 2> indices{0, 0};
  const Arguments arguments{
      .operands = {{"data", view(std::span<const bool>(data), {1})},
                   {"indices", view(std::span<const std::int32_t>(indices), {2, 1})},
                   {"updates", view(std::span<const bool>(updates), {2})}},
      .attributes = {{"reduction", Reduction::sub}}};
  CHECK(explain(*find_operation("scatter_nd_update_15"), arguments).order.reason ==
        OrderReason::booleans);
}

TEST_CASE("a long history keeps its first and last steps", "[explain]") {
  constexpr std::size_t count = 25000;
  std::vector<std::int64_t> updates(count);
  std::iota(updates.begin(), updates.end(), 1);
  const std::vector<std::int32_t> indices(count, 0);
  const std::vector<std::int64_t> data{0};
  const Arguments arguments =
      arguments_of(view(std::span(data), {1}), view(std::span(indices), {count, 1}),
                   view(std::span(updates), {count}), {{"reduction", Reduction::sum}});
  const Operation& operation = *find_operation("scatter_nd_update_15");
  for (const std::int64_t most : {10000, 7, 2, 1, 24999, 25000, 30000}) {
    const History told = history(operation, arguments, {0}, {.most_steps = most});
    CHECK(told.writers == count);
    const std::int64_t kept = std::min<std::int64_t>(most, count);
    REQUIRE(told.steps.size() == static_cast<std::size_t>(kept));
    const std::int64_t head = most >= std::int64_t{count} ? kept : most - most / 2;
    for (std::int64_t i = 0; i < kept; ++i) {
      const std::int64_t writer = i < head ? i : static_cast<std::int64_t>(count) - kept + i;
      const HistoryStep& step = told.steps[static_cast<std::size_t>(i)];
      std::int64_t after = 0;
      std::memcpy(&after, step.after.data(), sizeof(after));
      if (step.writer != writer || step.entry != Position{writer} ||
          step.update != Position{writer} || after != (writer + 1) * (writer + 2) / 2)
        FAIL("step " << i << " of at most " << most);
    }
  }
}

TEST_CASE("explain.e1: a position with too few or too many indices is refused", "[explain]") {
  CHECK(refusal({}) ==
        "position: must have one index for each axis of data of shape [1], got [] [explain.e1]");
  CHECK(
      refusal({0, 0}) ==
      "position: must have one index for each axis of data of shape [1], got [0, 0] [explain.e1]");
}

TEST_CASE("explain.e2: an index of a position outside its axis is refused", "[explain]") {
  CHECK(refusal({0}) == "nothing");
  CHECK(refusal({-1}) == "nothing");
  CHECK(refusal({1}) == "position: index 0 must be in [-1, 1) for data axis 0, got 1 [explain.e2]");
  CHECK(refusal({-2}) ==
        "position: index 0 must be in [-1, 1) for data axis 0, got -2 [explain.e2]");
}

TEST_CASE("explain.e3: more elements than it lists are refused", "[explain]") {
  CHECK(refusal({0}, 0) == "nothing");
  CHECK(refusal({0}, 10000) == "nothing");
  CHECK(refusal({0}, -1) == "explain: worst must be from 0 to 10000, got -1 [explain.e3]");
  CHECK(refusal({0}, 10001) == "explain: worst must be from 0 to 10000, got 10001 [explain.e3]");
}

TEST_CASE("history names an update as it was given, also where it was repeated or is for a place",
          "[explain]") {
  const auto writer_of = [](std::string_view name, Arguments arguments, const Position& at) {
    const History told = history(*find_operation(name), arguments, at);
    REQUIRE(told.steps.size() == 1);
    return told.steps.front().update;
  };
  const Tensor data = zeros({2, 3});
  const Tensor mask = bools({2, 3}, {0, 1, 1, 0, 1, 1});
  const Arguments put = arguments_of(data, int64s({3, 2}, {0, 1, 2, 3, 4, 5}), zeros({3, 1}));
  CHECK(writer_of("numpy.put", put, {0, 2}) == Position{2, 0});
  CHECK(writer_of("numpy.put", put, {1, 1}) == Position{1, 0});
  const auto masked = [&](const Tensor& updates) {
    return Arguments{.operands = {{"data", data}, {"mask", mask}, {"updates", updates}},
                     .attributes = {}};
  };
  CHECK(writer_of("numpy.place", masked(zeros({3})), {1, 2}) == Position{0});
  CHECK(writer_of("numpy.putmask", masked(zeros({2, 2})), {1, 1}) == Position{0, 0});
  CHECK(writer_of("numpy.copyto", masked(zeros({3})), {1, 2}) == Position{2});
}

}  // namespace tscatter
