#include "pictures/picture.hpp"

#include <algorithm>

#include "tscatter/core/utf8.hpp"

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

}  // namespace tscatter::app
