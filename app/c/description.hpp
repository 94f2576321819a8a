// What the library for C says of itself and of the operations, as JSON: languages make their
// functions from it.
#pragma once

#include <string>

namespace tscatter::app {

// One object in a line, with its line end. Keys: docs/c.md.
std::string description();

}  // namespace tscatter::app
