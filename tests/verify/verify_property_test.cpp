// verify() against the oracle: random calls, results in other orders, torn, and broken.
// TSCATTER_SEED and TSCATTER_CASES as in property_test.cpp.
#include <fmt/format.h>

#include <algorithm>
#include <complex>
#include <cstring>
#include <numeric>

#include "catch.hpp"
#include "property/environment.hpp"
#include "property/random_case.hpp"
#include "tscatter/io/files/sources.hpp"
#include "tscatter/ops/operation.hpp"
#include "tscatter/verify/verify.hpp"
#include "verify/class_counts.hpp"
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

Tensor tensor_of(const Dense& dense, Layout layout, bool is_viewed) {
  std::vector<std::byte> bytes = oracle::stored(dense, layout);
  const TensorHeader header = oracle::header_of(dense, layout);
  if (is_viewed) return {header, owned_source(std::move(bytes))};
  return {header, std::make_shared<RangesSource>(std::move(bytes))};
}

Arguments arguments_of(const property::Case& c) {
  Arguments arguments;
  for (const auto& [name, dense] : c.call.operands) {
    const bool is_viewed = c.delivery.sources.find(name)->second != property::SourceKind::ranges;
    arguments.operands.emplace(name, tensor_of(dense, c.layouts.find(name)->second, is_viewed));
  }
  arguments.attributes = c.call.attributes;
  arguments.index = c.call.index;
  arguments.has_base = is_made(c.call.row().base);
  return arguments;
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

// Elements that no order explains are rounded or wrong, which the oracle does not distinguish, nor
// in which other ways the operation's library computes. With a prescribed accumulator, other orders
// are those of that accumulator.
bool agree(const Call& call, const oracle::NaiveCounts& expected, oracle::NaiveCounts got) {
  const std::int64_t not_of_an_order = expected[3] + expected[5];
  if (!call.row().variants.empty()) {
    return expected[0] == got[0] && expected[1] == got[1] && expected[4] == got[4] &&
           got[2] <= expected[2] && got[5] <= not_of_an_order;
  }
  if (call.reduction() == Reduction::none) return expected == got;
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
  constexpr std::uint64_t enough_for_all_classes = 6500;
  const std::uint64_t cases = property::extent(
      "TSCATTER_CASES",
      {.whole = enough_for_all_classes, .sample = enough_for_all_classes, .slowed = 1000});
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

}  // namespace tscatter
