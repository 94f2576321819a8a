// A picture as SVG, with its words as text.
#pragma once

#include <string>

#include "pictures/picture.hpp"

namespace tscatter::app {

std::string svg_file(const Picture& picture);

// The same for a page of HTML, which knows the namespace.
std::string svg_element(const Picture& picture);

}  // namespace tscatter::app
