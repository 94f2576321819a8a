#include "pictures/heatmap.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>

#include "pictures/raster.hpp"
#include "text/census_text.hpp"

namespace tscatter::app {
namespace {

constexpr int font = 2;  // pixels of the picture per pixel of a glyph
constexpr int margin = 20;
constexpr int line_step = 22;
constexpr int tick = 6;

constexpr Color white{255, 255, 255};
constexpr Color black{20, 20, 20};
constexpr Color grey{150, 150, 150};
constexpr Color equal_color{232, 236, 240};
constexpr Color within_color{150, 200, 160};
constexpr Color not_finite_color{0, 110, 255};

// From the smallest to the largest: yellow, orange, red, dark violet.
constexpr std::array<Color, 5> scale_colors{Color{250, 210, 60}, Color{250, 150, 40},
                                            Color{235, 85, 50}, Color{185, 25, 70},
                                            Color{70, 5, 75}};

std::uint8_t between(std::uint8_t a, std::uint8_t b, double share) {
  return static_cast<std::uint8_t>(std::lround(a + (b - a) * share));
}

// REQUIRES: 0 <= share <= 1.
Color scale_color(double share) {
  const double place = share * (scale_colors.size() - 1);
  const auto first = std::min(static_cast<std::size_t>(place), scale_colors.size() - 2);
  const double rest = place - static_cast<double>(first);
  const Color a = scale_colors[first];
  const Color b = scale_colors[first + 1];
  return {between(a.red, b.red, rest), between(a.green, b.green, rest),
          between(a.blue, b.blue, rest)};
}

// What the colours mean: errors by powers of ten or, if there are none, shares.
class Scale {
 public:
  explicit Scale(const Census& census) : has_errors_{census.actual.type.dtype != DType::opaque} {
    for (const GridCell& cell : census.grid->cells()) {
      if (cell.beyond == 0 || cell.largest == 0 || std::isinf(cell.largest)) continue;
      const double power = std::log10(cell.largest);
      low_ = is_set_ ? std::min(low_, std::floor(power)) : std::floor(power);
      high_ = is_set_ ? std::max(high_, std::ceil(power)) : std::ceil(power);
      is_set_ = true;
    }
    if (high_ <= low_) high_ = low_ + 1;
  }

  // REQUIRES: cell.beyond > 0.
  double share(const GridCell& cell, std::int64_t elements) const {
    if (!has_errors_) return static_cast<double>(cell.beyond) / static_cast<double>(elements);
    if (cell.largest == 0) return 0;
    return std::clamp((std::log10(cell.largest) - low_) / (high_ - low_), 0.0, 1.0);
  }

  std::string title() const {
    return has_errors_ ? "largest absolute error" : "share of elements that differ";
  }

  struct Mark {
    double share;
    std::string text;
  };
  std::vector<Mark> marks() const {
    std::vector<Mark> marks;
    if (!has_errors_) return {{0, "0 %"}, {0.5, "50 %"}, {1, "100 %"}};
    const double step = std::ceil((high_ - low_) / 8);
    for (double power = low_; power <= high_; power += step)
      marks.push_back({(power - low_) / (high_ - low_), fmt::format("1e{}", power)});
    return marks;
  }

 private:
  bool has_errors_;
  bool is_set_ = false;
  double low_ = 0;  // powers of ten
  double high_ = 1;
};

// "axis 2", "axes 1 to 3"
std::string axes_words(std::size_t begin, std::size_t end) {
  if (end - begin == 1) return fmt::format("axis {}", begin);
  return fmt::format("axes {} to {}", begin, end - 1);
}

class Heatmap {
 public:
  explicit Heatmap(const Census& census)
      : census_{census},
        grid_{*census.grid},
        scale_(census),
        cell_width_{cell_size(grid_.columns(), 768)},
        cell_height_{cell_size(grid_.rows(), 640)},
        titles_{title_lines()},
        left_{margin + row_labels_width() + 2 * tick},
        top_{margin + line_step * (static_cast<int>(titles_.size()) + 3)},
        legend_{left_ + std::max(map_width(), columns_title_width()) + 2 * margin},
        picture_(picture_width(), picture_height(), white) {}

  std::vector<std::byte> draw() {
    int y = margin;
    for (const std::string& line : titles_) {
      write(margin, y, line);
      y += line_step;
    }
    draw_cells();
    draw_rings();
    draw_rows();
    draw_columns();
    draw_scale();
    draw_swatches();
    return picture_.png();
  }

 private:
  static constexpr int scale_height = 300;
  static constexpr int scale_width = 24;

  static int cell_size(std::int64_t cells, std::int64_t pixels) {
    return static_cast<int>(std::clamp<std::int64_t>(pixels / cells, 3, 64));
  }

  int map_width() const { return cell_width_ * static_cast<int>(grid_.columns()); }
  int map_height() const { return cell_height_ * static_cast<int>(grid_.rows()); }
  const Shape& shape() const { return census_.actual.shape; }
  void write(int x, int y, std::string_view text) { picture_.write(x, y, text, black, font); }

  std::vector<std::string> title_lines() const {
    std::vector<std::string> lines{
        verdict_line(census_),
        fmt::format("{}, shape {}", to_string(census_.actual.type), to_string(shape()))};
    if (grid_.rows() != grid_.folded_rows() || grid_.columns() != grid_.folded_columns()) {
      lines.push_back(fmt::format("a cell is about {:.3g} x {:.3g} elements",
                                  cell_extent(grid_.folded_rows(), grid_.rows()),
                                  cell_extent(grid_.folded_columns(), grid_.columns())));
    }
    return lines;
  }

  static double cell_extent(std::int64_t folded, std::int64_t cells) {
    return static_cast<double>(folded) / static_cast<double>(cells);
  }

  // The indices of a folded row, "12, 3".
  std::string row_label(std::int64_t folded) const {
    const Shape axes(shape().begin(),
                     shape().begin() + static_cast<std::ptrdiff_t>(grid_.row_axes()));
    return fmt::format("{}", fmt::join(position_of(axes, folded), ","));
  }
  std::string column_label(std::int64_t folded) const {
    const Shape axes(shape().begin() + static_cast<std::ptrdiff_t>(grid_.row_axes()),
                     shape().end());
    return fmt::format("{}", fmt::join(position_of(axes, folded), ","));
  }

  bool has_row_axes() const { return grid_.row_axes() > 0; }
  std::string rows_title() const { return axes_words(0, grid_.row_axes()) + " down"; }
  std::string columns_title() const {
    if (shape().empty()) return "the only element";
    return axes_words(grid_.row_axes(), shape().size()) + " across";
  }

  int row_labels_width() const {
    return has_row_axes() ? text_width(row_label(grid_.folded_rows() - 1), font) : 0;
  }
  int column_label_width() const {
    return shape().empty() ? 0 : text_width(column_label(grid_.folded_columns() - 1), font);
  }
  int columns_title_width() const {
    const std::string rows = has_row_axes() ? rows_title() + ", " : std::string();
    return text_width(rows + columns_title(), font);
  }

  int picture_width() const {
    int width = legend_ + text_width("within tolerance", font) + scale_width + 2 * margin;
    width = std::max(width, legend_ + text_width(scale_.title(), font) + margin);
    for (const std::string& line : titles_)
      width = std::max(width, text_width(line, font) + 2 * margin);
    return width;
  }
  int picture_height() const {
    const int map = top_ + map_height() + tick + line_step + margin;
    const int legend = top_ + scale_height + 5 * line_step + margin;
    return std::max(map, legend);
  }

  Color color_of(std::int64_t row, std::int64_t column) const {
    const GridCell& cell = grid_.at(row, column);
    if (cell.differing == 0) return equal_color;
    if (cell.beyond == 0) return within_color;
    if (cell.not_finite > 0) return not_finite_color;
    return scale_color(scale_.share(cell, grid_.elements_of(row, column)));
  }

  void draw_cells() {
    const int gap = std::min(cell_width_, cell_height_) >= 8 ? 1 : 0;
    picture_.fill(left_ - 1, top_ - 1, map_width() + 2 - gap, map_height() + 2 - gap, grey);
    for (std::int64_t row = 0; row < grid_.rows(); ++row) {
      for (std::int64_t column = 0; column < grid_.columns(); ++column) {
        picture_.fill(left_ + static_cast<int>(column) * cell_width_,
                      top_ + static_cast<int>(row) * cell_height_, cell_width_ - gap,
                      cell_height_ - gap, color_of(row, column));
      }
    }
  }

  // Rings a few small cells, which are easily overlooked.
  void draw_rings() {
    constexpr int large = 10;
    constexpr std::ptrdiff_t few = 20;
    const auto beyond =
        std::ranges::count_if(grid_.cells(), [](const GridCell& cell) { return cell.beyond > 0; });
    if (std::min(cell_width_, cell_height_) >= large || beyond > few) return;
    for (std::int64_t row = 0; row < grid_.rows(); ++row) {
      for (std::int64_t column = 0; column < grid_.columns(); ++column) {
        if (grid_.at(row, column).beyond > 0) draw_ring(row, column);
      }
    }
  }

  void draw_ring(std::int64_t row, std::int64_t column) {
    constexpr int distance = 5;
    const int x = left_ + static_cast<int>(column) * cell_width_ - distance;
    const int y = top_ + static_cast<int>(row) * cell_height_ - distance;
    const int width = cell_width_ + 2 * distance;
    const int height = cell_height_ + 2 * distance;
    picture_.fill(x, y, width, 1, black);
    picture_.fill(x, y + height - 1, width, 1, black);
    picture_.fill(x, y, 1, height, black);
    picture_.fill(x + width - 1, y, 1, height, black);
  }

  // The smallest distance of labels, in cells.
  static std::int64_t label_step(int label, int cell) {
    return std::max<std::int64_t>((label + cell - 1) / cell, 1);
  }

  void draw_rows() {
    if (!has_row_axes()) return;
    const std::int64_t step = label_step(2 * line_step, cell_height_);
    for (std::int64_t row = 0; row<grid_.rows(); row += cell_height_> line_step ? 1 : step) {
      const int y = top_ + static_cast<int>(row) * cell_height_ + cell_height_ / 2;
      const std::string label = row_label(grid_.rows_of(row).first);
      picture_.fill(left_ - 1 - tick, y, tick, 2, grey);
      write(left_ - 2 * tick - text_width(label, font), y - text_height(font) / 2, label);
    }
  }

  void draw_columns() {
    const int title = top_ - tick - 2 * line_step;
    write(left_, title, (has_row_axes() ? rows_title() + ", " : "") + columns_title());
    if (shape().empty()) return;
    const std::int64_t step = label_step(column_label_width() + margin, cell_width_);
    for (std::int64_t column = 0; column < grid_.columns(); column += step) {
      const int x = left_ + static_cast<int>(column) * cell_width_ + cell_width_ / 2;
      const std::string label = column_label(grid_.columns_of(column).first);
      picture_.fill(x, top_ - 1 - tick, 2, tick, grey);
      write(std::max(x - text_width(label, font) / 2, left_ - tick), top_ - tick - line_step + 2,
            label);
    }
  }

  void draw_scale() {
    write(legend_, top_ - tick - 2 * line_step, scale_.title());
    for (int i = 0; i < scale_height; ++i) {
      const double share = 1 - static_cast<double>(i) / (scale_height - 1);
      picture_.fill(legend_, top_ + i, scale_width, 1, scale_color(share));
    }
    for (const Scale::Mark& mark : scale_.marks()) {
      const int y = top_ + static_cast<int>(std::lround((1 - mark.share) * (scale_height - 1)));
      picture_.fill(legend_ + scale_width, y, tick, 2, grey);
      write(legend_ + scale_width + 2 * tick, y - text_height(font) / 2, mark.text);
    }
  }

  void draw_swatches() {
    int y = top_ + scale_height + line_step;
    draw_swatch(y, equal_color, "equal");
    if (!census_.tolerance.is_exact())
      draw_swatch(y += line_step, within_color, "within tolerance");
    const bool has_not_finite = std::ranges::any_of(
        grid_.cells(), [](const GridCell& cell) { return cell.not_finite > 0; });
    if (has_not_finite) draw_swatch(y + line_step, not_finite_color, "NaN, infinite");
  }

  void draw_swatch(int y, Color color, std::string_view text) {
    picture_.fill(legend_, y, scale_width, text_height(font), grey);
    picture_.fill(legend_ + 1, y + 1, scale_width - 2, text_height(font) - 2, color);
    write(legend_ + scale_width + 2 * tick, y, text);
  }

  const Census& census_;
  const DifferenceGrid& grid_;
  Scale scale_;
  int cell_width_;
  int cell_height_;
  std::vector<std::string> titles_;
  int left_;    // of the cells
  int top_;     // of the cells
  int legend_;  // left edge
  Raster picture_;
};

std::vector<std::byte> only_words(const std::string& line) {
  Raster picture(text_width(line, font) + 2 * margin, text_height(font) + 2 * margin, white);
  picture.write(margin, margin, line, black, font);
  return picture.png();
}

}  // namespace

std::vector<std::byte> heatmap_png(const Census& census) {
  if (!census.grid) return only_words(verdict_line(census));
  return Heatmap(census).draw();
}

}  // namespace tscatter::app
