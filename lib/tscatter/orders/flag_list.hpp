// Where flags are set, eight at a time and without a branch for each: which of them are is seldom
// foreseen.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace tscatter::orders {

class FlagList {
 public:
  // Lists first + i for each set flag i, ascending, and returns how many there are. `list` has room
  // for one number each, and `room_beyond`.
  static constexpr std::size_t room_beyond = 8;

  [[gnu::always_inline]] static inline std::size_t list(const std::uint8_t* flags,
                                                        std::size_t count, std::uint32_t first,
                                                        std::uint32_t* list) {
    std::size_t listed = 0;
    std::size_t i = 0;
    for (; i + 8 <= count; i += 8) {
      std::uint64_t word = 0;
      std::memcpy(&word, flags + i, sizeof(word));
      Lanes places;
      std::memcpy(&places, places_of[key_of(word)].data(), sizeof(places));
      places += first + static_cast<std::uint32_t>(i);
      std::memcpy(list + listed, &places, sizeof(places));
      listed += static_cast<std::size_t>((word * each_byte) >> 56U);
    }
    for (; i < count; ++i) {
      list[listed] = first + static_cast<std::uint32_t>(i);
      listed += flags[i];
    }
    return listed;
  }

  static std::size_t count(const std::uint8_t* flags, std::size_t count) {
    std::size_t set = 0;
    std::size_t i = 0;
    for (; i + 8 <= count; i += 8) {
      std::uint64_t word = 0;
      std::memcpy(&word, flags + i, sizeof(word));
      set += static_cast<std::size_t>((word * each_byte) >> 56U);
    }
    for (; i < count; ++i) set += flags[i];
    return set;
  }

 private:
  using Lanes [[gnu::vector_size(32)]] = std::uint32_t;
  static constexpr std::uint64_t each_byte = 0x0101010101010101U;

  // A bit for each flag; in which order, the machine's byte order says.
  static constexpr std::uint64_t key_of(std::uint64_t word) {
    return (word * 0x0102040810204080U) >> 56U;
  }

  // For each key the places of its flags, then zeros.
  using Places = std::array<std::uint32_t, 8>;
  static constexpr std::array<Places, 256> make_places() {
    std::array<Places, 256> all{};
    for (unsigned bits = 0; bits < 256; ++bits) {
      std::array<std::uint8_t, 8> flags{};
      Places places{};
      std::size_t found = 0;
      for (unsigned i = 0; i < 8; ++i) {
        flags[i] = static_cast<std::uint8_t>((bits >> i) & 1U);
        if (flags[i] != 0) places[found++] = i;
      }
      all[key_of(std::bit_cast<std::uint64_t>(flags))] = places;
    }
    return all;
  }

  static const std::array<Places, 256> places_of;
};

inline constexpr std::array<FlagList::Places, 256> FlagList::places_of = FlagList::make_places();

}  // namespace tscatter::orders
