#include "pictures/raster.hpp"

#include <png.h>

#include <algorithm>
#include <array>
#include <new>
#include <span>

#include "pictures/bitmap_font.hpp"

namespace tscatter::app {
namespace {

constexpr int glyph_gap = 1;

void append_bytes(png_structp png, png_bytep data, std::size_t length) {
  auto& bytes = *static_cast<std::vector<std::byte>*>(png_get_io_ptr(png));
  const auto added = std::as_bytes(std::span(data, length));
  bytes.insert(bytes.end(), added.begin(), added.end());
}

void flush_nothing(png_structp) {}

}  // namespace

int text_width(std::string_view text, int size) {
  if (text.empty()) return 0;
  return size * (static_cast<int>(text.size()) * (glyph_width + glyph_gap) - glyph_gap);
}

int text_height(int size) { return size * glyph_height; }

Raster::Raster(int width, int height, Color background)
    : width_{width},
      height_{height},
      pixels_(static_cast<std::size_t>(width) * static_cast<std::size_t>(height), background) {}

void Raster::fill(int x, int y, int width, int height, Color color) {
  const int right = std::min(x + width, width_);
  const int bottom = std::min(y + height, height_);
  for (int row = std::max(y, 0); row < bottom; ++row) {
    for (int column = std::max(x, 0); column < right; ++column)
      pixels_[static_cast<std::size_t>(row) * static_cast<std::size_t>(width_) +
              static_cast<std::size_t>(column)] = color;
  }
}

void Raster::write(int x, int y, std::string_view text, Color color, int size) {
  for (const char character : text) {
    const Glyph& glyph = glyph_of(character);
    for (int row = 0; row < glyph_height; ++row) {
      for (int column = 0; column < glyph_width; ++column) {
        const unsigned mask = 1U << static_cast<unsigned>(glyph_width - 1 - column);
        if ((glyph[static_cast<std::size_t>(row)] & mask) != 0)
          fill(x + column * size, y + row * size, size, size, color);
      }
    }
    x += size * (glyph_width + glyph_gap);
  }
}

std::vector<std::byte> Raster::png() const {
  static_assert(sizeof(Color) == 3);
  std::vector<std::byte> bytes;
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
  for (int row = 0; row < height_; ++row) {
    png_write_row(png,
                  reinterpret_cast<png_const_bytep>(
                      &pixels_[static_cast<std::size_t>(row) * static_cast<std::size_t>(width_)]));
  }
  png_write_end(png, header);
  png_destroy_write_struct(&png, &header);
  return bytes;
}

}  // namespace tscatter::app
