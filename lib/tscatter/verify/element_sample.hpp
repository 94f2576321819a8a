// ElementSample: some of many elements, spread over all of them, the same for any number of
// workers. Not part of the installed interface.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace tscatter {

// Keeps those whose hashes are least.
class ElementSample {
 public:
  static constexpr std::size_t most = 1000;

  void offer(std::int64_t number) { offer({hash(number), number}); }

  void merge(const ElementSample& other) {
    for (const Hashed& each : other.kept_) offer(each);
  }

  // In the order of their hashes.
  std::vector<std::int64_t> numbers() const {
    std::vector<Hashed> sorted = kept_;
    std::ranges::sort(sorted);
    std::vector<std::int64_t> numbers;
    numbers.reserve(sorted.size());
    for (const Hashed& each : sorted) numbers.push_back(each.second);
    return numbers;
  }

 private:
  using Hashed = std::pair<std::uint64_t, std::int64_t>;

  // The mixing step of SplitMix64.
  static std::uint64_t hash(std::int64_t number) {
    auto mixed = static_cast<std::uint64_t>(number) + 0x9E3779B97F4A7C15U;
    mixed = (mixed ^ (mixed >> 30U)) * 0xBF58476D1CE4E5B9U;
    mixed = (mixed ^ (mixed >> 27U)) * 0x94D049BB133111EBU;
    return mixed ^ (mixed >> 31U);
  }

  void offer(const Hashed& element) {
    if (kept_.size() == most) {
      if (element >= kept_.front()) return;
      std::ranges::pop_heap(kept_);
      kept_.pop_back();
    }
    kept_.push_back(element);
    std::ranges::push_heap(kept_);
  }

  std::vector<Hashed> kept_;  // a heap with the greatest hash in front
};

}  // namespace tscatter
