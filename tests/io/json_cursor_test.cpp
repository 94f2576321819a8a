// What text in JSON may have in places that are passed over.
#include "tscatter/io/formats/json_cursor.hpp"

#include <string>
#include <vector>

#include "catch.hpp"
#include "io/files.hpp"

namespace tscatter {
namespace {

std::string skipped(const std::string& text) {
  const SpanSource source(bytes_of(text));
  return refusal([&] {
    JsonCursor cursor(source, {.begin = 0, .end = source.size()},
                      {.name = "x", .what = "the text", .label = "st.f9"});
    cursor.skip_value();
    cursor.expect_end();
  });
}

}  // namespace

TEST_CASE("st.f9: a value that is passed over is JSON, too", "[io]") {
  for (const char* text :
       {"0", "-0", "7", "10.25", "1e9", "-1.5E-3", "0.0e+0", "true", "false", "null", " [1, true ]",
        "123456789012345678901234567890", "\"a\"", "{\"a\": null}"}) {
    CAPTURE(text);
    CHECK(skipped(text) == "accepted");
  }
  for (const char* text :
       {"+-",  "truefalse", "tru",  "True",  "nul",    "01",       "-",   "+1",
        "1.",  ".5",        "1e",   "1e+",   "1.e3",   "--1",      "0x1", "1.2.3",
        "nan", "-a",        "[1,]", "1e1.5", "falsee", "infinity", ""}) {
    CAPTURE(text);
    CHECK(skipped(text).ends_with("[st.f9]"));
  }
  CHECK(skipped("truefalse") == "x: the text must have a value at byte 0, got truefalse [st.f9]");
}

}  // namespace tscatter
