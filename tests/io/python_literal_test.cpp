#include "tscatter/io/formats/npy/python_literal.hpp"

#include <fmt/format.h>

#include "catch.hpp"

namespace tscatter {
namespace {

// The value in a form that shows its types: i for integers, s for strings, l, t and d for the rest.
std::string shown(const PythonValue& value);

std::string shown_items(const std::vector<PythonValue>& items) {
  std::string text;
  for (const PythonValue& item : items) text += fmt::format("{};", shown(item));
  return text;
}

std::string shown(const PythonValue& value) {
  if (const auto* string = value.as<PythonString>()) return fmt::format("s'{}'", string->text);
  if (const auto* integer = value.as<std::int64_t>()) return "i" + std::to_string(*integer);
  if (const auto* boolean = value.as<bool>()) return *boolean ? "true" : "false";
  if (const auto* list = value.as<PythonList>())
    return fmt::format("l[{}]", shown_items(list->items));
  if (const auto* tuple = value.as<PythonTuple>())
    return fmt::format("t({})", shown_items(tuple->items));
  std::string text = "d{";
  for (const auto& [key, item] : value.as<PythonDict>()->items)
    text += fmt::format("{}:{};", key, shown(item));
  return text + "}";
}

std::string parsed(std::string_view text) {
  try {
    return shown(parse_python_literal(text));
  } catch (const PythonSyntaxError& error) {
    return error.what();
  }
}

}  // namespace

TEST_CASE("Python literals of every kind are read", "[io]") {
  CHECK(parsed("0") == "i0");
  CHECK(parsed("-7") == "i-7");
  CHECK(parsed("12L") == "i12");
  CHECK(parsed("9223372036854775807") == "i9223372036854775807");
  CHECK(parsed("-9223372036854775808") == "i-9223372036854775808");
  CHECK(parsed("True") == "true");
  CHECK(parsed("False") == "false");
  CHECK(parsed("'a \"b\" c'") == "s'a \"b\" c'");
  CHECK(parsed("\"it's\"") == "s'it's'");
  CHECK(parsed("''") == "s''");
  CHECK(parsed(" \t\r\n\f[ ] ") == "l[]");
}

TEST_CASE("a comma makes a tuple, parentheses do not", "[io]") {
  CHECK(parsed("()") == "t()");
  CHECK(parsed("(1)") == "i1");
  CHECK(parsed("(1,)") == "t(i1;)");
  CHECK(parsed("((1,),)") == "t(t(i1;);)");
  CHECK(parsed("((1,))") == "t(i1;)");
  CHECK(parsed("([1,])") == "l[i1;]");
  CHECK(parsed("({'a': (1,)})") == "d{a:t(i1;);}");
  CHECK(parsed("(1, 2)") == "t(i1;i2;)");
  CHECK(parsed("[(1, 2,), 'x', ]") == "l[t(i1;i2;);s'x';]");
}

TEST_CASE("a dict keeps its keys and their order", "[io]") {
  CHECK(parsed("{}") == "d{}");
  CHECK(parsed("{'b':1,\"a\" : True , }") == "d{b:i1;a:true;}");
}

TEST_CASE("what is no literal of this kind is refused at its place", "[io]") {
  CHECK(parsed("") == "an early end at character 1");
  CHECK(parsed("[1, 2") == "an early end at character 6");
  CHECK(parsed("1 2") == "more after the value at character 3");
  CHECK(parsed("[1 2]") == "'2' instead of a comma at character 4");
  CHECK(parsed("[1,,2]") == "',' at character 4");
  CHECK(parsed("{1: 2}") == "a key that is no string at character 2");
  CHECK(parsed("{'a'}") == "a key without a colon at character 5");
  CHECK(parsed("'abc") == "a string without an end at character 5");
  CHECK(parsed("0x10") == "'x' in a number at character 2");
  CHECK(parsed("1.5") == "'.' in a number at character 2");
  CHECK(parsed("007") == "the number '007' at character 1");
  CHECK(parsed("9223372036854775808") == "the number '9223372036854775808' at character 1");
  CHECK(parsed("-") == "the number '-' at character 1");
  CHECK(parsed("None") == "the word 'None' at character 1");
  CHECK(parsed("# x") == "'#' at character 1");
  CHECK(parsed("+1") == "'+' at character 1");
}

TEST_CASE("npy.f4: strings and sizes of Python 2 are read", "[io]") {
  CHECK(parsed("u'a'") == "s'a'");
  CHECK(parsed("U\"a\"") == "s'a'");
  CHECK(parsed("{u'a': (3L, 4L)}") == "d{a:t(i3;i4;);}");
  CHECK(parsed("{'a': 1, u'a': 2}") == "the key 'a' twice at character 14");
  CHECK(parsed("u") == "the word 'u' at character 1");
  CHECK(parsed("{u: 1}") == "a key that is no string at character 2");
  CHECK(parsed("u 'a'") == "the word 'u' at character 1");
  CHECK(parsed("b'a'") == "the word 'b' at character 1");
  CHECK(parsed("u'") == "a string without an end at character 3");
}

TEST_CASE("npy.f4: escapes are read as repr writes them, and kept where repr keeps them", "[io]") {
  CHECK(parsed(R"('a\nb\tc\\d')") == R"(s'a\nb\tc\\d')");
  CHECK(parsed(R"('it\'s \"x\"')") == R"(s'it's "x"')");
  CHECK(parsed(R"('\x07\x7F\xA0\u200B\U000E0001')") == R"(s'\x07\x7f\xa0\u200b\U000e0001')");
  CHECK(parsed(R"('\x41\xfc\u0041\x27\x5c\x0a')") ==
        "s'A\xc3\xbc"
        R"(A'\\\n')");
  for (const char* text : {R"('\0')", R"('\a')", R"('\x4')", R"('\xg0')", R"('\u-041')",
                           R"('\U00110000')", R"('\N{DASH}')", R"('\)", R"('\x)"}) {
    CAPTURE(text);
    CHECK(parsed(text) == "an escape in a string at character 2");
  }
  CHECK(parsed(R"('\')") == "a string without an end at character 4");
}

TEST_CASE("a character that does not print is named by its code", "[io]") {
  CHECK(parsed(std::string_view("\0", 1)) == "'\\x00' at character 1");
  CHECK(parsed("\x1b[31m") == "'\\x1b' at character 1");
  CHECK(parsed("\xc3\xbc") == "'\\xc3' at character 1");
}

TEST_CASE("nesting is read to a depth of 32 and refused beyond", "[io]") {
  const std::string open(32, '[');
  CHECK(parsed(open + "1" + std::string(32, ']')).starts_with("l["));
  CHECK(parsed(open + "[1" + std::string(33, ']')) == "too deep a nesting at character 34");
  CHECK(parsed(std::string(1000000, '(')) == "too deep a nesting at character 34");
}

TEST_CASE("a string is quoted as Python's repr does", "[io]") {
  CHECK(python_repr("abc") == "'abc'");
  CHECK(python_repr("it's") == "\"it's\"");
  CHECK(python_repr("a \"b\"") == "'a \"b\"'");
  CHECK(python_repr("it's \"x\"") == R"('it\'s "x"')");
  CHECK(python_repr(R"(a\n)") == R"('a\n')");
}

}  // namespace tscatter
