// SlotIndex: where a slot stands in an ascending list of slots, in about one step.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace tscatter {

class SlotIndex {
 public:
  // REQUIRES: `slots` is ascending, without repeats, and outlives the index.
  explicit SlotIndex(std::span<const std::int64_t> slots) : slots_{slots} {
    if (slots.empty()) return;
    const auto last = static_cast<std::uint64_t>(slots.back());
    const std::size_t places = std::min(slots.size(), most_places);
    shift_ = std::max(
        static_cast<int>(std::bit_width(last)) - static_cast<int>(std::bit_width(places)), 0);
    first_.resize((last >> shift_) + 2);
    std::size_t at = 0;
    for (std::size_t place = 0; place < first_.size(); ++place) {
      while (at < slots.size() && static_cast<std::uint64_t>(slots[at]) >> shift_ < place) ++at;
      first_[place] = at;
    }
  }

  std::optional<std::size_t> find(std::int64_t slot) const {
    if (slots_.empty() || slot > slots_.back()) return std::nullopt;
    const auto place = static_cast<std::size_t>(slot >> shift_);
    const auto end = slots_.begin() + static_cast<std::ptrdiff_t>(first_[place + 1]);
    const auto at =
        std::lower_bound(slots_.begin() + static_cast<std::ptrdiff_t>(first_[place]), end, slot);
    if (at == end || *at != slot) return std::nullopt;
    return static_cast<std::size_t>(at - slots_.begin());
  }

 private:
  static constexpr std::size_t most_places = std::size_t{1} << 20U;

  std::span<const std::int64_t> slots_;
  int shift_ = 0;
  std::vector<std::size_t> first_;  // of the slots with these leading bits
};

}  // namespace tscatter
