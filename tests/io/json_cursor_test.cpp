// What text in JSON may have in places that are passed over; how long an index is.
#include "tscatter/io/formats/text/json_cursor.hpp"

#include <fmt/format.h>

#include <memory>
#include <string>

#include "catch.hpp"
#include "io/endless_pipe.hpp"
#include "io/files.hpp"
#include "tscatter/io/formats/safetensors/safetensors_header.hpp"
#include "tscatter/io/formats/safetensors/shard_index.hpp"

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

TEST_CASE("st.f9: an index has at most 2^20 tensors", "[io]") {
  std::string text = R"({"weight_map":{"a":"m")";
  for (std::size_t i = 1; i < most_safetensors; ++i) text += R"(,"a":"m")";
  const auto visited = [](const std::string& index) {
    const auto source = std::make_shared<SpanSource>(bytes_of(index));
    return refusal([&] { ShardIndex(source, "x").visit([](const auto&, const auto&) {}); });
  };
  CHECK(visited(text + "}}") == "accepted");
  const std::string refused = visited(text + R"(,"a":"m"}})");
  CHECK(refused.find("at most 1048576 tensors") != std::string::npos);
  CHECK(refused.ends_with("[st.f9]"));
}

TEST_CASE("st.f9: an index has at most 100,000,000 bytes", "[io]") {
  constexpr std::size_t longest = 100'000'000;
  std::string text = R"({"weight_map":{"a":"m"}})";
  text.resize(longest, ' ');
  const auto visited = [](const std::string& index) {
    const auto source = std::make_shared<SpanSource>(bytes_of(index));
    return refusal([&] { ShardIndex(source, "x").visit([](const auto&, const auto&) {}); });
  };
  CHECK(visited(text) == "accepted");
  CHECK(visited(text + " ") ==
        "x: an index must be at most 100000000 bytes long, got 100000001 [st.f9]");
}

TEST_CASE("st.f9: an index in a pipe is checked as it comes", "[io]") {
  const auto refused = [](const std::string& front, const std::string& text) {
    return refused_in_pipe(front, text, spool_index);
  };
  const Refused wrong = refused("{]", std::string(65536, ' '));
  CHECK(wrong.message == "x: the index must have a key in quotes at byte 1, got ] [st.f9]");
  CHECK(wrong.taken < 10'000'000);
  const Refused endless = refused(R"({"weight_map":{}})", std::string(65536, ' '));
  CHECK(endless.message.starts_with("x: an index must be at most 100000000 bytes long, got 1000"));
  CHECK(endless.taken < 110'000'000);
}

TEST_CASE("an index in a pipe is read to its end", "[io]") {
  std::string text = R"({"weight_map":{"a":"m")";
  for (int i = 0; i < 20000; ++i) text += fmt::format(R"(,"a{}":"m")", i);
  text += "}}";
  const TemporaryDirectory directory;
  write_file(directory / "x", text);
  const File pipe = File::open_for_reading(directory / "x");
  Spool spool("/tmp", "x");
  spool_index(spool, pipe);
  CHECK(spool.size() == static_cast<std::int64_t>(text.size()));
}

}  // namespace tscatter
