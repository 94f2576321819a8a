// Text as XML takes it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tscatter::app {

// Where the text stands: an attribute would turn its line breaks into spaces.
enum class XmlPlace : std::uint8_t { attribute, element };

// What XML 1.0 has no character for becomes U+FFFD.
std::string xml_text(std::string_view text, XmlPlace place = XmlPlace::attribute);

// The first `most` bytes of it, and "…" where that is not all; no character is cut.
std::string shortened(std::string_view text, std::size_t most);

}  // namespace tscatter::app
