#include <algorithm>
#include <span>

#include "tscatter/generate/generated_case.hpp"

namespace tscatter::generate {
namespace {

constexpr std::array<std::int64_t, 18> primes{2,  3,  5,  7,  11, 13, 17, 19, 23,
                                              29, 31, 37, 41, 43, 47, 53, 59, 61};

constexpr std::array<Style, 8> styles{Style::small, Style::primes, Style::long_and_thin,
                                      Style::small, Style::primes, Style::zero,
                                      Style::small, Style::ones};

std::int64_t choice(std::uint64_t word, std::int64_t n) {
  return static_cast<std::int64_t>(word % static_cast<std::uint64_t>(n));
}

bool is_within(std::int64_t side, std::size_t rank, std::int64_t limit) {
  for (std::size_t axis = 0; axis < rank; ++axis) limit /= side;
  return limit > 0;
}

// The longest side of a cube of this rank with at most `limit` elements.
std::int64_t side_of(std::size_t rank, std::int64_t limit) {
  if (rank == 1) return limit;
  std::int64_t side = 1;
  while (is_within(side + 1, rank, limit)) ++side;
  return side;
}

// Axes of length 1 or 2, except one that takes the rest.
Shape long_shape(const Draws& draws, std::size_t rank, std::int64_t limit) {
  const auto longest = static_cast<std::size_t>(draws.word(Stream::shape, rank) % rank);
  Shape shape(rank, 1);
  std::int64_t others = 1;
  for (std::size_t axis = 0; axis < rank; ++axis) {
    if (axis == longest) continue;
    shape[axis] = 1 + choice(draws.word(Stream::shape, axis), 2);
    others *= shape[axis];
  }
  const std::int64_t total = limit - choice(draws.word(Stream::shape, longest), limit / 2);
  shape[longest] = total / others;
  return shape;
}

}  // namespace

Style draw_style(const Draws& draws) { return draws.among(Stream::style, std::span(styles)); }

Shape draw_shape(const Draws& draws, Style style, std::size_t rank, std::int64_t limit) {
  if (style == Style::long_and_thin) return long_shape(draws, rank, limit);
  Shape shape(rank, 1);
  if (style == Style::ones) return shape;
  const std::int64_t side = side_of(rank, limit);
  const auto known = std::ranges::upper_bound(primes, side) - primes.begin();
  for (std::size_t axis = 0; axis < rank; ++axis) {
    const std::uint64_t word = draws.word(Stream::shape, axis);
    const bool is_prime = style == Style::primes;
    shape[axis] = is_prime ? primes[static_cast<std::size_t>(choice(word, known))]
                           : 1 + choice(word, std::min<std::int64_t>(side, 8));
  }
  if (style == Style::zero) shape[draws.word(Stream::shape, rank) % rank] = 0;
  return shape;
}

Shape draw_full_shape(const Draws& draws, std::size_t rank, unsigned bits) {
  Shape shape(rank, 2);
  shape[draws.word(Stream::shape, rank) % rank] = std::int64_t{1} << (bits + 1 - rank);
  return shape;
}

}  // namespace tscatter::generate
