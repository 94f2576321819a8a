// Orders of a few updates: all of them, and some very different ones. The same on every machine.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

namespace tscatter::orders {

inline constexpr std::size_t exact_writers = 12;      // up to so many are decided exactly, by sets
inline constexpr std::size_t enumerated_writers = 6;  // up to so many in all orders

// Orders of complex products seldom agree. The sets of one element may have `most_complex_values`:
// all that `exact_complex_factors` writers can give, the sum of 7! / k!.
inline constexpr std::size_t exact_complex_factors = 7;
inline constexpr std::size_t most_complex_values = 13700;

// `random() % n` chooses a place below n.
template <class Random>
void shuffle(std::vector<std::size_t>& order, Random&& random) {
  for (std::size_t i = order.size(); i > 1; --i)
    std::swap(order[i - 1], order[static_cast<std::size_t>(random() % i)]);
}

inline std::vector<std::size_t> first_to_last(std::size_t writers) {
  std::vector<std::size_t> order(writers);
  std::iota(order.begin(), order.end(), std::size_t{0});
  return order;
}

// Very different orders, the same ones on every machine, since the one that explains an element may
// be reported.
class Shuffles {
 public:
  Shuffles(std::size_t writers, std::uint64_t seed)
      : order_(first_to_last(writers)), state_(seed) {}

  const std::vector<std::size_t>& next() {
    shuffle(order_, [this] {
      state_ = state_ * 6364136223846793005U + 1442695040888963407U;  // Knuth's MMIX
      return state_ >> 33U;
    });
    return order_;
  }

 private:
  std::vector<std::size_t> order_;
  std::uint64_t state_;
};

// The reverse, and so many others.
inline std::vector<std::vector<std::size_t>> shuffles(std::size_t writers, std::size_t count) {
  const std::vector<std::size_t> order = first_to_last(writers);
  std::vector<std::vector<std::size_t>> orders{{order.rbegin(), order.rend()}};
  Shuffles others(writers, writers);
  while (orders.size() <= count) orders.push_back(others.next());
  return orders;
}

// For few writers all orders except the entries', else some.
inline std::vector<std::vector<std::size_t>> tried_orders(std::size_t writers) {
  constexpr std::size_t most_writers = std::size_t{1} << 16U;  // more would take much memory
  if (writers > most_writers) return {};
  constexpr std::size_t shuffles_of_few = 240;  // cheap beside the sets of a dozen writers
  constexpr std::size_t shuffles_of_many = 6;
  if (writers > exact_writers) return shuffles(writers, shuffles_of_many);
  if (writers > enumerated_writers) return shuffles(writers, shuffles_of_few);
  auto orders = shuffles(writers, 0);
  std::vector<std::size_t> order = first_to_last(writers);
  while (std::next_permutation(order.begin(), order.end())) {
    if (order != orders.front()) orders.push_back(order);
  }
  return orders;
}

// A few very different orders: neighbouring permutations are alike, and what one does not explain,
// the next seldom does.
inline std::vector<std::vector<std::size_t>> spread_orders(std::size_t writers, std::size_t count) {
  if (writers > enumerated_writers) return shuffles(writers, count);
  const auto orders = tried_orders(writers);
  constexpr std::size_t stride = 331;  // a prime that does not divide their number
  std::vector<std::vector<std::size_t>> some;
  for (std::size_t i = 0; i < std::min(count, orders.size()); ++i) {
    some.push_back(orders[i * stride % orders.size()]);
  }
  return some;
}

// The order that applies update (first + k * step) modulo n as its k-th: needs no list, whatever
// the number of updates.
struct RegularOrder {
  std::int64_t first = 0;
  std::int64_t step = 1;

  std::int64_t at(std::int64_t k, std::int64_t n) const { return (first + k * step) % n; }
};

// For 2 and 3 updates all orders except the entries', for more a few very different ones.
inline std::vector<RegularOrder> regular_orders(std::int64_t n) {
  if (n == 2) return {{.first = 1, .step = 1}};
  if (n == 3) {
    return {{.first = 2, .step = 2},
            {.first = 1, .step = 1},
            {.first = 2, .step = 1},
            {.first = 0, .step = 2},
            {.first = 1, .step = 2}};
  }
  // About the golden section of n, which scatters neighbours.
  std::int64_t step = std::max<std::int64_t>(n * 5 / 8, 2);
  while (std::gcd(step, n) != 1) ++step;
  return {{.first = n - 1, .step = n - 1},
          {.first = n / 2, .step = 1},
          {.first = 0, .step = step},
          {.first = n / 2, .step = n - 1}};
}

}  // namespace tscatter::orders
