// SlotSet: slots that were met, each once, in as little memory as that takes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace tscatter {

class SlotSet {
 public:
  void add(std::int64_t slot) {
    if (!slots_.empty() && slots_.back() == slot) return;
    if (slots_.size() >= most_) sort();
    slots_.push_back(slot);
  }

  void merge(const SlotSet& other) {
    slots_.insert(slots_.end(), other.slots_.begin(), other.slots_.end());
    sort();
  }

  // In ascending order.
  std::vector<std::int64_t> sorted() && {
    sort();
    return std::move(slots_);
  }

 private:
  static constexpr std::size_t least = 4096;

  void sort() {
    std::sort(slots_.begin(), slots_.end());
    slots_.erase(std::unique(slots_.begin(), slots_.end()), slots_.end());
    most_ = std::max(least, slots_.size() + slots_.size() / 2);
  }

  std::vector<std::int64_t> slots_;
  std::size_t most_ = least;
};

}  // namespace tscatter
