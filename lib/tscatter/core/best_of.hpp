// BestOf: the best of many items, at most so many, whatever the order in which they are offered.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace tscatter {

// is_better(a, b): a strict order of the items.
template <class T, class IsBetter>
class BestOf {
 public:
  explicit BestOf(std::size_t most, IsBetter is_better = {})
      : most_{most}, is_better_{std::move(is_better)} {}

  // Whether an item is kept only if it is better than last().
  bool is_full() const { return heap_.size() >= most_; }
  std::size_t most() const { return most_; }
  // The least good one that is kept. REQUIRES: there is one.
  const T& last() const { return heap_.front(); }

  void offer(T item) {
    if (most_ == 0) return;
    if (is_full()) {
      if (!is_better_(item, last())) return;
      std::ranges::pop_heap(heap_, is_better_);
      heap_.pop_back();
    }
    heap_.push_back(std::move(item));
    std::ranges::push_heap(heap_, is_better_);
  }

  void merge(BestOf other) {
    for (T& each : other.heap_) offer(std::move(each));
  }

  // The best one first.
  std::vector<T> sorted() const {
    std::vector<T> sorted = heap_;
    std::ranges::sort(sorted, is_better_);
    return sorted;
  }

 private:
  std::size_t most_;
  IsBetter is_better_;
  std::vector<T> heap_;  // with the least good one in front
};

}  // namespace tscatter
