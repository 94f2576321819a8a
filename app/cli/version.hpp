// tscatter --version: what it is built of.
#pragma once

#include <string>

namespace tscatter::app {

std::string version_text();

}  // namespace tscatter::app
