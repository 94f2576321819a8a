#include "pictures/picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "text/quoting.hpp"
#include "tscatter/core/characters.hpp"
#include "tscatter/core/fail.hpp"

namespace tscatter::app {
namespace {

bool overlap(const Box& a, const Box& b) {
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
}

Box united(const Box& a, const Box& b) {
  const int x = std::min(a.x, b.x);
  const int y = std::min(a.y, b.y);
  return {.x = x,
          .y = y,
          .width = std::max(a.x + a.width, b.x + b.width) - x,
          .height = std::max(a.y + a.height, b.y + b.height) - y};
}

}  // namespace

int text_width(std::string_view text) {
  return letter_width * static_cast<int>(character_count(text));
}

std::vector<Box> without_overlaps(std::vector<Box> boxes) {
  std::vector<Box> apart;
  while (!boxes.empty()) {
    const Box box = boxes.back();
    boxes.pop_back();
    const auto other =
        std::ranges::find_if(apart, [&](const Box& each) { return overlap(each, box); });
    if (other == apart.end()) {
      apart.push_back(box);
    } else {
      boxes.push_back(united(box, *other));
      apart.erase(other);
    }
  }
  return apart;
}

namespace {

// Equally wide letters: in most such fonts they are 0.6 of the size.
constexpr std::string_view font = "20px ui-monospace,Menlo,Consolas,monospace";
static_assert(letter_width == 12);

std::uint32_t number_of(Color color) {
  return std::uint32_t{color.red} << 16U | std::uint32_t{color.green} << 8U | color.blue;
}

std::string hex(Color color) { return fmt::format("#{:06x}", number_of(color)); }

std::string area(const Area& each) {
  return fmt::format(R"(<path fill="{}" d="M{} {}h{}v{}h-{}z"/>)", hex(each.color), each.box.x,
                     each.box.y, each.box.width, each.box.height, each.box.width);
}

std::string frame(const Box& box) {
  return fmt::format(R"(<path fill="none" stroke="{}" d="M{}.5 {}.5h{}v{}h-{}z"/>)", hex(ink),
                     box.x, box.y, box.width - 1, box.height - 1, box.width - 1);
}

// Cells of one colour side by side, in columns and rows.
struct Run {
  Color color;
  std::int64_t row = 0;
  std::int64_t begin = 0;
  std::int64_t end = 0;
};

// By colour, then in the order of the cells.
std::vector<Run> runs_of(const CellMap& map) {
  std::vector<Run> runs;
  for (std::size_t i = 0; i < map.colors.size(); ++i) {
    const auto row = static_cast<std::int64_t>(i / map.columns);
    const auto column = static_cast<std::int64_t>(i % map.columns);
    if (runs.empty() || column == 0 || runs.back().color != map.colors[i])
      runs.push_back({.color = map.colors[i], .row = row, .begin = column, .end = column});
    ++runs.back().end;
  }
  std::ranges::stable_sort(runs, {}, [](const Run& run) { return number_of(run.color); });
  return runs;
}

// A path for each colour: lines as thick as a row of cells.
void append_cells(std::string& text, const CellMap& map) {
  auto out = std::back_inserter(text);
  const std::vector<Run> runs = runs_of(map);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const Run& run = runs[i];
    if (i == 0 || runs[i - 1].color != run.color) {
      fmt::format_to(out, R"({}<path stroke="{}" d="M{} {}.5)", i == 0 ? "" : R"("/>)",
                     hex(run.color), run.begin, run.row);
    } else {
      fmt::format_to(out, "m{} {}", run.begin - runs[i - 1].end, run.row - runs[i - 1].row);
    }
    fmt::format_to(out, "h{}", run.end - run.begin);
  }
  text += R"("/>)";
}

// Lines over the last pixel of each row and column of cells.
void append_gaps(std::string& text, const CellMap& map) {
  auto out = std::back_inserter(text);
  const int width = map.cell_width * static_cast<int>(map.columns);
  const int height = map.cell_height * static_cast<int>(map.rows());
  fmt::format_to(out, R"(<path stroke="{}" d=")", hex(grey));
  for (int x = map.x + map.cell_width; x <= map.x + width; x += map.cell_width)
    fmt::format_to(out, "M{}.5 {}v{}", x - 1, map.y, height);
  for (int y = map.y + map.cell_height; y <= map.y + height; y += map.cell_height)
    fmt::format_to(out, "M{} {}.5h{}", map.x, y - 1, width);
  text += R"("/>)";
}

void append(std::string& text, const CellMap& map) {
  text += fmt::format(R"svg(<g transform="translate({} {}) scale({} {})">)svg", map.x, map.y,
                      map.cell_width, map.cell_height);
  append_cells(text, map);
  text += "</g>";
  if (map.gap > 0) append_gaps(text, map);
  text += '\n';
}

std::string_view anchor_of(const Label& label) {
  switch (label.anchor) {
    case Anchor::left: return "";
    case Anchor::middle: return R"( text-anchor="middle")";
    case Anchor::right: return R"( text-anchor="end")";
  }
  unreachable();
}

std::string label_text(const Label& label) {
  return fmt::format("<text x=\"{}\" y=\"{}\"{}>{}</text>\n", label.x, label.y + letter_height,
                     anchor_of(label), xml_text(label.text));
}

// `attributes`: further ones of the element.
std::string drawn(const Picture& picture, std::string_view attributes) {
  std::string text = fmt::format(
      "<svg{} width=\"{}\" height=\"{}\" viewBox=\"0 0 {} {}\" role=\"img\" style=\"font:{}\">"
      "<title>{}</title>\n<g shape-rendering=\"crispEdges\">{}",
      attributes, picture.width, picture.height, picture.width, picture.height, font,
      xml_text(picture.title),
      area({.box = {0, 0, picture.width, picture.height}, .color = paper}));
  for (const Area& each : picture.areas) text += area(each);
  text += '\n';
  for (const CellMap& map : picture.maps) append(text, map);
  for (const Box& box : picture.frames) text += frame(box);
  text += fmt::format("</g>\n<g fill=\"{}\">\n", hex(ink));
  for (const Label& label : picture.labels) text += label_text(label);
  return text + "</g></svg>\n";
}

}  // namespace

std::string svg_file(const Picture& picture) {
  return drawn(picture, R"( xmlns="http://www.w3.org/2000/svg")");
}

std::string svg_element(const Picture& picture) { return drawn(picture, ""); }

}  // namespace tscatter::app
