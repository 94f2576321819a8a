// Pictures: what one shows, all in pixels, before it is drawn as an SVG; heat maps of where two
// tensors differ, and what their colours mean.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tscatter/compare/census.hpp"
#include "tscatter/core/shape.hpp"
#include "tscatter/verify/verify.hpp"

namespace tscatter::app {

// ---- Picture: what a picture shows, all in pixels, before it is drawn as an SVG.

struct Color {
  std::uint8_t red = 0;
  std::uint8_t green = 0;
  std::uint8_t blue = 0;

  friend bool operator==(const Color&, const Color&) = default;
};

inline constexpr Color paper{255, 255, 255};
inline constexpr Color ink{20, 20, 20};      // of labels and frames
inline constexpr Color grey{150, 150, 150};  // of ticks, borders, and the gaps between cells

struct Box {
  int x = 0;  // of the left top corner
  int y = 0;
  int width = 0;
  int height = 0;
};

struct Area {
  Box box;
  Color color;
};

// Cells of one size, side by side. The last `gap` pixels of each are left free.
struct CellMap {
  int x = 0;  // of the left top corner
  int y = 0;
  int cell_width = 1;
  int cell_height = 1;
  int gap = 0;
  std::size_t columns = 1;
  std::vector<Color> colors = {};  // row by row

  std::size_t rows() const { return colors.size() / columns; }
};

// Which end of a label is at its x.
enum class Anchor : std::uint8_t { left, middle, right };

struct Label {
  int x = 0;
  int y = 0;  // of the top of a capital
  std::string text;
  Anchor anchor = Anchor::left;
};

// Drawn in the order of the members.
struct Picture {
  std::string title;  // for those who do not see it
  int width = 0;
  int height = 0;
  std::vector<Area> areas = {};
  std::vector<CellMap> maps = {};
  std::vector<Box> frames = {};  // lines of one pixel, inside the box
  std::vector<Label> labels = {};
};

// Of labels. All characters are equally wide.
inline constexpr int letter_width = 12;
inline constexpr int letter_height = 14;  // of a capital
inline constexpr int line_height = 22;

int text_width(std::string_view text);

// Unites boxes that overlap, until none do.
std::vector<Box> without_overlaps(std::vector<Box> boxes);

// A picture as SVG, with its words as text.
std::string svg_file(const Picture& picture);

// The same for a page of HTML, which knows the namespace.
std::string svg_element(const Picture& picture);

// ---- What the colours of a heatmap mean: the largest absolute error of a cell's elements, by
// powers of ten; of opaque dtypes, the share of elements that differ.

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

// ---- A picture of where two tensors differ.

// The limits of CompareOptions::grid for a picture by itself, and for one of many in a report.
inline constexpr GridLimits heatmap_limits{.rows = 256, .columns = 256};
inline constexpr GridLimits report_limits{.rows = 128, .columns = 128};

// A picture is at most some 3,000 x 2,000 pixels, whatever the shape. A census without a grid
// (different shape or dtype, or no elements) gives one that says so in words.
Picture heatmap(const Census& census);

// The same of the wrong elements of a verified result.
Picture heatmap(const Verification& verification);

}  // namespace tscatter::app
