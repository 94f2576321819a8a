#include "pictures/scale.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace tscatter::app {
namespace {

constexpr std::size_t steps = 64;  // few enough for neighbours to share a colour

// From the smallest to the largest: yellow, orange, red, dark violet.
constexpr std::array<Color, 5> stops{Color{250, 210, 60}, Color{250, 150, 40}, Color{235, 85, 50},
                                     Color{185, 25, 70}, Color{70, 5, 75}};

std::uint8_t between(std::uint8_t a, std::uint8_t b, double share) {
  return static_cast<std::uint8_t>(std::lround(a + (b - a) * share));
}

// REQUIRES: step < steps.
Color color_of(std::size_t step) {
  const double place =
      static_cast<double>(step) / static_cast<double>(steps - 1) * (stops.size() - 1);
  const auto first = std::min(static_cast<std::size_t>(place), stops.size() - 2);
  const double rest = place - static_cast<double>(first);
  const Color a = stops[first];
  const Color b = stops[first + 1];
  return {between(a.red, b.red, rest), between(a.green, b.green, rest),
          between(a.blue, b.blue, rest)};
}

}  // namespace

Scale::Scale(const Census& census) : has_errors_{census.actual.type.dtype != DType::opaque} {
  for (const GridCell& cell : census.grid->cells()) {
    if (cell.beyond == 0 || cell.largest == 0 || std::isinf(cell.largest)) continue;
    const double power = std::log10(cell.largest);
    low_ = is_set_ ? std::min(low_, std::floor(power)) : std::floor(power);
    high_ = is_set_ ? std::max(high_, std::ceil(power)) : std::ceil(power);
    is_set_ = true;
  }
  if (high_ <= low_) high_ = low_ + 1;
}

double Scale::share(const GridCell& cell, std::int64_t elements) const {
  if (!has_errors_) return static_cast<double>(cell.beyond) / static_cast<double>(elements);
  if (cell.largest == 0) return 0;
  return std::clamp((std::log10(cell.largest) - low_) / (high_ - low_), 0.0, 1.0);
}

Color Scale::color(const GridCell& cell, std::int64_t elements) const {
  return color_of(static_cast<std::size_t>(std::lround(share(cell, elements) * (steps - 1))));
}

std::string_view Scale::title() const {
  return has_errors_ ? "largest absolute error" : "share of elements that differ";
}

std::vector<Color> Scale::colors() {
  std::vector<Color> colors;
  for (std::size_t step = 0; step < steps; ++step) colors.push_back(color_of(step));
  return colors;
}

std::vector<Scale::Mark> Scale::marks() const {
  if (!has_errors_) return {{0, "0 %"}, {0.5, "50 %"}, {1, "100 %"}};
  std::vector<Mark> marks;
  const double step = std::ceil((high_ - low_) / 8);
  for (double power = low_; power <= high_; power += step)
    marks.push_back({(power - low_) / (high_ - low_), fmt::format("1e{}", power)});
  return marks;
}

}  // namespace tscatter::app
