#include "batch/xml_text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tscatter/core/error.hpp"

namespace tscatter::app {
namespace {

constexpr std::string_view replacement = "\xef\xbf\xbd";  // U+FFFD

// How many bytes the well-formed character at the front takes; 0 where there is none.
std::size_t character_size(std::string_view text) {
  constexpr std::size_t longest = 4;
  for (std::size_t size = 1; size <= std::min(longest, text.size()); ++size) {
    if (is_utf8(text.substr(0, size))) return size;
  }
  return 0;
}

std::string escaped(std::string_view character, XmlPlace place) {
  if (character == "&") return "&amp;";
  if (character == "<") return "&lt;";
  if (character == ">") return "&gt;";
  if (character == "\"") return "&quot;";
  const auto byte = static_cast<unsigned char>(character[0]);
  if (place == XmlPlace::element && byte == '\n') return "\n";
  if (byte == '\n' || byte == '\t' || byte == '\r') return fmt::format("&#{};", byte);
  const bool is_noncharacter = character == "\xef\xbf\xbe" || character == "\xef\xbf\xbf";
  if (byte < ' ' || is_noncharacter) return std::string(replacement);
  return std::string(character);
}

}  // namespace

std::string xml_text(std::string_view text, XmlPlace place) {
  std::string xml;
  while (!text.empty()) {
    const std::size_t size = character_size(text);
    xml += size == 0 ? std::string(replacement) : escaped(text.substr(0, size), place);
    text.remove_prefix(std::max<std::size_t>(size, 1));
  }
  return xml;
}

std::string shortened(std::string_view text, std::size_t most) {
  if (text.size() <= most) return std::string(text);
  constexpr unsigned char continuation_mask = 0xC0;
  constexpr unsigned char continuation = 0x80;
  while (most > 0 && (static_cast<unsigned char>(text[most]) & continuation_mask) == continuation) {
    --most;
  }
  return std::string(text.substr(0, most)) + "…";
}

}  // namespace tscatter::app
