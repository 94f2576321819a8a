// tscatter --version: what it is built from.
#pragma once

#include <string>

namespace tscatter::app {

std::string version_text();

}  // namespace tscatter::app
