// All values that orders of the updates can leave, exactly: a dynamic program over the sets of
// applied updates. The sets of values stay small, since most orders agree.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <vector>

namespace tscatter::orders {

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
