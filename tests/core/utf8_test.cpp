#include "tscatter/core/utf8.hpp"

#include "catch.hpp"

namespace tscatter {

using namespace std::string_literals;

TEST_CASE("utf8: every code point but surrogates is written, taken and read back", "[core]") {
  int wrong = 0;
  for (char32_t code = 0; code < 0x110000; ++code) {
    if (code >= 0xD800 && code < 0xE000) continue;
    std::string text;
    append_character(text, code);
    std::string_view rest = text;
    const bool is_one = character_size(text) == text.size() && character_count(text) == 1;
    if (!is_one || code_point(text) != code || take_character(rest) != text || !rest.empty())
      ++wrong;
  }
  CHECK(wrong == 0);
}

TEST_CASE("utf8: overlong forms, surrogates, what is cut and what is too large are no characters",
          "[core]") {
  for (const std::string& text :
       {"\x80"s, "\xC0\x80"s, "\xC1\xBF"s, "\xC2"s, "\xE0\x9F\xBF"s, "\xE2\x82"s, "\xED\xA0\x80"s,
        "\xF0\x8F\xBF\xBF"s, "\xF0\x9F\x98"s, "\xF4\x90\x80\x80"s, "\xF5\x80\x80\x80"s, "\xFF"s}) {
    CHECK(character_size(text) == 0);
    CHECK(!is_utf8("a" + text));
  }
  CHECK(character_size("") == 0);
  CHECK(is_utf8(""));
}

TEST_CASE("utf8: a byte that begins no character is taken alone", "[core]") {
  std::string_view text = "\xE2\x82z";
  CHECK(take_character(text) == "\xE2");
  CHECK(take_character(text) == "\x82");
  CHECK(take_character(text) == "z");
  CHECK(text.empty());
  CHECK(character_count("größe") == 5);
}

}  // namespace tscatter
