#include "text/document.hpp"

#include <bit>
#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <span>
#include <string>

#include "catch.hpp"
#include "text/quoting.hpp"
#include "tscatter/io/formats/text/element_value.hpp"

using namespace tscatter::app;

namespace {

Document described() {
  Document document;
  document.line("3 of 12 wrong");
  document.put("summary", "3 of 12 wrong");
  document.add("elements", "elements", grouped(1200));
  document.put("shape", Document{{"actual", tscatter::Shape{2, 3}}, {"expected", Value()}});
  document.show("tolerance", "exact");
  Table worst;
  for (const std::int64_t index : {3, 40}) {
    Document& row = worst.rows.emplace_back();
    row.add("index", "worst", grouped(index), Align::right);
    row.put("beyond", true);
    row.show("", index == 3 ? "first" : "");
  }
  document.add("worst", std::move(worst));
  document.paragraph("that is all");
  return document;
}

template <class T>
std::string value_line(T element, tscatter::DType dtype) {
  const auto bytes = std::as_bytes(std::span(&element, 1));
  return json_line(Document{{"v", element_figure(bytes, tscatter::ElementType::of(dtype)).value}});
}

}  // namespace

TEST_CASE("a document's words and JSON come from one description") {
  CHECK(document_text(described()) ==
        "3 of 12 wrong\n"
        "\n"
        "elements   1,200\n"
        "tolerance  exact\n"
        "\n"
        "worst\n"
        "    3  first\n"
        "   40\n"
        "\n"
        "that is all\n");
  CHECK(json_line(described()) ==
        R"({"summary":"3 of 12 wrong","elements":1200,"shape":{"actual":[2,3],"expected":null},)"
        R"("worst":[{"index":3,"beyond":true},{"index":40,"beyond":true}]})"
        "\n");
}

TEST_CASE("a document without parts is an empty text and an empty object") {
  CHECK(document_text(Document()) == "");
  CHECK(json_line(Document()) == "{}\n");
  CHECK(json_line(Table()) == "[]\n");
  CHECK(document_text(Table()) == "");
}

TEST_CASE("a table leaves out what a row does not say") {
  Document words;
  words.show("n", "… 5 more");
  Document members{{"n", 1}};
  const Table table{.rows = {words, members}};
  CHECK(document_text(table) == "n\n… 5 more\n");
  CHECK(json_line(table) == "[{\"n\":1}]\n");
  CHECK(json_line(Document{{"n", 1}}) == "{\"n\":1}\n");
}

TEST_CASE("a table in the form of an object has its rows' members") {
  Document document;
  document.put("counts", Table{.rows = {{{"a", 1}}, {{"b", 2}}}, .form = TableForm::object});
  CHECK(json_line(document) == "{\"counts\":{\"a\":1,\"b\":2}}\n");
}

TEST_CASE("JSON for a terminal is ASCII where a text has controls, written JSON too") {
  const WrittenJson inner = written_json(Document{{"name", "é€😀"}});
  CHECK(json_line(Document{{"in", inner}}) == "{\"in\":{\"name\":\"é€😀\"}}\n");
  CHECK(json_line(Document{{"in", inner}, {"to", "a\x7f"}}) ==
        "{\"in\":{\"name\":\"\\u00e9\\u20ac\\ud83d\\ude00\"},\"to\":\"a\\u007f\"}\n");
  CHECK(json_line(Document{{"to", "\xff"}}) == "{\"to\":\"\xef\xbf\xbd\"}\n");
}

TEST_CASE("a duration is written in the unit that suits it") {
  CHECK(duration(0) == "< 1 ms");
  CHECK(duration(0.000999) == "< 1 ms");
  CHECK(duration(0.001) == "1 ms");
  CHECK(duration(0.9994) == "999 ms");
  CHECK(duration(0.9995) == "1.0 s");
  CHECK(duration(59.94) == "59.9 s");
  CHECK(duration(59.95) == "1 min 0 s");
  CHECK(duration(3725) == "62 min 5 s");
}

TEST_CASE("an element's JSON has its shortest decimals and the form of a float64") {
  using tscatter::DType;
  CHECK(value_line(0.1F, DType::float32) == "{\"v\":0.1}\n");
  CHECK(value_line(1e5F, DType::float32) == "{\"v\":100000.0}\n");
  CHECK(value_line(-0.0, DType::float64) == "{\"v\":-0.0}\n");
  CHECK(value_line(HUGE_VALF, DType::float32) == "{\"v\":\"Infinity\"}\n");
  CHECK(value_line(std::nan(""), DType::float64) == "{\"v\":\"NaN\"}\n");
  CHECK(value_line(UINT64_MAX, DType::uint64) == "{\"v\":18446744073709551615}\n");
  CHECK(value_line(INT64_MIN, DType::int64) == "{\"v\":-9223372036854775808}\n");
  CHECK(value_line(std::uint8_t{1}, DType::boolean) == "{\"v\":true}\n");
}

// The JSON of every half float is the value of its decimals.
TEST_CASE("every float16 and bfloat16 is written as its decimals") {
  using tscatter::DType;
  for (const DType dtype : {DType::float16, DType::bfloat16}) {
    for (std::uint32_t bits = 0; bits <= 0xFFFF; ++bits) {
      const auto half = static_cast<std::uint16_t>(bits);
      const std::string text = tscatter::json_text(std::as_bytes(std::span(&half, 1)), dtype);
      const std::string read = nlohmann::ordered_json::parse(text).dump();
      if (value_line(half, dtype) != "{\"v\":" + read + "}\n") FAIL(text << " from " << bits);
    }
  }
}

TEST_CASE("what comes from outside breaks no line of a report, in words and in JSON") {
  const std::string hostile = "a\n::error::b\x1b[2J\u2028\u202e\xff";
  const std::string shown = R"(a\n::error::b\x1b[2J\xe2\x80\xa8\xe2\x80\xae\xff)";
  Document document;
  document.line(hostile);
  document.add("key", hostile, text_figure(hostile));
  Table table;
  table.rows.emplace_back().show("", hostile);
  document.add("rows", std::move(table));
  document.paragraph(hostile);
  CHECK(document_text(document) ==
        shown + "\n\n" + shown + "  " + shown + "\n\n\n" + shown + "\n\n" + shown + "\n");
  const std::string json = json_line(Document{{"key", hostile}, {"mark", "##[error]x"}});
  CHECK(json == R"({"key":"a\n::error::b\u001b[2J\u2028\u202e\ufffd","mark":"\u0023#[error]x"})"
                "\n");
  CHECK(nlohmann::json::parse(json).at("mark") == "##[error]x");
}

TEST_CASE("text in XML is well-formed, and begins no line with a command") {
  using tscatter::app::xml_text;
  using tscatter::app::XmlPlace;
  CHECK(xml_text("]]>&<\">\x01\xff") == "]]&gt;&amp;&lt;&quot;&gt;\ufffd\ufffd");
  CHECK(xml_text("a::b\n::c\n  \u00a0::d\n##[e", XmlPlace::element) ==
        "a::b\n&#58;:c\n  \u00a0&#58;:d\n##&#91;e");
  CHECK(xml_text("\n::x", XmlPlace::attribute) == "&#10;::x");
}
