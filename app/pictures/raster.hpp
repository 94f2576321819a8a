// Raster: a small picture in memory, with rectangles and text, that becomes a PNG.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace tscatter::app {

struct Color {
  std::uint8_t red = 0;
  std::uint8_t green = 0;
  std::uint8_t blue = 0;
};

class Raster {
 public:
  Raster(int width, int height, Color background);

  int width() const { return width_; }
  int height() const { return height_; }

  // Clips to the picture.
  void fill(int x, int y, int width, int height, Color color);

  // Writes text with its top left corner at x, y, in the font's capitals. Unknown characters become
  // a box.
  void write(int x, int y, std::string_view text, Color color, int size = 1);

  std::vector<std::byte> png() const;

 private:
  int width_;
  int height_;
  std::vector<Color> pixels_;
};

// In pixels, of one line.
int text_width(std::string_view text, int size = 1);
int text_height(int size = 1);

}  // namespace tscatter::app
