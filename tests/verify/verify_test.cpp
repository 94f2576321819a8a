// verify() against the oracle: random calls, results in other orders, torn, and broken.
// TSCATTER_SEED and TSCATTER_CASES as in property_test.cpp.
#include "tscatter/verify/verify.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <complex>
#include <cstring>
#include <numeric>

#include "catch.hpp"
#include "property/environment.hpp"
#include "property/random_case.hpp"
#include "tscatter/io/files/owned_source.hpp"
#include "tscatter/ops/operation.hpp"
#include "verify/naive_verdict.hpp"

namespace tscatter {
namespace {

using oracle::Call;
using oracle::Dense;
using oracle::Layout;
using oracle::Reaching;
using property::Random;

constexpr std::size_t most_tried = 5;  // writers of an element of which every order is tried

// Bytes that cannot be viewed, so that they are read in ranges.
class RangesSource final : public Source {
 public:
  explicit RangesSource(std::vector<std::byte> bytes) : bytes_{std::move(bytes)} {}
  std::int64_t size() const override { return static_cast<std::int64_t>(bytes_.size()); }
  void read(std::int64_t offset, std::span<std::byte> into) const override {
    std::copy_n(bytes_.begin() + offset, into.size(), into.begin());
  }

 private:
  std::vector<std::byte> bytes_;
};

class ViewSource final : public Source {
 public:
  explicit ViewSource(std::vector<std::byte> bytes) : bytes_{std::move(bytes)} {}
  std::int64_t size() const override { return static_cast<std::int64_t>(bytes_.size()); }
  void read(std::int64_t offset, std::span<std::byte> into) const override {
    std::copy_n(bytes_.begin() + offset, into.size(), into.begin());
  }
  std::optional<std::span<const std::byte>> view() const override { return bytes_; }

 private:
  std::vector<std::byte> bytes_;
};

Tensor tensor_of(const Dense& dense, Layout layout, bool is_viewed) {
  std::vector<std::byte> bytes = oracle::stored(dense, layout);
  std::shared_ptr<const Source> source;
  if (is_viewed) {
    source = std::make_shared<ViewSource>(std::move(bytes));
  } else {
    source = std::make_shared<RangesSource>(std::move(bytes));
  }
  return {oracle::header_of(dense, layout), std::move(source)};
}

Arguments arguments_of(const property::Case& c) {
  Arguments arguments;
  for (const auto& [name, dense] : c.call.operands) {
    const bool is_viewed = c.delivery.sources.find(name)->second == property::SourceKind::view;
    arguments.operands.emplace(name, tensor_of(dense, c.layouts.find(name)->second, is_viewed));
  }
  arguments.attributes = c.call.attributes;
  return arguments;
}

std::vector<std::size_t> random_order(Random& random, std::size_t writers) {
  std::vector<std::size_t> order(writers);
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t i = writers; i > 1; --i) std::swap(order[i - 1], order[random.bits() % i]);
  return order;
}

void put(Dense& into, std::size_t element, const std::vector<std::byte>& value) {
  std::copy(value.begin(), value.end(), into.element(element));
}

// Makes the result of other orders: for each block with none, else for each element.
void reorder(Random& random, const Call& call, const Reaching& reaching, Dense& actual) {
  const bool one_order = random.chance(50);
  for (const std::vector<std::size_t>& block : reaching.blocks) {
    const std::size_t writers = reaching.writers[block.front()].size();
    auto order = random_order(random, writers);
    for (const std::size_t element : block) {
      if (call.reduction() != Reduction::none && !one_order) order = random_order(random, writers);
      put(actual, element, oracle::value_after(call, reaching, element, order));
    }
  }
}

// Gives single elements a different writer from their block.
void tear(Random& random, const Call& call, const Reaching& reaching, Dense& actual) {
  for (const std::vector<std::size_t>& block : reaching.blocks) {
    if (!random.chance(40)) continue;
    for (int times = 0; times < 3; ++times) {
      const std::size_t element = block[random.bits() % block.size()];
      const auto order = random_order(random, reaching.writers[element].size());
      put(actual, element, oracle::value_after(call, reaching, element, order));
    }
  }
}

void flip_bits(Random& random, Dense& actual) {
  if (actual.bytes.empty()) return;
  for (std::int64_t times = random.between(1, 4); times > 0; --times)
    actual.bytes[random.bits() % actual.bytes.size()] ^= std::byte{1} << (random.bits() % 8);
}

Dense random_actual(Random& random, const Call& call, const Reaching& reaching) {
  Dense actual = oracle::apply(call).output;
  if (random.chance(70)) reorder(random, call, reaching, actual);
  if (random.chance(40)) tear(random, call, reaching, actual);
  if (random.chance(40)) flip_bits(random, actual);
  return actual;
}

std::string text_of(const oracle::NaiveCounts& counts) {
  return fmt::format("{} untouched, {} in order, {} reordered, {} rounded, {} torn, {} wrong",
                     counts[0], counts[1], counts[2], counts[3], counts[4], counts[5]);
}

oracle::NaiveCounts counts_of(const Verification& verification) {
  oracle::NaiveCounts counts{};
  std::ranges::copy(verification.classes, counts.begin());
  return counts;
}

// Elements that no order explains are rounded or wrong, which the oracle does not distinguish.
// With a prescribed accumulator, other orders are those of that accumulator.
bool agree(const Call& call, const oracle::NaiveCounts& expected, oracle::NaiveCounts got) {
  if (call.reduction() == Reduction::none) return expected == got;
  const std::int64_t not_of_an_order = expected[3] + expected[5];
  return expected[0] == got[0] && expected[1] == got[1] && expected[2] == got[2] && got[4] == 0 &&
         got[3] + got[5] == not_of_an_order && got[5] >= expected[5];
}

bool is_too_deep(const Call& call, const Reaching& reaching) {
  if (call.reduction() == Reduction::none) return false;
  return std::ranges::any_of(reaching.writers,
                             [](const auto& writers) { return writers.size() > most_tried; });
}

std::string replay(std::uint64_t seed, const property::Case& c, const std::string& wrong) {
  return fmt::format("{}. Replay with TSCATTER_SEED={} TSCATTER_CASES=1: {}", wrong, seed,
                     property::to_string(c));
}

VerifyOptions options_of(const property::Case& c) {
  return {.worst = 3,
          .threads = c.delivery.options.threads,
          .tile_bytes = c.delivery.options.tile_bytes};
}

// What is wrong with verify()'s answer; "" when nothing is.
std::string wrong_with(Random& random, const property::Case& c, const Reaching& reaching,
                       oracle::NaiveCounts& seen) {
  const Dense actual = random_actual(random, c.call, reaching);
  const Layout layout{.order = random.among({MemoryOrder::c, MemoryOrder::fortran}),
                      .byte_order = actual.type.dtype == DType::opaque
                                        ? c.layouts.find("data")->second.byte_order
                                        : random.among({std::endian::little, std::endian::big})};
  const Arguments arguments = arguments_of(c);
  const Verification verification =
      verify(c.call.row(), arguments, tensor_of(actual, layout, random.chance(70)), options_of(c));
  const oracle::NaiveCounts expected = oracle::naive_counts(c.call, reaching, actual);
  const oracle::NaiveCounts got = counts_of(verification);
  for (std::size_t i = 0; i < got.size(); ++i) seen[i] += got[i];
  if (!agree(c.call, expected, got))
    return fmt::format("got {}, must be {}", text_of(got), text_of(expected));
  if (verification.elements != static_cast<std::int64_t>(actual.count())) return "elements differ";
  const bool is_legal = got[4] == 0 && got[5] == 0;
  return verification.is_legal() == is_legal ? "" : "legal does not agree with the classes";
}

}  // namespace

TEST_CASE("verify finds the classes that the oracle finds", "[verify][property]") {
  const std::uint64_t first = property::from_environment("TSCATTER_SEED", 20261121);
  constexpr std::uint64_t enough_for_all_classes = 6000;
  const std::uint64_t cases = property::from_environment("TSCATTER_CASES", enough_for_all_classes);
  std::int64_t checked = 0;
  oracle::NaiveCounts seen{};
  for (std::uint64_t seed = first; seed < first + cases; ++seed) {
    Random random(seed);
    const property::Case c = property::random_legal_case(random);
    const Reaching reaching = oracle::reaching(c.call);
    if (is_too_deep(c.call, reaching) || c.call.operand("data").count() > 2000) continue;
    const std::string wrong = wrong_with(random, c, reaching, seen);
    ++checked;
    if (!wrong.empty()) FAIL(replay(seed, c, wrong));
  }
  if (cases < enough_for_all_classes) return;
  CHECK(checked > static_cast<std::int64_t>(cases / 3));
  for (const std::int64_t elements : seen) CHECK(elements > 20);
}

namespace {

template <class T>
Tensor vector_tensor(Shape shape, std::vector<T> values) {
  return {{.type = ElementType::of(detail::dtype_of<T>()), .shape = std::move(shape)},
          owned_source(std::move(values))};
}

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
    Arguments arguments;
    arguments.operands.emplace("data", vector_tensor({destinations, block}, data));
    arguments.operands.emplace("indices", vector_tensor({entries, 1}, indices));
    arguments.operands.emplace("updates", vector_tensor({entries, block}, updates));
    arguments.attributes["reduction"] = Reduction::sum;
    return arguments;
  }

  Verification verify(const std::vector<float>& actual, const VerifyOptions& options = {}) const {
    const auto destinations = static_cast<std::int64_t>(data.size()) / block;
    return tscatter::verify(*find_operation("ScatterNDUpdate-15"), arguments(),
                            vector_tensor({destinations, block}, actual), options);
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
  arguments.operands.emplace("data", vector_tensor({destinations, block}, data));
  arguments.operands.emplace("indices", vector_tensor({rounds * destinations, 1}, indices));
  arguments.operands.emplace("updates", vector_tensor({rounds * destinations, block}, updates));
  arguments.attributes["reduction"] = Reduction::sum;
  const auto verified = [&](const std::vector<TestType>& actual) {
    return verify(*find_operation("ScatterNDUpdate-15"), arguments,
                  vector_tensor({destinations, block}, actual), {.threads = 1});
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
  const Verification shape = verify(operation, sums.arguments(), vector_tensor<float>({2}, {0, 0}));
  CHECK_FALSE(shape.has_same_shape());
  CHECK(shape.has_same_dtype());
  CHECK_FALSE(shape.is_legal());
  CHECK(shape.elements == 0);
  const Verification dtype =
      verify(operation, sums.arguments(), vector_tensor<double>({2, 1}, {0, 0}));
  CHECK_FALSE(dtype.has_same_dtype());
  CHECK_FALSE(dtype.is_legal());
}

}  // namespace tscatter
