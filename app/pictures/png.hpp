// A picture as a PNG.
#pragma once

#include <string>

#include "pictures/picture.hpp"

namespace tscatter::app {

// The bytes of a file.
std::string png(const Picture& picture);

}  // namespace tscatter::app
