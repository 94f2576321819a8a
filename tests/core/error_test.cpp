// How messages escape characters that a terminal would obey, and which text
// is UTF-8.
#include "tscatter/core/error.hpp"

#include "catch.hpp"
#include "tscatter/core/characters.hpp"

namespace tscatter {
TEST_CASE("controls, ends of lines and changes of direction are written as bytes", "[core]") {
  CHECK(escape_control("a\n\t\r\x1b\x07\x7f") == "a\\n\\t\\r\\x1b\\x07\\x7f");
  CHECK(escape_control(std::string_view("\0", 1)) == "\\x00");
  CHECK(escape_control("\u0080\u009f") == "\\xc2\\x80\\xc2\\x9f");
  CHECK(escape_control("\u061c\u200e\u200f") == "\\xd8\\x9c\\xe2\\x80\\x8e\\xe2\\x80\\x8f");
  CHECK(escape_control("\u2028\u202e") == "\\xe2\\x80\\xa8\\xe2\\x80\\xae");
  CHECK(escape_control("\u2066\u2069") == "\\xe2\\x81\\xa6\\xe2\\x81\\xa9");
}

TEST_CASE("all other characters stay as they are", "[core]") {
  for (const char* text : {"", " ~\\x1b", "\u00a0\u061b\u061d", "\u200d\u2010\u2027\u202f",
                           "\u2065\u206a", "größe 中", "𝄞\U0010ffff"})
    CHECK(escape_control(text) == text);
}

TEST_CASE("bytes that are not UTF-8 are written as bytes", "[core]") {
  CHECK(escape_control("\xff\xfe") == "\\xff\\xfe");
  CHECK(escape_control("cut\xe2\x80") == "cut\\xe2\\x80");
  CHECK(escape_control("\xc0\x80\xed\xa0\x80\xf4\x90\x80\x80") ==
        "\\xc0\\x80\\xed\\xa0\\x80\\xf4\\x90\\x80\\x80");
  CHECK(escape_control("\x9b"
                       "31m") == "\\x9b31m");
}

TEST_CASE("a message of more than 4096 bytes keeps its front and its end", "[core]") {
  const auto shown = [](const std::string& text) {
    const Error error(ErrorKind::file, "x.f1", text, text);
    CHECK(error.where() == error.message());
    CHECK(error.what() == error.where() + ": " + error.message() + " [x.f1]");
    return error.message();
  };
  const std::string whole(4096, 'a');
  CHECK(shown(whole) == whole);
  const std::string cut = shown("front" + whole + "end");
  CHECK(cut.size() <= 4096);
  CHECK(cut.size() > 4080);
  CHECK(cut.starts_with("fronta"));
  CHECK_THAT(cut, contains("a\u2026a"));
  CHECK(cut.ends_with("aend"));
}

TEST_CASE("a message is cut between characters", "[core]") {
  for (const char* unit : {"\u00e4", "\u4e2d", "\U0001d11e", "\n", "\x1b", "\xff"}) {
    const std::string escaped = escape_control(unit);
    for (std::size_t before = 0; before < 8; ++before) {
      INFO(escaped << " after " << before);
      std::string text(before, 'a');
      while (text.size() < 9000) text += unit;
      const std::string cut = Error(ErrorKind::file, "x.f1", "x", text).message();
      const std::size_t front = cut.find("\u2026");
      REQUIRE(front != std::string::npos);
      CHECK(cut.size() <= 4096);
      CHECK((front - before) % escaped.size() == 0);
      CHECK((cut.size() - front - 3) % escaped.size() == 0);
      CHECK(cut.substr(before, escaped.size()) == escaped);
      CHECK(cut.ends_with(escaped));
    }
  }
}

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
