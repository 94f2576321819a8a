#include "tscatter/io/files/checksum.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "tscatter/core/byte_order.hpp"

namespace tscatter {
namespace {

// Odd, with as many ones as zeros: the fractional parts of the square roots of 2, 3, 5, 7 and 11.
constexpr std::array<std::uint64_t, 5> odd{0x6a09e667f3bcc909, 0xbb67ae8584caa73b,
                                           0x3c6ef372fe94f82b, 0xa54ff53a5f1d36f1,
                                           0x510e527fade682d1};

// Invertible in each argument when the other is fixed.
constexpr std::uint64_t mix(std::uint64_t state, std::uint64_t word) {
  constexpr int turn = 29;
  return std::rotl((state ^ word) * odd[0], turn);
}

}  // namespace

std::uint64_t checksum(std::uint64_t seed, std::span<const std::byte> bytes) {
  constexpr std::size_t word = 8;
  constexpr std::size_t lanes = 4;  // as many as keep a multiplier busy
  std::array<std::uint64_t, lanes> state{};
  for (std::size_t i = 0; i < lanes; ++i) state[i] = seed ^ odd[i + 1];
  std::size_t at = 0;
  for (; at + lanes * word <= bytes.size(); at += lanes * word) {
    for (std::size_t i = 0; i < lanes; ++i)
      state[i] = mix(state[i], load_little_endian(bytes.data() + at + i * word));
  }
  std::uint64_t sum = seed + bytes.size();
  for (const std::uint64_t lane : state) sum = mix(sum, lane);
  for (; at < bytes.size(); at += word) {
    std::array<std::byte, word> last{};
    std::copy_n(bytes.data() + at, std::min(word, bytes.size() - at), last.data());
    sum = mix(sum, load_little_endian(last.data()));
  }
  constexpr int half = 32;
  return mix(sum ^ (sum >> half), bytes.size());
}

}  // namespace tscatter
