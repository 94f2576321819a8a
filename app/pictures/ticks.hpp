// Ticks: round numbers beside the rows and columns of a picture, where several axes are folded into
// one.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tscatter/core/shape.hpp"

namespace tscatter::app {

struct Tick {
  std::int64_t place = 0;  // of the folded axes
  std::string label;       // the indices there: "2,40"
};

// Ticks at least `room` places apart: at multiples of 1, 2 or 5 times a power of ten of one axis,
// where the axes after it are at 0. REQUIRES: all axes are longer than 0.
// axes {200}, room 11 -> "0", "20", "40" …; axes {3, 64}, room 15 -> "0,0", "0,20", "0,40", "1,0" …
std::vector<Tick> ticks(const Shape& axes, double room);

// The indices of a place of folded axes.
std::string place_label(const Shape& axes, std::int64_t place);

}  // namespace tscatter::app
