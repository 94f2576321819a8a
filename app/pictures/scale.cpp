#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "pictures/picture.hpp"

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

namespace {

// 1, 2, 5, 10, 20, 50, …
std::int64_t next_round(std::int64_t number) {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  if (number > most / 5 * 2) return most;
  std::int64_t power = 1;
  while (number / power >= 10) power *= 10;
  return number / power == 2 ? power * 5 : number * 2;
}

// Ticks at every `step`-th index of an axis.
struct Step {
  std::int64_t step = 1;
  std::int64_t size = 1;    // of the axis
  std::int64_t places = 1;  // of the axes after it
};

// The smallest step that leaves `room`; of size 1 if none does.
Step step_of(const Shape& axes, double room) {
  std::int64_t places = 1;
  for (std::size_t axis = axes.size(); axis-- > 0;) {
    for (std::int64_t step = 1; step < axes[axis]; step = next_round(step)) {
      if (static_cast<double>(step) * static_cast<double>(places) >= room)
        return {.step = step, .size = axes[axis], .places = places};
    }
    places *= axes[axis];
  }
  return {.places = places};
}

}  // namespace

std::string place_label(const Shape& axes, std::int64_t place) {
  return fmt::format("{}", fmt::join(position_of(axes, place), ","));
}

std::vector<Tick> ticks(const Shape& axes, double room) {
  const Step step = step_of(axes, room);
  const std::int64_t all = element_count(axes);
  const std::int64_t whole = step.size * step.places;  // after which the axis begins again
  std::vector<Tick> found;
  for (std::int64_t first = 0; first < all; first += whole) {
    for (std::int64_t count = 0; count <= (step.size - 1) / step.step; ++count) {
      const std::int64_t index = count * step.step;
      const std::int64_t rest = (step.size - index) * step.places;
      if (index > 0 && whole < all && static_cast<double>(rest) < room) continue;
      const std::int64_t place = first + index * step.places;
      found.push_back({.place = place, .label = place_label(axes, place)});
    }
  }
  return found;
}

}  // namespace tscatter::app
