// Escapes text for XML.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace tscatter::app {

// Where the text goes: an attribute would turn its line breaks into spaces.
enum class XmlPlace : std::uint8_t { attribute, element };

// What XML 1.0 cannot represent becomes U+FFFD. Other controls and changes of direction are escaped
// as in messages: \xe2\x80\xae. More than `most` bytes of XML are truncated between characters, and
// end in "…".
std::string xml_text(std::string_view text, XmlPlace place = XmlPlace::attribute,
                     std::size_t most = std::string_view::npos);

}  // namespace tscatter::app
