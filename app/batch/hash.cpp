#include "batch/hash.hpp"

#include <algorithm>
#include <utility>

namespace tscatter::app {
namespace {

constexpr std::uint64_t never_zero(std::uint64_t hash) { return hash == 0 ? 1 : hash; }

}  // namespace

bool HashSet::insert(std::uint64_t hash) {
  constexpr std::size_t thirds = 3;
  if (size_ * 4 >= slots_.size() * thirds) grow();
  const std::size_t slot = slot_of(never_zero(hash));
  if (slots_[slot] != 0) return false;
  slots_[slot] = never_zero(hash);
  ++size_;
  return true;
}

bool HashSet::contains(std::uint64_t hash) const {
  return !slots_.empty() && slots_[slot_of(never_zero(hash))] != 0;
}

// The slot of the hash, or the free slot where it belongs.
std::size_t HashSet::slot_of(std::uint64_t hash) const {
  const std::size_t mask = slots_.size() - 1;
  std::size_t slot = hash & mask;
  while (slots_[slot] != 0 && slots_[slot] != hash) slot = (slot + 1) & mask;
  return slot;
}

void HashSet::grow() {
  constexpr std::size_t fewest = 64;
  const std::vector<std::uint64_t> old =
      std::exchange(slots_, std::vector<std::uint64_t>(std::max(fewest, slots_.size() * 2)));
  for (const std::uint64_t hash : old) {
    if (hash != 0) slots_[slot_of(hash)] = hash;
  }
}

}  // namespace tscatter::app
