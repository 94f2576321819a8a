// verify() of sums and means whose fault is known: lost, doubled and misplaced updates, and what no
// number of threads changes.
#include "tscatter/verify/verify.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "catch.hpp"
#include "ops/call.hpp"
#include "property/random.hpp"
#include "tscatter/ops/operation.hpp"
#include "verify/class_counts.hpp"

namespace tscatter {
namespace {

using property::Random;

struct SumCase {
  std::vector<float> data = {};
  std::vector<std::int32_t> indices = {};
  std::vector<float> updates = {};
  std::int64_t block = 1;

  // The result of the entries in an order, `skipped` of them left out.
  std::vector<float> result(const std::vector<std::size_t>& order, std::size_t skipped = 0) const {
    std::vector<float> into = data;
    const auto width = static_cast<std::size_t>(block);
    for (std::size_t i = skipped; i < order.size(); ++i) {
      const auto destination = static_cast<std::size_t>(indices[order[i]]);
      for (std::size_t j = 0; j < width; ++j)
        into[destination * width + j] += updates[order[i] * width + j];
    }
    return into;
  }

  std::vector<std::size_t> shuffled(std::uint64_t seed) const {
    Random random(seed);
    return random_order(random, indices.size());
  }

  Arguments arguments() const {
    const auto destinations = static_cast<std::int64_t>(data.size()) / block;
    const auto entries = static_cast<std::int64_t>(indices.size());
    return arguments_of(tensor({destinations, block}, data), tensor({entries, 1}, indices),
                        tensor({entries, block}, updates), {{"reduction", Reduction::sum}});
  }

  Verification verify(const std::vector<float>& actual, const VerifyOptions& options = {}) const {
    const auto destinations = static_cast<std::int64_t>(data.size()) / block;
    return tscatter::verify(*find_operation("ScatterNDUpdate-15"), arguments(),
                            tensor({destinations, block}, actual), options);
  }
};

SumCase random_sums(std::uint64_t seed, std::int64_t destinations, std::int64_t entries,
                    std::int64_t block) {
  Random random(seed);
  const auto value = [&] {
    return static_cast<float>(random.between(-1000000, 1000000)) / 4096.0F;
  };
  SumCase sums{.block = block};
  for (std::int64_t i = 0; i < destinations * block; ++i) sums.data.push_back(value());
  for (std::int64_t i = 0; i < entries * block; ++i) sums.updates.push_back(value());
  for (std::int64_t i = 0; i < entries; ++i)
    sums.indices.push_back(static_cast<std::int32_t>(random.between(0, destinations - 1)));
  return sums;
}

// Everything that a report says about the elements, in one line.
std::string summary(const Verification& v) {
  std::string text = text_of(counts_of(v)) + fmt::format(", share {}", v.largest_share);
  for (const ElementReport& each : v.worst) {
    text +=
        fmt::format("; {} {} {} {}", to_string(each.position),
                    to_string(each.verdict.element_class), each.verdict.share, each.order.size());
  }
  return text;
}

}  // namespace

TEST_CASE("verify.v1: more of the worst than are kept are refused", "[verify]") {
  const SumCase sums = random_sums(1, 2, 2, 1);
  for (const std::int64_t worst : {std::int64_t{-1}, std::int64_t{10001}}) {
    try {
      sums.verify(sums.data, {.worst = worst});
      FAIL("not refused");
    } catch (const Error& error) {
      CHECK(error.what() ==
            fmt::format("worst: must be from 0 to 10000, got {} [verify.v1]", worst));
    }
  }
  for (const std::int64_t worst : {0, 10000}) sums.verify(sums.data, {.worst = worst});
}

TEST_CASE("verify counts the elements whose bound exceeds an update", "[verify]") {
  // Half an ulp of 1e8 is 4: the bound exceeds 1, and says nothing about it.
  const SumCase beside{.data = {0, 3}, .indices = {0, 0, 1, 1}, .updates = {1e8F, 1, 1, 3}};
  const std::vector<float> result = beside.result({0, 1, 2, 3});
  const auto hiding = [&](float first, float second) {
    const Verification v = beside.verify({first, second});
    REQUIRE(v.is_legal());
    return v.hiding;
  };
  CHECK(hiding(result[0], result[1]) == 0);
  CHECK(hiding(std::nextafter(result[0], 2e8F), result[1]) == 1);
  const SumCase alike{.data = {3}, .indices = {0, 0, 0}, .updates = {0.1F, 1, 3}};
  const Verification near = alike.verify({7.1000004F});
  CHECK(near.count(ElementClass::rounded) == 1);
  CHECK(near.hiding == 0);
  // Zeros are lost without a trace, and do not count.
  const SumCase with_zero{.data = {3}, .indices = {0, 0, 0, 0}, .updates = {0.1F, 1, 0, 3}};
  CHECK(with_zero.verify({7.1000004F}).hiding == 0);
}

TEST_CASE("verify says the same for any number of threads", "[verify]") {
  for (const std::int64_t block : {1, 3, 100}) {
    const SumCase sums = random_sums(7, 500, 2000, block);
    std::vector<float> actual = sums.result(sums.shuffled(9));
    actual[17] += 1;
    const auto with_threads = [&](int threads) {
      return summary(sums.verify(actual, {.worst = 50, .threads = threads, .tile_bytes = 1024}));
    };
    CHECK(with_threads(1) == with_threads(2));
    CHECK(with_threads(1) == with_threads(7));
  }
}

TEMPLATE_TEST_CASE("verify: blocks of one order are counted as element by element", "[verify]",
                   float, double, std::complex<double>) {
  constexpr std::int64_t destinations = 40;
  constexpr std::int64_t block = 500;
  constexpr std::int64_t rounds = 5;  // updates of each destination
  Random random(20261121);
  const auto values = [&](std::int64_t count) {
    std::vector<TestType> made;
    for (std::int64_t i = 0; i < count; ++i)
      made.push_back(TestType(static_cast<float>(random.between(-999, 999))) / TestType(7));
    return made;
  };
  const std::vector<TestType> data = values(destinations * block);
  const std::vector<TestType> updates = values(rounds * destinations * block);
  std::vector<std::int32_t> indices;
  for (std::int64_t i = 0; i < rounds * destinations; ++i)
    indices.push_back(static_cast<std::int32_t>(i % destinations));
  const auto summed = [&](const std::vector<std::size_t>& order) {
    std::vector<TestType> into = data;
    for (const std::size_t round : order) {
      for (std::size_t i = 0; i < into.size(); ++i)
        into[i] = static_cast<TestType>(into[i] + updates[round * into.size() + i]);
    }
    return into;
  };
  Arguments arguments;
  arguments.operands.emplace("data", tensor({destinations, block}, data));
  arguments.operands.emplace("indices", tensor({rounds * destinations, 1}, indices));
  arguments.operands.emplace("updates", tensor({rounds * destinations, block}, updates));
  arguments.attributes["reduction"] = Reduction::sum;
  const auto verified = [&](const std::vector<TestType>& actual) {
    return verify(*find_operation("ScatterNDUpdate-15"), arguments,
                  tensor({destinations, block}, actual), {.threads = 1});
  };

  const std::vector<TestType> in_order = summed({0, 1, 2, 3, 4});
  std::vector<TestType> actual = summed({4, 2, 3, 0, 1});
  std::int64_t differing = 0;
  for (std::size_t i = 0; i < actual.size(); ++i)
    differing += std::memcmp(&actual[i], &in_order[i], sizeof(TestType)) != 0 ? 1 : 0;
  REQUIRE(differing > destinations * block / 10);
  const Verification legal = verified(actual);
  CHECK(legal.count(ElementClass::reordered) == differing);
  CHECK(legal.count(ElementClass::in_order) == destinations * block - differing);
  // Far beyond those that are listed.
  actual[30 * block + 77] = static_cast<TestType>(actual[30 * block + 77] + TestType(512));
  CHECK(verified(actual).count(ElementClass::wrong) == 1);
}

TEST_CASE("verify of many writers on one place", "[verify]") {
  for (const std::int64_t block : {1, 80}) {
    const SumCase sums = random_sums(3, 1, 10000, block);
    std::vector<float> actual = sums.result(sums.shuffled(4));
    CHECK(sums.verify(actual).is_legal());

    actual.back() += 1e6F;
    const Verification wrong = sums.verify(actual);
    CHECK(wrong.count(ElementClass::wrong) == 1);
    REQUIRE(!wrong.worst.empty());
    const History& history = *wrong.worst.front().history;
    CHECK(history.writers == 10000);
    CHECK(history.steps.size() == 16);
    CHECK(history.steps.back().writer == 9999);
  }
}

TEST_CASE("verify: lost, doubled and misplaced updates are wrong", "[verify]") {
  const SumCase sums = random_sums(11, 50, 200, 70);
  std::vector<std::size_t> order = sums.shuffled(12);
  const auto wrong = [&](const std::vector<float>& actual) {
    return sums.verify(actual).count(ElementClass::wrong);
  };
  CHECK(wrong(sums.result(order)) == 0);
  CHECK(wrong(sums.result(order, 1)) > 60);
  order.push_back(order.front());
  CHECK(wrong(sums.result(order)) > 60);
  SumCase misplaced = sums;
  misplaced.indices[5] = (misplaced.indices[5] + 1) % 50;
  CHECK(wrong(misplaced.result(sums.shuffled(12))) > 120);
}

// Four elements of float16 0, each with the updates 2048, 1, 1, 1: the sum is 2048 in order, 2052
// in another one, 2051 exactly, and is divided by 5.
TEST_CASE("verify: a mean in order, of another order, of a wider accumulator, and wrong",
          "[verify]") {
  const auto halves = [](Shape shape, std::vector<std::uint16_t> bits) {
    return Tensor{{.type = ElementType::of(DType::float16), .shape = std::move(shape)},
                  owned_source(std::move(bits))};
  };
  std::vector<std::uint16_t> updates(16, 0x3C00);
  std::fill_n(updates.begin(), 4, std::uint16_t{0x6800});
  std::vector<std::int64_t> indices(16);
  for (std::size_t i = 0; i < indices.size(); ++i) indices[i] = static_cast<std::int64_t>(i % 4);
  const Arguments arguments{.operands = {{"data", halves({4}, {0, 0, 0, 0})},
                                         {"indices",
                                          {{.type = ElementType::of(DType::int64), .shape = {16}},
                                           owned_source(indices)}},
                                         {"updates", halves({16}, updates)},
                                         {"axis",
                                          {{.type = ElementType::of(DType::int64), .shape = {}},
                                           owned_source(std::vector<std::int64_t>{0})}}},
                            .attributes = {{"reduction", Reduction::mean}}};
  // 409.5, 410.5, 410.25 and 412
  const Verification found = verify(*find_operation("ScatterElementsUpdate-12"), arguments,
                                    halves({4}, {0x5E66, 0x5E6A, 0x5E69, 0x5E70}));
  CHECK(found.count(ElementClass::in_order) == 1);
  CHECK(found.count(ElementClass::reordered) == 1);
  CHECK(found.count(ElementClass::rounded) == 1);
  CHECK(found.count(ElementClass::wrong) == 1);
}

TEST_CASE("verify: another dtype or shape is no result of the operation", "[verify]") {
  const SumCase sums = random_sums(1, 2, 2, 1);
  const Operation& operation = *find_operation("ScatterNDUpdate-15");
  const Verification shape = verify(operation, sums.arguments(), tensor<float>({2}, {0, 0}));
  CHECK_FALSE(shape.has_same_shape());
  CHECK(shape.has_same_dtype());
  CHECK_FALSE(shape.is_legal());
  CHECK(shape.elements == 0);
  const Verification dtype = verify(operation, sums.arguments(), tensor<double>({2, 1}, {0, 0}));
  CHECK_FALSE(dtype.has_same_dtype());
  CHECK_FALSE(dtype.is_legal());
}

TEST_CASE("verify compares each piece of a result in order, along any axis, and finds one bit",
          "[verify]") {
  constexpr std::int64_t rows = 300;
  constexpr std::int64_t columns = 200;
  Random random(3);
  for (const std::int64_t axis : {0, 1}) {
    for (const std::int64_t entries : {rows * columns, rows * columns / 3}) {
      std::vector<float> data(rows * columns);
      std::iota(data.begin(), data.end(), 1.0F);
      std::vector<float> expected = data;
      std::vector<float> updates;
      std::vector<std::int64_t> indices;
      std::vector<bool> is_touched(data.size());
      for (std::int64_t i = 0; i < entries; ++i) {
        indices.push_back(random.between(0, (axis == 0 ? rows : columns) - 1));
        updates.push_back(static_cast<float>(random.between(1, 9)));
        const std::int64_t place = axis == 0 ? indices.back() * columns + i % columns
                                             : i / columns * columns + indices.back();
        expected[static_cast<std::size_t>(place)] += updates.back();
        is_touched[static_cast<std::size_t>(place)] = true;
      }
      const Shape shape{entries / columns, columns};
      const Arguments arguments{.operands = {{"data", tensor({rows, columns}, data)},
                                             {"indices", tensor(shape, indices)},
                                             {"updates", tensor(shape, updates)},
                                             {"axis", tensor({}, std::vector<std::int64_t>{axis})}},
                                .attributes = {{"reduction", Reduction::sum}}};
      const auto counts = [&](const std::vector<float>& actual, int threads) {
        return counts_of(verify(*find_operation("ScatterElementsUpdate-12"), arguments,
                                tensor({rows, columns}, actual),
                                {.threads = threads, .tile_bytes = 4096}));
      };
      const std::int64_t touched = std::ranges::count(is_touched, true);
      const oracle::NaiveCounts in_order{rows * columns - touched, touched, 0, 0, 0, 0};
      for (const int threads : {1, 2, 5}) CHECK(counts(expected, threads) == in_order);
      for (const std::size_t wrong : {0UL, expected.size() / 2 + 7, expected.size() - 1}) {
        std::vector<float> actual = expected;
        actual[wrong] = -1;
        oracle::NaiveCounts with_one = in_order;
        --with_one[is_touched[wrong] ? 1 : 0];
        ++with_one[5];
        CHECK(counts(actual, 2) == with_one);
      }
    }
  }
}

}  // namespace tscatter
