// Text as XML takes it.
#pragma once

#include <string>
#include <string_view>

namespace tscatter::app {

// For an attribute or an element. What XML 1.0 has no character for becomes U+FFFD.
std::string xml_text(std::string_view text);

// The first `most` bytes of it, and "…" where that is not all; no character is cut.
std::string shortened(std::string_view text, std::size_t most);

}  // namespace tscatter::app
