// DestinationSet: collects destinations, each once, in memory proportional to the distinct ones.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace tscatter {

class DestinationSet {
 public:
  void add(std::int64_t destination) {
    if (!destinations_.empty() && destinations_.back() == destination) return;
    if (destinations_.size() >= most_) sort();
    destinations_.push_back(destination);
  }

  void merge(const DestinationSet& other) {
    destinations_.insert(destinations_.end(), other.destinations_.begin(),
                         other.destinations_.end());
    sort();
  }

  // In ascending order.
  std::vector<std::int64_t> sorted() && {
    sort();
    return std::move(destinations_);
  }

 private:
  static constexpr std::size_t least = 4096;

  void sort() {
    std::sort(destinations_.begin(), destinations_.end());
    destinations_.erase(std::unique(destinations_.begin(), destinations_.end()),
                        destinations_.end());
    most_ = std::max(least, destinations_.size() + destinations_.size() / 2);
  }

  std::vector<std::int64_t> destinations_;
  std::size_t most_ = least;
};

}  // namespace tscatter
