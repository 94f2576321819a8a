// A picture of where two tensors differ.
#pragma once

#include <cstddef>
#include <vector>

#include "tscatter/compare/census.hpp"

namespace tscatter::app {

// The limits of CompareOptions::grid that fit the picture.
inline constexpr GridLimits heatmap_limits{.rows = 256, .columns = 256};

// A PNG. A census without a grid (different shape or dtype, or no elements) gives a picture that
// says so in words.
std::vector<std::byte> heatmap_png(const Census& census);

}  // namespace tscatter::app
