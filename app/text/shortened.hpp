// Text of a limited length.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tscatter::app {

// At most `most` characters: a longer text ends in "...". REQUIRES: most >= 3.
std::string shortened(std::string_view text, std::size_t most);

}  // namespace tscatter::app
