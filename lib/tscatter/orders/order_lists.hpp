// Orders of a few updates, and all values that they can leave.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace tscatter::orders {

// ---- Orders of a few updates: all of them, and some very different ones. The same on every
// machine.

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

// ---- All values that orders of the updates can leave, exactly: a dynamic program over the sets of
// applied updates. The sets of values stay small, since most orders agree.

inline constexpr std::size_t most_set_values = std::size_t{1} << 20U;

// Arithmetic: Value apply(Value, std::size_t k), a total order `before(a, b)` of bit patterns, and
// alive(Value, applied), which may be false only where the target cannot be reached any more.
template <class Value, class Arithmetic>
class OrderSets {
 public:
  // The search gives up beyond `most_values`.
  OrderSets(std::size_t writers, Value data, const Arithmetic& arithmetic,
            std::size_t most_values = most_set_values)
      : writers_(writers),
        most_values_(most_values),
        arithmetic_(arithmetic),
        begins_((std::size_t{1} << writers) + 1) {
    values_.push_back(data);
    begins_[1] = 1;
    for (std::size_t applied = 1; applied + 1 < begins_.size() && is_complete_; ++applied) {
      add_values(applied);
    }
  }

  bool is_complete() const { return is_complete_; }

  // The possible values after all updates. REQUIRES: is_complete().
  std::span<const Value> results() const { return values(begins_.size() - 2); }

  // An order that leaves the value. REQUIRES: the value is among the results.
  std::vector<std::size_t> order_of(Value value) const {
    std::vector<std::size_t> order;
    std::size_t applied = begins_.size() - 2;
    while (applied != 0) {
      const std::size_t last = last_update(applied, value);
      order.push_back(last);
      applied ^= std::size_t{1} << last;
    }
    std::reverse(order.begin(), order.end());
    return order;
  }

 private:
  std::span<const Value> values(std::size_t applied) const {
    return {values_.data() + begins_[applied], begins_[applied + 1] - begins_[applied]};
  }

  bool same(const Value& a, const Value& b) const {
    return !arithmetic_.before(a, b) && !arithmetic_.before(b, a);
  }

  void add_values(std::size_t applied) {
    found_.clear();
    for (std::size_t rest = applied; rest != 0; rest &= rest - 1) {
      const auto last = static_cast<std::size_t>(std::countr_zero(rest));
      for (const Value& value : values(applied ^ (std::size_t{1} << last))) {
        const Value next = arithmetic_.apply(value, last);
        if (arithmetic_.alive(next, applied)) found_.push_back(next);
      }
    }
    const auto before = [&](const Value& a, const Value& b) { return arithmetic_.before(a, b); };
    std::sort(found_.begin(), found_.end(), before);
    const auto is_same = [&](const Value& a, const Value& b) { return same(a, b); };
    found_.erase(std::unique(found_.begin(), found_.end(), is_same), found_.end());
    values_.insert(values_.end(), found_.begin(), found_.end());
    begins_[applied + 1] = values_.size();
    is_complete_ = values_.size() <= most_values_;
  }

  // Returns the last update, and sets `value` to one from before it.
  std::size_t last_update(std::size_t applied, Value& value) const {
    for (std::size_t rest = applied; rest != 0; rest &= rest - 1) {
      const auto last = static_cast<std::size_t>(std::countr_zero(rest));
      for (const Value& earlier : values(applied ^ (std::size_t{1} << last))) {
        if (!same(arithmetic_.apply(earlier, last), value)) continue;
        value = earlier;
        return last;
      }
    }
    return 0;
  }

  std::size_t writers_;
  std::size_t most_values_;
  const Arithmetic& arithmetic_;
  std::vector<std::size_t> begins_;
  std::vector<Value> values_;
  std::vector<Value> found_;
  bool is_complete_ = true;
};

}  // namespace tscatter::orders
