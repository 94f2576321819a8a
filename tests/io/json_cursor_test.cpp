// What text in JSON may have in places that are passed over;
// how long an index is; text that is longer than what is read at once; keys that stand twice.
#include "tscatter/io/formats/text/json_cursor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "catch.hpp"
#include "io/endless_pipe.hpp"
#include "io/files.hpp"
#include "tscatter/io/formats/safetensors/safetensors_header.hpp"
#include "tscatter/io/formats/safetensors/shards.hpp"
#include "tscatter/io/formats/text/json_tensor.hpp"

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

std::string refused_index(const std::string& text) {
  const auto source = std::make_shared<SpanSource>(bytes_of(text));
  return refusal([&] { ShardIndex(source, "x").visit([](const auto&, const auto&) {}); });
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
  CHECK(refused_index(text + "}}") == "accepted");
  const std::string refused = refused_index(text + R"(,"a":"m"}})");
  CHECK_THAT(refused, contains("at most 1048576 tensors"));
  CHECK(refused.ends_with("[st.f9]"));
}

TEST_CASE("st.f9: an index has at most 100,000,000 bytes", "[io]") {
  constexpr std::size_t longest = 100'000'000;
  std::string text = R"({"weight_map":{"a":"m"}})";
  text.resize(longest, ' ');
  CHECK(refused_index(text) == "accepted");
  CHECK(refused_index(text + " ") ==
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

namespace {

// 4 GiB of text that is no JSON from its seventh character on.
class EndlessText final : public Source {
 public:
  std::int64_t size() const override { return std::int64_t{1} << 32; }
  void read(std::int64_t offset, std::span<std::byte> into) const override {
    constexpr std::string_view text = "[1, 2 x";
    for (std::size_t i = 0; i < into.size(); ++i) {
      const std::int64_t at = std::min<std::int64_t>(offset + static_cast<std::int64_t>(i), 6);
      into[i] = static_cast<std::byte>(text[static_cast<std::size_t>(at)]);
    }
  }
};

}  // namespace

TEST_CASE("json.f1: a text of 4 GiB is not taken for an empty one", "[io]") {
  CHECK_THAT(refusal([] { json_tensor(EndlessText(), {.name = "x.json", .dtype = std::nullopt}); }),
             contains("JSON (a comma stands between values), got xxx"));
}

TEST_CASE("a text that is longer than every buffer is read whole", "[io]") {
  std::string text = "[";
  for (int i = 0; i < 300000; ++i) text += std::to_string(i).append(",");
  const Tensor tensor = json_tensor(text.substr(0, text.size() - 1).append("]"),
                                    {.name = "x.json", .dtype = DType::int32});
  CHECK(to_string(tensor.type()) + to_string(tensor.shape()) == "int32[300000]");
  const std::string bytes = native_content(tensor);
  std::int32_t last = 0;
  std::memcpy(&last, &bytes[bytes.size() - 4], 4);
  CHECK(last == 299999);
}

namespace {

// Of keys whose hash is that of their first letter.
std::optional<std::string> repeated(const std::vector<std::string>& keys) {
  std::vector<SeenKey> seen;
  for (const std::string& key : keys) {
    seen.push_back({.hash = static_cast<std::uint64_t>(key.front()),
                    .at = static_cast<std::uint32_t>(seen.size())});
  }
  return repeated_key(seen, [&](std::uint32_t at) { return keys.at(at); });
}

}  // namespace

TEST_CASE("st.f3: a key that stands twice is found between keys of its hash", "[io]") {
  CHECK(!repeated({}));
  CHECK(!repeated({"a", "b"}));
  CHECK(!repeated({"a1", "a2", "a3", "b1"}));
  std::vector<std::string> keys{"a1", "a1", "a2", "a3", "b1"};
  int orders = 0;
  do {
    CHECK(repeated(keys) == "a1");
    ++orders;
  } while (std::ranges::next_permutation(keys).found);
  CHECK(orders == 60);
}

}  // namespace tscatter
