// The shapes of generated data. Scheme 4 of docs/generate.md. Not part of the installed interface.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "tscatter/core/shape.hpp"
#include "tscatter/generate/draws.hpp"

namespace tscatter::generate {

enum class Style : std::uint8_t { small, primes, long_and_thin, zero, ones };

// The word for a style in a case's name; none for small ones.
inline constexpr std::array<std::string_view, 5> style_words{"", "primes", "long", "zero-dim",
                                                             "ones"};

Style draw_style(const Draws& draws);

// At most `limit` elements. REQUIRES: limit >= 2^rank, rank >= 1.
Shape draw_shape(const Draws& draws, Style style, std::size_t rank, std::int64_t limit);

// Exactly 2^bits elements. REQUIRES: bits >= rank >= 1.
Shape draw_full_shape(const Draws& draws, std::size_t rank, unsigned bits);

}  // namespace tscatter::generate
