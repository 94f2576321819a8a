#include "pictures/png.hpp"

#include <png.h>

#include <algorithm>
#include <new>

#include "pictures/bitmap_font.hpp"
#include "tscatter/core/utf8.hpp"

namespace tscatter::app {
namespace {

constexpr int dot = 2;  // pixels of the picture per pixel of a glyph

static_assert(letter_width == dot * (glyph_width + 1));
static_assert(letter_height == dot * glyph_capital);

class Raster {
 public:
  explicit Raster(const Picture& picture)
      : width_{picture.width},
        height_{picture.height},
        pixels_(static_cast<std::size_t>(width_) * static_cast<std::size_t>(height_), paper) {}

  void draw(const Area& area) {
    const Box& box = area.box;
    const int right = std::min(box.x + box.width, width_);
    const int bottom = std::min(box.y + box.height, height_);
    const int left = std::max(box.x, 0);
    for (int y = std::max(box.y, 0); y < bottom; ++y)
      std::fill_n(row(y) + left, std::max(right - left, 0), area.color);
  }

  void draw(const CellMap& map) {
    for (std::size_t i = 0; i < map.colors.size(); ++i) {
      draw(Area{.box = {.x = map.x + static_cast<int>(i % map.columns) * map.cell_width,
                        .y = map.y + static_cast<int>(i / map.columns) * map.cell_height,
                        .width = map.cell_width - map.gap,
                        .height = map.cell_height - map.gap},
                .color = map.colors[i]});
    }
  }

  void draw(const Box& frame) {
    draw(Area{.box = {frame.x, frame.y, frame.width, 1}, .color = ink});
    draw(Area{.box = {frame.x, frame.y + frame.height - 1, frame.width, 1}, .color = ink});
    draw(Area{.box = {frame.x, frame.y, 1, frame.height}, .color = ink});
    draw(Area{.box = {frame.x + frame.width - 1, frame.y, 1, frame.height}, .color = ink});
  }

  void draw(const Label& label) {
    int x = label.x - text_width(label.text) * static_cast<int>(label.anchor) / 2;
    for (std::string_view rest = label.text; !rest.empty(); x += letter_width)
      draw(glyph_of(take_character(rest)), x, label.y);
  }

  std::string png() const;

 private:
  Color* row(int y) {
    return pixels_.data() + static_cast<std::size_t>(y) * static_cast<std::size_t>(width_);
  }
  const Color* row(int y) const {
    return pixels_.data() + static_cast<std::size_t>(y) * static_cast<std::size_t>(width_);
  }

  void draw(const Glyph& glyph, int x, int y) {
    for (int i = 0; i < glyph_height * glyph_width; ++i) {
      const int column = i % glyph_width;
      const unsigned mask = 1U << static_cast<unsigned>(glyph_width - 1 - column);
      if ((glyph[static_cast<std::size_t>(i / glyph_width)] & mask) == 0) continue;
      draw(Area{.box = {x + column * dot, y + i / glyph_width * dot, dot, dot}, .color = ink});
    }
  }

  int width_;
  int height_;
  std::vector<Color> pixels_;
};

void append_bytes(png_structp png, png_bytep data, std::size_t length) {
  static_cast<std::string*>(png_get_io_ptr(png))
      ->append(reinterpret_cast<const char*>(data), length);
}

void flush_nothing(png_structp) {}

std::string Raster::png() const {
  static_assert(sizeof(Color) == 3);
  std::string bytes;
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, nullptr, nullptr);
  png_infop header = png != nullptr ? png_create_info_struct(png) : nullptr;
  if (header == nullptr) {
    png_destroy_write_struct(&png, nullptr);
    throw std::bad_alloc();
  }
  png_set_write_fn(png, &bytes, append_bytes, flush_nothing);
  png_set_IHDR(png, header, static_cast<png_uint_32>(width_), static_cast<png_uint_32>(height_), 8,
               PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
               PNG_FILTER_TYPE_DEFAULT);
  png_write_info(png, header);
  for (int y = 0; y < height_; ++y) png_write_row(png, reinterpret_cast<png_const_bytep>(row(y)));
  png_write_end(png, header);
  png_destroy_write_struct(&png, &header);
  return bytes;
}

}  // namespace

std::string png(const Picture& picture) {
  Raster raster(picture);
  for (const Area& area : picture.areas) raster.draw(area);
  for (const CellMap& map : picture.maps) raster.draw(map);
  for (const Box& frame : picture.frames) raster.draw(frame);
  for (const Label& label : picture.labels) raster.draw(label);
  return raster.png();
}

}  // namespace tscatter::app
