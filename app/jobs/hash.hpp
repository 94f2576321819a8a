// A fixed 64-bit hash, since a case must never move to another shard. FNV-1a over the bytes, then
// the finalizer of SplitMix64, so that every bit counts.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace tscatter::app {

inline constexpr std::uint64_t hash_start = 0xcbf29ce484222325;

// Hashes that continue one another: hash_more(hash_more(hash_start, "ab"), "c") has seen "abc".
constexpr std::uint64_t hash_more(std::uint64_t state, std::string_view bytes) {
  constexpr std::uint64_t prime = 0x100000001b3;
  for (const char byte : bytes) state = (state ^ static_cast<unsigned char>(byte)) * prime;
  return state;
}

constexpr std::uint64_t hash_more(std::uint64_t state, std::uint64_t number) {
  constexpr unsigned bits = 8;
  for (unsigned shift = 0; shift < 64; shift += bits) {
    const auto byte = static_cast<char>((number >> shift) & 0xFFU);
    state = hash_more(state, std::string_view(&byte, 1));
  }
  return state;
}

constexpr std::uint64_t hash_end(std::uint64_t state) {
  state = (state ^ (state >> 30U)) * 0xbf58476d1ce4e5b9;
  state = (state ^ (state >> 27U)) * 0x94d049bb133111eb;
  return state ^ (state >> 31U);
}

constexpr std::uint64_t hash_of(std::string_view bytes) {
  return hash_end(hash_more(hash_start, bytes));
}

// Maps hashes to values. The number of slots is a power of two, at most three quarters are taken:
// 11 to 22 bytes for each hash without a value, 33 while the map grows.
template <class Value>
class HashMap {
 public:
  // The hash's value, and whether it is new. The pointer is valid until the next insert().
  std::pair<Value*, bool> insert(std::uint64_t hash) {
    constexpr std::size_t thirds = 3;
    if (size_ * 4 >= slots_.size() * thirds) grow();
    Slot& slot = slots_[place_of(hash)];
    const bool is_new = slot.hash == 0;
    if (is_new) ++size_;
    slot.hash = never_zero(hash);
    return {&slot.value, is_new};
  }

  bool contains(std::uint64_t hash) const {
    return !slots_.empty() && slots_[place_of(hash)].hash != 0;
  }

  std::size_t size() const { return size_; }
  std::size_t bytes() const { return slots_.size() * sizeof(Slot); }

 private:
  struct Slot {
    std::uint64_t hash = 0;  // 0: free
    [[no_unique_address]] Value value = {};
  };

  static constexpr std::uint64_t never_zero(std::uint64_t hash) { return hash == 0 ? 1 : hash; }

  // The place of the slot that has the hash, or of the free one where it belongs.
  std::size_t place_of(std::uint64_t hash) const {
    const std::size_t mask = slots_.size() - 1;
    std::size_t place = never_zero(hash) & mask;
    while (slots_[place].hash != 0 && slots_[place].hash != never_zero(hash))
      place = (place + 1) & mask;
    return place;
  }

  void grow() {
    constexpr std::size_t fewest = 64;
    const std::vector<Slot> old =
        std::exchange(slots_, std::vector<Slot>(std::max(fewest, slots_.size() * 2)));
    for (const Slot& slot : old) {
      if (slot.hash != 0) slots_[place_of(slot.hash)] = slot;
    }
  }

  std::vector<Slot> slots_;
  std::size_t size_ = 0;
};

class HashSet {
 public:
  bool insert(std::uint64_t hash) { return map_.insert(hash).second; }  // false if it was there
  bool contains(std::uint64_t hash) const { return map_.contains(hash); }
  std::size_t size() const { return map_.size(); }

 private:
  struct Nothing {};
  HashMap<Nothing> map_;
};

}  // namespace tscatter::app
