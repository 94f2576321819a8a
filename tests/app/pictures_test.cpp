// Pictures: what a heatmap shows, and that an SVG shows it.
#include <fmt/format.h>

#include <cstdint>
#include <cstdlib>
#include <map>
#include <regex>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "app/process.hpp"
#include "catch.hpp"
#include "io/files.hpp"
#include "pictures/picture.hpp"

namespace tscatter {
namespace {

using app::Picture;

// The labels of the ticks, joined.
std::string tick_labels(const Shape& axes, double room) {
  std::string text;
  for (const app::Tick& tick : app::ticks(axes, room)) text += tick.label + " ";
  return text;
}

// A census of float32 with a grid, in which nothing differs yet.
Census census_of(const Shape& shape, const std::string& type = "float32") {
  Census census;
  if (type != "float32") census.actual.type = {.dtype = DType::opaque, .size = 4, .descr = type};
  census.actual.shape = shape;
  census.expected = census.actual;
  census.elements = element_count(shape);
  census.grid.emplace(shape, app::heatmap_limits);
  return census;
}

void differ(Census& census, std::int64_t row, std::int64_t column, double error) {
  census.grid->at(row, column) = {.differing = 1, .beyond = 1, .largest = error};
}

// The colours of the first group of cells in an SVG, by row and column.
std::map<std::pair<int, int>, std::string> cells_of(const std::string& svg) {
  const std::size_t begin = svg.find("<g transform=\"translate(");
  const std::string group = svg.substr(begin, svg.find("</g>", begin) - begin);
  // A regular expression over all of a path would need too much stack.
  static const std::regex front("<path stroke=\"(#[0-9a-f]{6})\" d=\"M([0-9]+) ([0-9]+)[.]5");
  static const std::regex step("(?:m(-?[0-9]+) (-?[0-9]+))?h([0-9]+)");
  std::map<std::pair<int, int>, std::string> cells;
  for (std::size_t at = group.find("<path "); at != std::string::npos;
       at = group.find("<path ", at + 1)) {
    const std::string element = group.substr(at, group.find("/>", at) - at);
    std::smatch each;
    REQUIRE(std::regex_search(element, each, front, std::regex_constants::match_continuous));
    int column = std::stoi(each[2]);
    int row = std::stoi(each[3]);
    const std::string steps = each.suffix();
    for (std::sregex_iterator one(steps.begin(), steps.end(), step), last; one != last; ++one) {
      if ((*one)[1].matched) column += std::stoi((*one)[1]);
      if ((*one)[2].matched) row += std::stoi((*one)[2]);
      for (int count = std::stoi((*one)[3]); count > 0; --count)
        CHECK(cells.emplace(std::pair(row, column++), each[1]).second);
    }
  }
  return cells;
}

std::string labels_of(const Picture& picture) {
  std::string text;
  for (const app::Label& label : picture.labels) text += label.text + "\n";
  return text;
}

}  // namespace

TEST_CASE("ticks are round numbers with room between them", "[app]") {
  CHECK(tick_labels({200}, 11) == "0 20 40 60 80 100 120 140 160 180 ");
  CHECK(tick_labels({1500}, 300) == "0 500 1000 ");
  CHECK(tick_labels({5}, 0.5) == "0 1 2 3 4 ");
  CHECK(tick_labels({3}, 10) == "0 ");
  CHECK(tick_labels({3, 64}, 15) == "0,0 0,20 0,40 1,0 1,20 1,40 2,0 2,20 2,40 ");
  CHECK(tick_labels({12, 1, 64}, 100) == "0,0,0 2,0,0 4,0,0 6,0,0 8,0,0 10,0,0 ");
  CHECK(tick_labels({INT64_MAX}, 3e18) == "0 5000000000000000000 ");
  CHECK(tick_labels({INT64_MAX}, 3e19) == "0 ");
}

TEST_CASE("frames that would overlap are one", "[app]") {
  Census census = census_of({256, 256});
  differ(census, 10, 10, 1);
  differ(census, 10, 11, 1);
  differ(census, 13, 12, 1);  // 5 pixels and 3 cells on: the frames of 13 pixels overlap
  differ(census, 200, 200, 1);
  const Picture picture = app::heatmap(census);
  REQUIRE(picture.frames.size() == 2);
  const app::CellMap& cells = picture.maps.front();
  const auto is_at = [&](const app::Box& box, int row, int column) {
    return box.x == cells.x + 3 * column - 5 && box.y == cells.y + 3 * row - 5;
  };
  CHECK(is_at(picture.frames[0], 200, 200) != is_at(picture.frames[1], 200, 200));
  const app::Box& near = picture.frames[is_at(picture.frames[0], 200, 200) ? 1 : 0];
  CHECK(is_at(near, 10, 10));
  CHECK(near.width == 3 * 3 + 10);
  CHECK(near.height == 4 * 3 + 10);
}

TEST_CASE("a heatmap says in words what it shows", "[app]") {
  Census census = census_of({200, 64});
  census.differing = census.beyond = 2;
  differ(census, 20, 3, 0.02);
  differ(census, 21, 3, 5);
  CHECK(labels_of(app::heatmap(census)) ==
        "2 of 12,800 elements differ (0.0156 %)\nfloat32, shape [200, 64]\n"
        "0\n20\n40\n60\n80\n100\n120\n140\n160\n180\n"
        "axis 0 down, axis 1 across\n0\n5\n10\n15\n20\n25\n30\n35\n40\n45\n50\n55\n60\n"
        "largest absolute error\n1e-2\n1e-1\n1e0\n1e1\nequal\n");
}

TEST_CASE("an SVG shows the cells of the picture, of every colour", "[app]") {
  for (const Shape& shape : {Shape{4, 5}, Shape{100, 90}, Shape{70000}, Shape{3, 100, 2, 40}}) {
    INFO(to_string(shape));
    Census census = census_of(shape);
    std::uint32_t seed = 1;
    for (std::int64_t row = 0; row < census.grid->rows(); ++row) {
      for (std::int64_t column = 0; column < census.grid->columns(); ++column) {
        seed = seed * 1664525 + 1013904223;
        const std::uint32_t kind = seed >> 29U;
        if (kind < 3) continue;
        census.grid->at(row, column) = {.differing = 1,
                                        .beyond = kind == 3 ? 0 : 1,
                                        .not_finite = kind == 4 ? 1 : 0,
                                        .largest = static_cast<double>(seed)};
      }
    }
    const Picture picture = app::heatmap(census);
    const auto cells = cells_of(app::svg_file(picture));
    const app::CellMap& map = picture.maps.front();
    CHECK(cells.size() == static_cast<std::size_t>(census.grid->rows() * census.grid->columns()));
    std::size_t wrong = 0;
    for (const auto& [place, color] : cells) {
      const auto& [row, column] = place;
      const app::Color wanted = map.colors.at(static_cast<std::size_t>(row) * map.columns +
                                              static_cast<std::size_t>(column));
      if (color != fmt::format("#{:02x}{:02x}{:02x}", wanted.red, wanted.green, wanted.blue))
        ++wrong;
    }
    CHECK(wrong == 0);
  }
}

TEST_CASE("a small picture as SVG, in full", "[app]") {
  const app::Color red{255, 0, 0};
  const Picture picture{
      .title = "a < b",
      .width = 40,
      .height = 30,
      .areas = {{.box = {1, 2, 3, 4}, .color = app::grey}},
      .maps = {{.x = 5,
                .y = 6,
                .cell_width = 8,
                .cell_height = 9,
                .gap = 1,
                .columns = 2,
                .colors = {red, red, app::ink, red}}},
      .frames = {{.x = 4, .y = 5, .width = 18, .height = 20}},
      .labels = {{.x = 20, .y = 1, .text = "Mixed <case>", .anchor = app::Anchor::middle}}};
  CHECK(app::svg_element(picture) ==
        "<svg width=\"40\" height=\"30\" viewBox=\"0 0 40 30\" role=\"img\" style=\"font:20px "
        "ui-monospace,Menlo,Consolas,monospace\"><title>a &lt; b</title>\n"
        "<g shape-rendering=\"crispEdges\"><path fill=\"#ffffff\" d=\"M0 0h40v30h-40z\"/><path "
        "fill=\"#969696\" d=\"M1 2h3v4h-3z\"/>\n"
        "<g transform=\"translate(5 6) scale(8 9)\"><path stroke=\"#141414\" d=\"M0 1.5h1\"/><path "
        "stroke=\"#ff0000\" d=\"M0 0.5h2m-1 1h1\"/></g><path stroke=\"#969696\" d=\"M12.5 "
        "6v18M20.5 6v18M5 14.5h16M5 23.5h16\"/>\n"
        "<path fill=\"none\" stroke=\"#141414\" d=\"M4.5 5.5h17v19h-17z\"/></g>\n"
        "<g fill=\"#141414\">\n<text x=\"20\" y=\"15\" text-anchor=\"middle\">Mixed "
        "&lt;case&gt;</text>\n</g></svg>\n");
}

TEST_CASE("a picture of any shape and dtype is of bounded size", "[app]") {
  const Shape deep(64, 1);
  Shape twos(62, 2);
  const std::string long_record = "[('" + std::string(100000, 'n') + "', '<f4')]";
  for (const Shape& shape : {Shape{}, Shape{1}, Shape{10000000}, Shape{1, 10000000},
                             Shape{10000000, 1}, Shape{3000, 3000, 3000}, deep, twos}) {
    for (const std::string& type : {std::string("float32"), long_record}) {
      INFO(to_string(shape));
      Census census = census_of(shape, type);
      differ(census, 0, 0, 1e-300);
      const Picture picture = app::heatmap(census);
      CHECK(picture.width <= 3000);
      CHECK(picture.height <= 2000);
      CHECK(app::svg_file(picture).size() < 20000);
    }
  }
  Census other = census_of({2}, long_record);
  other.expected.shape = {3};
  other.grid.reset();
  CHECK(app::heatmap(other).width <= 3000);
}

TEST_CASE("--heatmap writes an SVG", "[app]") {
  const TemporaryDirectory directory;
  const std::string path = directory / "p.svg";
  CHECK(tscatter_run({"compare", "2x2xf32=1", "2x2xf32=1,2,3,4", "--heatmap", path}).exit_code ==
        1);
  const std::string svg = read_file(path);
  CHECK(svg.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\" "));
  CHECK_THAT(svg, contains(">3 of 4 elements differ (75 %)</text>"));
  CHECK(svg.ends_with("</g></svg>\n"));
}

}  // namespace tscatter
