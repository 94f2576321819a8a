// The font of pictures: 5 x 7 pixels per character; capitals, digits and signs.
#pragma once

#include <array>
#include <cstdint>

namespace tscatter::app {

inline constexpr int glyph_width = 5;
inline constexpr int glyph_height = 7;

// A row of a glyph is its lowest five bits, the leftmost pixel first.
using Glyph = std::array<std::uint8_t, glyph_height>;

// Lower-case letters are shown as capitals, unknown characters as a box.
const Glyph& glyph_of(char character);

}  // namespace tscatter::app
