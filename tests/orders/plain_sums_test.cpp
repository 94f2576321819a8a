// The cheap bound of sums that need no care, beside the bounds that hold for all.
#include "tscatter/orders/plain_sums.hpp"

#include "catch.hpp"
#include "orders/elements.hpp"
#include "tscatter/orders/sum_bounds.hpp"

namespace tscatter {
namespace {

using device::Random;
using device::seed;
using device::Step;
using device::Terms;
using orders::Lane;

struct PlainTally {
  std::int64_t columns = 0;
  std::int64_t plain = 0;
};

template <class T>
Terms ordinary_terms(Random& random, std::size_t writers) {
  Terms terms(writers + 1);
  for (double& term : terms) term = device::ordinary<T>(random);
  if (random.chance(10)) terms[0] = 0;
  return terms;
}

// What is called legal cheaply has the same share of the largest bound, and is within that of one
// accumulator.
template <class T>
void expect_as_bounds(Random& random, std::size_t writers, PlainTally& tally) {
  constexpr std::size_t columns = 37;
  device::Elements<T> elements(writers, columns);
  const bool is_ordinary = random.chance(50);
  std::vector<Terms> terms;
  for (std::size_t c = 0; c < columns; ++c) {
    terms.push_back(is_ordinary ? ordinary_terms<T>(random, writers)
                                : device::hostile_terms<T>(random, writers));
    elements.set(c, Reduction::sum, terms[c], device::some_result<T>(random, Step::add, terms[c]));
  }
  std::vector<std::uint32_t> places(columns);
  for (std::size_t c = 0; c < columns; ++c) places[c] = static_cast<std::uint32_t>(c);
  orders::TermBlock<T> block;
  const auto as_it_is = [](Lane<T> x) { return x; };
  block.gather(elements.rows(), places, as_it_is, as_it_is);
  orders::PlainSums<T> plain;
  plain.calculate(block);
  orders::SumBounds<T> bounds;
  bounds.calculate(block, orders::Subnormals::kept);
  for (std::size_t j = 0; j < columns; ++j) {
    tally.columns += is_ordinary ? 1 : 0;
    if (!plain.is_legal(j)) continue;
    tally.plain += is_ordinary ? 1 : 0;
    INFO("writers " << writers << ": "
                    << device::text_of(terms[j], static_cast<double>(block.target()[j])));
    const double bound =
        std::max({bounds.one_accumulator(j), bounds.wider_accumulator(j), bounds.tree(j)});
    CHECK(bounds.distance(j) <= bounds.one_accumulator(j));
    CHECK(plain.share(j) == bounds.distance(j) / bound);
  }
}

template <class T>
PlainTally expect_all_as_bounds() {
  INFO("seed " << seed() << ", dtype " << info(device::dtype_of<T>()).name);
  Random random(seed());
  PlainTally tally;
  for (std::size_t i = 0; i < 1500; ++i) expect_as_bounds<T>(random, 2 + i % 19, tally);
  return tally;
}

}  // namespace

TEST_CASE("orders: sums that need no care have the share that the bounds give them", "[orders]") {
  const PlainTally tally = expect_all_as_bounds<float>();
  CHECK(tally.plain > tally.columns / 2);
  expect_all_as_bounds<Half>();
  expect_all_as_bounds<BFloat16>();
}

}  // namespace tscatter
