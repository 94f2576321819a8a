// tscatter --version: what it is built from.
#pragma once

#include <string>
#include <string_view>

namespace tscatter::app {

std::string_view version();  // "0.1.0"

std::string version_text();

}  // namespace tscatter::app
