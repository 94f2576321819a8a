// What the colours of a heatmap mean: the largest absolute error of a cell's elements, by powers of
// ten; of opaque dtypes, the share of elements that differ.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "pictures/picture.hpp"
#include "tscatter/compare/census.hpp"

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

}  // namespace tscatter::app
