#include <fmt/format.h>
#include <fmt/ranges.h>

#include <limits>

#include "pictures/scale.hpp"

namespace tscatter::app {
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
