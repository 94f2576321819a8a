// Draws: the only source of randomness in generated cases. Words are addressed, not drawn in
// sequence: word i of a stream of a case depends on nothing else. Scheme 4 of docs/generate.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace tscatter::generate {

// The numbers are part of the scheme.
enum class Stream : std::uint64_t {
  // turns
  combination = 0,
  frame = 1,
  style = 2,
  value_set = 3,
  arrangement = 4,
  negative = 5,
  form = 6,
  index_dtype = 7,
  scalar_form = 8,
  slice_kind = 9,
  axes_presence = 10,
  variant = 11,
  outside = 12,
  // words
  shape = 16,
  entry_count = 17,
  places = 18,
  repeats = 19,
  slices = 20,
  axes = 21,
  attributes = 22,
  strays = 23,
  data = 32,
  updates = 33,
};

// Output i of SplitMix64 (Steele, Lea and Flood, 2014) started at `state`.
constexpr std::uint64_t split(std::uint64_t state, std::uint64_t i) {
  std::uint64_t z = state + (i + 1) * 0x9E3779B97F4A7C15U;
  z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9U;
  z = (z ^ (z >> 27U)) * 0x94D049BB133111EBU;
  return z ^ (z >> 31U);
}

class Draws {
 public:
  Draws(std::uint64_t seed, std::uint64_t number) : seed_{seed}, number_{number} {}

  std::uint64_t word(Stream stream, std::uint64_t i) const {
    return split(key(number_, stream), i);
  }

  // Those of the same case for another attempt to make it; attempt 0 is the first.
  Draws again(std::uint64_t attempt) const {
    return {attempt == 0 ? seed_ : split(seed_, attempt), number_};
  }

  // One of n choices, taken in turns: n consecutive cases, from a multiple of n on, have n
  // different ones. REQUIRES: n > 0.
  std::size_t turn(Stream stream, std::size_t n) const {
    const std::uint64_t offset = split(key(number_ / n, stream), 0) % n;
    return static_cast<std::size_t>((number_ % n + offset) % n);
  }

  template <class T, std::size_t extent>
  T among(Stream stream, std::span<const T, extent> choices) const {
    return choices[turn(stream, choices.size())];
  }

 private:
  std::uint64_t key(std::uint64_t number, Stream stream) const {
    return split(split(seed_, number), static_cast<std::uint64_t>(stream));
  }

  std::uint64_t seed_;
  std::uint64_t number_;
};

}  // namespace tscatter::generate
