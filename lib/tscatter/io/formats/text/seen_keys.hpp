// Finds repeated JSON keys without holding them: keeps each key's hash and offset.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tscatter {

struct SeenKey {
  std::uint64_t hash;
  std::uint32_t at;
};

// Returns a key that is repeated; nullopt if none is. key_at(at) reads a key; only keys with equal
// hashes are read. Sorts by hash, then by key, so that equal keys become neighbours.
template <class KeyAt>
std::optional<std::string> repeated_key(std::vector<SeenKey>& keys, const KeyAt& key_at) {
  std::ranges::sort(keys, [&](const SeenKey& one, const SeenKey& other) {
    if (one.hash != other.hash) return one.hash < other.hash;
    return one.at != other.at && key_at(one.at) < key_at(other.at);
  });
  const auto same = std::ranges::adjacent_find(keys, [&](const auto& one, const auto& other) {
    return one.hash == other.hash && key_at(one.at) == key_at(other.at);
  });
  return same == keys.end() ? std::nullopt : std::optional<std::string>(key_at(same->at));
}

}  // namespace tscatter
