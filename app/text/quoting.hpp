// Text that others read: words of a command line, patterns for names, and XML.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "tscatter/core/characters.hpp"
#include "tscatter/core/error.hpp"

namespace tscatter::app {

// ---- Words of a command line: patterns for names, quoting for a shell, and which characters do
// not belong in a line of text.

// Whether messages escape this character, or this byte that begins none, as \x1b and so on.
inline bool is_control(std::string_view character) {
  return escape_control(character) != character;
}

// The name of a file, which may be any bytes, as UTF-8: escaped where it is not.
inline std::string as_text(std::string_view bytes) {
  return is_utf8(bytes) ? std::string(bytes) : escape_control(bytes);
}

// Patterns for whole names: * any characters, ? one, [a-z] one of a set, [!a] one not in it, \x the
// character x itself. "add_*" matches "add_rows". Characters are UTF-8; a [ without its ] means
// itself.
bool matches_glob(std::string_view pattern, std::string_view name);

// The pattern that matches only `name`, except that control characters become ?, since no shell
// accepts them all.
std::string escaped_glob(std::string_view name);

// Quotes a word for a shell, in one line. Unchanged if nothing in it is special, else in '…', or as
// "$(printf '…')" if it has control characters: "it's" is 'it'\''s'.
std::string shell_word(std::string_view word);

// ---- Escapes text for XML.

// Where the text goes: an attribute would turn its line breaks into spaces.
enum class XmlPlace : std::uint8_t { attribute, element };

// What XML 1.0 cannot represent becomes U+FFFD. Other controls and changes of direction are escaped
// as in messages: \xe2\x80\xae. More than `most` bytes of XML are truncated between characters, and
// end in "…".
std::string xml_text(std::string_view text, XmlPlace place = XmlPlace::attribute,
                     std::size_t most = std::string_view::npos);

}  // namespace tscatter::app
