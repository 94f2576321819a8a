// Text as XML takes it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace tscatter::app {

// Where the text stands: an attribute would turn its line breaks into spaces.
enum class XmlPlace : std::uint8_t { attribute, element };

// What XML 1.0 has no character for becomes U+FFFD. Other controls and changes of direction are
// escaped as in messages: \xe2\x80\xae. Of what would be more than `most` bytes of XML
// the front, and "…"; no character is cut.
std::string xml_text(std::string_view text, XmlPlace place = XmlPlace::attribute,
                     std::size_t most = std::string_view::npos);

}  // namespace tscatter::app
