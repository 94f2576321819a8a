// The font of a PNG: letters, digits and signs of ASCII, 5 pixels wide. Capitals are 7 high, 2 are
// below the line.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace tscatter::app {

inline constexpr int glyph_width = 5;
inline constexpr int glyph_capital = 7;
inline constexpr int glyph_height = 9;

// A row of a glyph is its lowest five bits, the leftmost pixel first.
using Glyph = std::array<std::uint8_t, glyph_height>;

// The glyph of one character in UTF-8; a box for characters that the font does not have.
const Glyph& glyph_of(std::string_view character);

}  // namespace tscatter::app
