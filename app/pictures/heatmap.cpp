#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "pictures/picture.hpp"
#include "text/reports.hpp"
#include "tscatter/core/characters.hpp"

namespace tscatter::app {
namespace {

// Text of a limited length.

// At most `most` characters: a longer text ends in "...". REQUIRES: most >= 3.
std::string shortened(std::string_view text, std::size_t most) {
  constexpr std::string_view end = "...";
  std::string kept;
  std::size_t characters = 0;
  for (std::string_view rest = text; !rest.empty(); ++characters) {
    if (characters == most) return kept.append(end);
    const std::string_view character = take_character(rest);
    if (characters < most - end.size()) kept += character;
  }
  return std::string(text);
}

constexpr int margin = 20;
constexpr int tick_length = 6;
constexpr int swatch_width = 24;
constexpr int step_height = 5;             // of a step of the scale
constexpr int labels_step = 32;            // the smallest distance of labels below each other
constexpr std::size_t longest_line = 100;  // characters

constexpr Color equal_color{232, 236, 240};
constexpr Color within_color{150, 200, 160};
constexpr Color not_finite_color{0, 110, 255};

// What a picture says in words.
struct Words {
  std::string subject = "where the tensors differ";
  std::string verdict;
  std::string equal = "equal";  // the legend of places without a difference
};

Words heatmap_words(const Census& census) {
  return {.verdict = shortened(verdict_line(census), longest_line)};
}

Words heatmap_words(const Verification& verification) {
  const bool is_torn = verification.count(ElementClass::torn) > 0;
  return {.subject = "where the result is wrong",
          .verdict = shortened(legality_line(verification), longest_line),
          .equal = is_torn ? "legal or torn" : "legal"};
}

// "axis 2", "axes 1 to 3"
std::string axes_words(std::size_t begin, std::size_t end) {
  if (end - begin == 1) return fmt::format("axis {}", begin);
  return fmt::format("axes {} to {}", begin, end - 1);
}

int cell_size(std::int64_t cells, std::int64_t pixels) {
  return static_cast<int>(std::clamp<std::int64_t>(pixels / cells, 3, 64));
}

double extent(std::int64_t folded, std::int64_t cells) {
  return static_cast<double>(folded) / static_cast<double>(cells);
}

// The rows of the cells, or their columns.
struct Side {
  Shape axes;
  std::int64_t cells = 1;
  std::int64_t folded = 1;
  int cell = 1;  // pixels

  int length() const { return cell * static_cast<int>(cells); }
  double places(int pixels) const { return pixels * extent(folded, cells) / cell; }
  // In pixels, the middle of a place.
  int middle(std::int64_t place) const {
    return static_cast<int>((static_cast<double>(place) + 0.5) / extent(folded, cells) * cell);
  }
  int longest_label() const { return axes.empty() ? 0 : text_width(place_label(axes, folded - 1)); }
};

class Heatmap {
 public:
  Heatmap(const Census& census, Words words)
      : census_{census},
        words_{std::move(words)},
        grid_{*census.grid},
        scale_(census),
        rows_{.axes = {shape().begin(), split()},
              .cells = grid_.rows(),
              .folded = grid_.folded_rows(),
              .cell = cell_size(grid_.rows(), 640)},
        columns_{.axes = {split(), shape().end()},
                 .cells = grid_.columns(),
                 .folded = grid_.folded_columns(),
                 .cell = cell_size(grid_.columns(), 768)} {}

  Picture draw() {
    picture_.title = words_.subject + ": " + words_.verdict;
    write_lines();
    left_ = margin + rows_.longest_label() + 2 * tick_length;
    top_ = bottom_ + 3 * line_height;
    add_cells();
    add_frames();
    add_rows();
    add_columns();
    add_legend();
    picture_.height = bottom_ + margin;
    picture_.width = right_ + margin;
    return std::move(picture_);
  }

 private:
  const Shape& shape() const { return census_.actual.shape; }
  Shape::const_iterator split() const {
    return shape().begin() + static_cast<std::ptrdiff_t>(grid_.row_axes());
  }

  // The picture is as large as what is written and drawn needs.
  void take(int right, int bottom) {
    right_ = std::max(right_, right);
    bottom_ = std::max(bottom_, bottom);
  }
  void write(int x, int y, std::string text) {
    take(x + text_width(text), y + letter_height);
    picture_.labels.push_back({.x = x, .y = y, .text = std::move(text)});
  }
  void fill(const Box& box, Color color) {
    take(box.x + box.width, box.y + box.height);
    picture_.areas.push_back({.box = box, .color = color});
  }

  void write_lines() {
    int y = margin;
    const auto write_line = [&](const std::string& line) {
      write(margin, y, shortened(line, longest_line));
      y += line_height;
    };
    write_line(words_.verdict);
    write_line(fmt::format("{}, shape {}", to_string(census_.actual.type), to_string(shape())));
    if (rows_.cells == rows_.folded && columns_.cells == columns_.folded) return;
    write_line(fmt::format("a cell is about {:.3g} x {:.3g} elements",
                           extent(rows_.folded, rows_.cells),
                           extent(columns_.folded, columns_.cells)));
  }

  Color color_of(std::int64_t row, std::int64_t column) const {
    const GridCell& cell = grid_.at(row, column);
    if (cell.differing == 0) return equal_color;
    if (cell.beyond == 0) return within_color;
    if (cell.not_finite > 0) return not_finite_color;
    return scale_.color(cell, grid_.elements_of(row, column));
  }

  void add_cells() {
    const int gap = std::min(columns_.cell, rows_.cell) >= 8 ? 1 : 0;
    CellMap map{.x = left_,
                .y = top_,
                .cell_width = columns_.cell,
                .cell_height = rows_.cell,
                .gap = gap,
                .columns = static_cast<std::size_t>(columns_.cells)};
    for (std::int64_t row = 0; row < rows_.cells; ++row) {
      for (std::int64_t column = 0; column < columns_.cells; ++column)
        map.colors.push_back(color_of(row, column));
    }
    fill({left_ - 1, top_ - 1, columns_.length() + 2 - gap, rows_.length() + 2 - gap}, grey);
    picture_.maps.push_back(std::move(map));
  }

  // Frames around a few small cells, which are easily overlooked.
  void add_frames() {
    constexpr int large = 10;
    constexpr std::size_t few = 20;
    if (std::min(columns_.cell, rows_.cell) >= large) return;
    std::vector<Box> frames;
    for (std::int64_t row = 0; row < rows_.cells; ++row) {
      for (std::int64_t column = 0; column < columns_.cells; ++column) {
        if (grid_.at(row, column).beyond > 0) frames.push_back(frame_of(row, column));
        if (frames.size() > few) return;
      }
    }
    picture_.frames = without_overlaps(std::move(frames));
  }

  Box frame_of(std::int64_t row, std::int64_t column) const {
    constexpr int distance = 5;
    return {.x = left_ + static_cast<int>(column) * columns_.cell - distance,
            .y = top_ + static_cast<int>(row) * rows_.cell - distance,
            .width = columns_.cell + 2 * distance,
            .height = rows_.cell + 2 * distance};
  }

  void add_rows() {
    if (rows_.axes.empty()) return;
    for (const Tick& tick : ticks(rows_.axes, rows_.places(labels_step))) {
      const int y = top_ + rows_.middle(tick.place);
      fill({left_ - 1 - tick_length, y - 1, tick_length, 2}, grey);
      picture_.labels.push_back({.x = left_ - 2 * tick_length,
                                 .y = y - letter_height / 2,
                                 .text = tick.label,
                                 .anchor = Anchor::right});
    }
  }

  void add_columns() {
    write(left_, top_ - tick_length - 2 * line_height, axes_title());
    if (columns_.axes.empty()) return;
    for (const Tick& tick :
         ticks(columns_.axes, columns_.places(columns_.longest_label() + margin))) {
      const int x = left_ + columns_.middle(tick.place);
      const int half = text_width(tick.label) / 2;
      const int middle = std::max(x, margin + half);
      fill({x - 1, top_ - 1 - tick_length, 2, tick_length}, grey);
      take(middle + half, top_);
      picture_.labels.push_back({.x = middle,
                                 .y = top_ - tick_length - line_height + 2,
                                 .text = tick.label,
                                 .anchor = Anchor::middle});
    }
  }

  std::string axes_title() const {
    if (shape().empty()) return "the only element";
    const std::string across = axes_words(grid_.row_axes(), shape().size()) + " across";
    return rows_.axes.empty() ? across : axes_words(0, grid_.row_axes()) + " down, " + across;
  }

  void add_legend() {
    const int x = left_ + std::max(columns_.length(), text_width(axes_title())) + 2 * margin;
    write(x, top_ - tick_length - 2 * line_height, std::string(scale_.title()));
    int y = add_scale(x) + line_height;
    add_swatch(x, y, equal_color, words_.equal);
    if (!census_.tolerance.is_exact())
      add_swatch(x, y += line_height, within_color, "within tolerance");
    const bool has_not_finite = std::ranges::any_of(
        grid_.cells(), [](const GridCell& cell) { return cell.not_finite > 0; });
    if (has_not_finite) add_swatch(x, y + line_height, not_finite_color, "NaN, infinite");
  }

  // Returns its lower end.
  int add_scale(int x) {
    CellMap map{.x = x,
                .y = top_,
                .cell_width = swatch_width,
                .cell_height = step_height,
                .colors = Scale::colors()};
    std::ranges::reverse(map.colors);
    const int height = step_height * static_cast<int>(map.colors.size());
    for (const Scale::Mark& mark : scale_.marks()) {
      const int y = top_ + static_cast<int>(std::lround((1 - mark.share) * height));
      fill({x + swatch_width, y - 1, tick_length, 2}, grey);
      write(x + swatch_width + 2 * tick_length, y - letter_height / 2, mark.text);
    }
    picture_.maps.push_back(std::move(map));
    return top_ + height;
  }

  void add_swatch(int x, int y, Color color, std::string text) {
    fill({x, y, swatch_width, letter_height}, grey);
    fill({x + 1, y + 1, swatch_width - 2, letter_height - 2}, color);
    write(x + swatch_width + 2 * tick_length, y, std::move(text));
  }

  const Census& census_;
  Words words_;
  const DifferenceGrid& grid_;
  Scale scale_;
  Side rows_;
  Side columns_;
  int left_ = 0;  // of the cells
  int top_ = 0;   // of the cells
  int right_ = 0;
  int bottom_ = 0;
  Picture picture_;
};

Picture only_words(const std::string& line) {
  return {.title = line,
          .width = text_width(line) + 2 * margin,
          .height = letter_height + 2 * margin,
          .labels = {{.x = margin, .y = margin, .text = line}}};
}

}  // namespace

Picture heatmap(const Census& census) {
  Words words = heatmap_words(census);
  return census.grid ? Heatmap(census, std::move(words)).draw() : only_words(words.verdict);
}

Picture heatmap(const Verification& verification) {
  Words words = heatmap_words(verification);
  if (!verification.grid) return only_words(words.verdict);
  const std::int64_t wrong = verification.count(ElementClass::wrong);
  const Census census{.actual = verification.actual,
                      .expected = verification.expected,
                      .elements = verification.elements,
                      .differing = wrong,
                      .beyond = wrong,
                      .grid = verification.grid};
  return Heatmap(census, std::move(words)).draw();
}

}  // namespace tscatter::app
