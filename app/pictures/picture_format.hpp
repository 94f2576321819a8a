// The formats of pictures, a row each.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "pictures/picture.hpp"

namespace tscatter::app {

struct PictureFormat {
  std::string_view ending;  // ".png", of a file's name
  std::string (*drawn)(const Picture& picture);
  bool is_text = false;  // may go to a terminal
};

std::span<const PictureFormat> picture_formats();

}  // namespace tscatter::app
