#include "text/xml_text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tscatter/core/error.hpp"
#include "tscatter/core/utf8.hpp"

namespace tscatter::app {
namespace {

constexpr std::string_view replacement = "\xef\xbf\xbd";  // U+FFFD

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
  return escape_control(character);
}

// Whether GitHub Actions would take the character, after `xml`, for a part of a command: a colon
// that begins a line, also after blanks and what is not ASCII, or the end of ##[.
bool makes_command(const std::string& xml, std::string_view character) {
  if (character == "[") return xml.ends_with("##");
  if (character != ":") return false;
  const auto is_passed_over = [](char c) {
    return c == ' ' || static_cast<unsigned char>(c) >= 0x80;
  };
  const auto before = std::find_if_not(xml.rbegin(), xml.rend(), is_passed_over);
  return before != xml.rend() && *before == '\n';
}

}  // namespace

std::string xml_text(std::string_view text, XmlPlace place, std::size_t most) {
  std::string xml;
  while (!text.empty()) {
    const bool is_character = character_size(text) > 0;
    const std::string_view character = take_character(text);
    std::string more = is_character ? escaped(character, place) : std::string(replacement);
    if (makes_command(xml, character)) more = fmt::format("&#{};", int{character[0]});
    if (xml.size() + more.size() > most) return xml + "…";
    xml += more;
  }
  return xml;
}

}  // namespace tscatter::app
