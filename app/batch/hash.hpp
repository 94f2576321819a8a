// A fixed 64-bit hash, since a case must never move to another shard. FNV-1a over the bytes, then
// the finalizer of SplitMix64, so that every bit counts.
#pragma once

#include <cstdint>
#include <string_view>
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

// A set of hashes in at most 22 bytes for each, 33 while it grows.
class HashSet {
 public:
  bool insert(std::uint64_t hash);  // false if it was there
  bool contains(std::uint64_t hash) const;
  std::size_t size() const { return size_; }

 private:
  std::size_t slot_of(std::uint64_t hash) const;
  void grow();

  std::vector<std::uint64_t> slots_;  // their number is a power of two; 0 marks a free one
  std::size_t size_ = 0;
};

}  // namespace tscatter::app
