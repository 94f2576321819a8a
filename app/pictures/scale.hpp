// What the colours of a heatmap mean: the largest absolute error of a cell's elements, by powers of
// ten; of opaque dtypes, the share of elements that differ.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "pictures/picture.hpp"
#include "tscatter/compare/census.hpp"
#include "tscatter/core/shape.hpp"

namespace tscatter::app {

class Scale {
 public:
  // REQUIRES: the census has a grid.
  explicit Scale(const Census& census);

  // REQUIRES: cell.beyond > 0, and the cell has `elements`.
  Color color(const GridCell& cell, std::int64_t elements) const;

  std::string_view title() const;

  // The colours, the one of the smallest error first.
  static std::vector<Color> colors();

  struct Mark {
    double share = 0;  // of the way from the first colour to the last
    std::string text;
  };
  std::vector<Mark> marks() const;

 private:
  double share(const GridCell& cell, std::int64_t elements) const;

  bool has_errors_;
  bool is_set_ = false;
  double low_ = 0;  // powers of ten
  double high_ = 1;
};

// Ticks: round numbers beside the rows and columns of a picture, where several axes are folded
// into one.
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
