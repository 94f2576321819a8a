// A picture of where two tensors differ.
#pragma once

#include "pictures/picture.hpp"
#include "tscatter/compare/census.hpp"
#include "tscatter/verify/verify.hpp"

namespace tscatter::app {

// The limits of CompareOptions::grid for a picture by itself, and for one of many in a report.
inline constexpr GridLimits heatmap_limits{.rows = 256, .columns = 256};
inline constexpr GridLimits report_limits{.rows = 128, .columns = 128};

// A picture is at most some 3,000 x 2,000 pixels, whatever the shape. A census without a grid
// (different shape or dtype, or no elements) gives one that says so in words.
Picture heatmap(const Census& census);

// The same of the wrong elements of a verified result.
Picture heatmap(const Verification& verification);

}  // namespace tscatter::app
