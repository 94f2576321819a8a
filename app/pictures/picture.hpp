// Picture: what a picture shows, all in pixels, before it is drawn as an SVG.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tscatter::app {

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

}  // namespace tscatter::app
