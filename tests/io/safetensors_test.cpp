// Safetensors files by hand: what is refused, with every label, and what just is not.
#include "tscatter/io/formats/safetensors/safetensors.hpp"

#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "catch.hpp"
#include "io/files.hpp"
#include "io/safetensors_bytes.hpp"
#include "tscatter/io/files/sources.hpp"
#include "tscatter/io/formats/safetensors/safetensors_header.hpp"

namespace tscatter {
namespace {

std::shared_ptr<const Source> safetensors_source(const std::string& bytes) {
  const auto view = bytes_of(bytes);
  return owned_source(std::vector<std::byte>(view.begin(), view.end()));
}

SafetensorsArchive archive_of(const std::string& bytes) { return {safetensors_source(bytes), "x"}; }

std::string refused_safetensors(const std::string& bytes) {
  return refusal([&] { archive_of(bytes); });
}
std::string refused_safetensors(const std::string& header, std::size_t data) {
  return refused_safetensors(safetensors_bytes(header, std::string(data, 'd')));
}

std::string tensor(const std::string& name, const std::string& dtype, const std::string& shape,
                   const std::string& offsets) {
  return fmt::format(R"("{}":{{"dtype":"{}","shape":[{}],"data_offsets":[{}]}})", name, dtype,
                     shape, offsets);
}

std::string object(const std::vector<std::string>& members) {
  std::string text = "{";
  for (const std::string& member : members) text += (text.size() > 1 ? "," : "") + member;
  return text + "}";
}

const std::string one = tensor("a", "U8", "2", "0,2");

struct HostileFile {
  std::string header;
  std::size_t data;
};

void check_all(const std::string& label, const std::vector<HostileFile>& files) {
  for (const HostileFile& each : files) {
    CAPTURE(each.header.substr(0, 200), each.data);
    CHECK(refused_safetensors(each.header, each.data).ends_with("[" + label + "]"));
  }
}

}  // namespace

TEST_CASE("st.f1: a length that is not that of the header is refused", "[io]") {
  const std::string begin = "x: a safetensors file must begin with the 8 bytes";
  CHECK(refused_safetensors("").starts_with(begin));
  CHECK(refused_safetensors("\x01\x02\x03") ==
        begin + " of its header's length, got 3 bytes [st.f1]");
  CHECK(refused_safetensors(safetensors_length(~std::uint64_t{0}) + "{}") ==
        "x: the header must have at most 100000000 bytes, got 18446744073709551615 [st.f1]");
  CHECK(refused_safetensors(safetensors_length(~std::uint64_t{0} - 7) + "{}").ends_with("[st.f1]"));
  CHECK(
      refused_safetensors(safetensors_length(std::uint64_t{1} << 63U) + "{}").ends_with("[st.f1]"));
  CHECK(refused_safetensors(safetensors_length(100'000'001) + "{}").ends_with("[st.f1]"));
  CHECK(
      refused_safetensors(safetensors_length(100'000'000) + "{}") ==
      "x: the file must have its header of 100000000 bytes after the first 8, got 2 bytes [st.f1]");
  CHECK(refused_safetensors(safetensors_length(3) + "{}").ends_with("[st.f1]"));
  CHECK(refused_safetensors(safetensors_length(2) + "{}") == "accepted");
}

TEST_CASE("st.f1: what is another kind of file is said to be one", "[io]") {
  const std::string begin =
      "x: a safetensors file must begin with the 8 bytes of its header's length, got ";
  CHECK(refused_safetensors("version https://git-lfs.github.com/spec/v1\noid sha256:0\n") ==
        begin + "a Git LFS pointer (git lfs pull fetches the file) [st.f1]");
  CHECK(refused_safetensors("Entry not found") ==
        begin + "a text file that begins \"Entry not found\" [st.f1]");
  CHECK(refused_safetensors("404") == begin + "a text file that begins \"404\" [st.f1]");
  CHECK(refused_safetensors("<!doctype html>\n<html>") ==
        begin + "an HTML page (a download that failed may leave one) [st.f1]");
  CHECK(refused_safetensors("{\"error\": \"Unauthorized\"}") ==
        begin + "a JSON file that begins \"{\"error\": \"Unauthorized\"}\" [st.f1]");
  CHECK(refused_safetensors("\x80\x02}q\x01(X\x05") ==
        begin + "a pickle (numpy.save writes the array that pickle.load gives) [st.f1]");
}

TEST_CASE("st.f2: metadata may be null, which is none", "[io]") {
  const std::string bytes = safetensors_bytes(object({R"("__metadata__": null )", one}), "dd");
  const SafetensorsArchive archive = archive_of(bytes);
  CHECK(content(archive.tensor("a")) == "dd");
  CHECK(archive.metadata() == ArchiveMetadata());
  check_all("st.f2", {{R"({"__metadata__":nul})", 0},
                      {R"({"__metadata__":nulll})", 0},
                      {R"({"__metadata__":None})", 0},
                      {R"({"__metadata__":{"a":null}})", 0},
                      {R"({"a":null})", 0}});
  CHECK(refused_safetensors(R"({"__metadata__":null,"__metadata__":{}})", 0) ==
        "x: the key __metadata__ occurs twice [st.f3]");
}

TEST_CASE("st.f2: a header that is not JSON of tensors is refused", "[io]") {
  CHECK(refused_safetensors("[]", 0) == "x: the header must have { at byte 8, got [ [st.f2]");
  CHECK(refused_safetensors("", 0) == "x: the header must have { at byte 8, got its end [st.f2]");
  CHECK(refused_safetensors("{}x", 0) ==
        "x: the header must have its end at byte 10, got x [st.f2]");
  const std::string deep(10'000, '[');
  const std::string no_string(std::string("{\"a\0b\":", 7) + "{}}");
  check_all("st.f2", {{" {}", 0},
                      {"{", 0},
                      {"{\"a", 0},
                      {"{\"a\"", 0},
                      {"{\"a\":", 0},
                      {"{\"a\":" + deep, 0},
                      {"{\"a\":1}", 0},
                      {"{a:{}}", 0},
                      {"{" + one + ",}", 2},
                      {"{" + one + "}}", 2},
                      {"{" + one + " " + one + "}", 2},
                      {"{\"\xff\":{}}", 0},
                      {"{\"\xc3\":{}}", 0},
                      {"{\"\xed\xa0\x80\":{}}", 0},
                      {R"({"\ud800":{}})", 0},
                      {R"({"\udc00":{}})", 0},
                      {R"({"\ud800\u0041":{}})", 0},
                      {R"({"\x41":{}})", 0},
                      {R"({"\u00g0":{}})", 0},
                      {"{\"a\nb\":{}}", 0},
                      {no_string, 0},
                      {"{\"" + std::string(4097, 'n') + "\":{}}", 0},
                      {R"({"__metadata__":1})", 0},
                      {R"({"__metadata__":{"a":1}})", 0},
                      {R"({"__metadata__":{"a":{"b":"c"}}})", 0},
                      {R"({"__metadata__":{"a":"b",}})", 0},
                      {R"({"a":{"dtype":"U8","shape":{},"data_offsets":[0,0]}})", 0}});
  CHECK(refused_safetensors("{ }  ", 0) == "accepted");
  CHECK(refused_safetensors("{\"" + std::string(4096, 'n') + "\"" + one.substr(3) + "}", 2) ==
        "accepted");
  CHECK(refused_safetensors(R"({"__metadata__":{"a":"\ud83d\ude00\n","b":""}})", 0) == "accepted");
}

TEST_CASE("st.f2: a dtype has at most 64 bytes", "[io]") {
  CHECK(refused_safetensors(object({tensor("a", std::string(64, 'U'), "2", "0,1")}), 1) ==
        "accepted");
  CHECK(refused_safetensors(object({tensor("a", std::string(65, 'U'), "2", "0,1")}), 1) ==
        "x: the header must have a string of at most 64 bytes at byte 88, got \" [st.f2]");
}

TEST_CASE("st.f2: a header has at most 2^20 tensors and 65,536 metadata", "[io]") {
  const auto members = [](std::size_t count, std::string_view value) {
    std::string text;
    for (std::size_t i = 0; i < count; ++i)
      text += fmt::format(R"({}"{:x}":{})", i == 0 ? "" : ",", i, value);
    return text;
  };
  const std::string empty = R"({"dtype":"","shape":[],"data_offsets":[0,0]})";
  const std::string tensors = "{" + members(most_safetensors, empty);
  CHECK(refused_safetensors(tensors + "}", 0) == "accepted");
  CHECK(refused_safetensors(tensors + R"(,"one more":)" + empty + "}", 0) ==
        "x: the header must have at most 1048576 tensors at byte 55504644, got { [st.f2]");
  const std::string metadata = R"({"__metadata__":{)" + members(65536, R"("")");
  CHECK(refused_safetensors(metadata + "}}", 0) == "accepted");
  CHECK(refused_safetensors(metadata + R"(,"one more":""}})", 0) ==
        "x: the header must have at most 65536 metadata at byte 651028, got \" [st.f2]");
}

TEST_CASE("st.f3: a key that stands twice is refused", "[io]") {
  CHECK(refused_safetensors(object({one, tensor("a", "U8", "0", "2,2")}), 2) ==
        "x: the key a occurs twice [st.f3]");
  check_all("st.f3",
            {{object({one, tensor(R"(\u0061)", "U8", "2", "2,4")}), 4},
             {object({one, tensor("b", "U8", "2", "2,4"), tensor("a", "U8", "2", "4,6")}), 6},
             {R"({"__metadata__":{},"__metadata__":{}})", 0},
             {R"({"__metadata__":{"a":"1","b":"2","a":"1"}})", 0},
             {R"({"a":{"dtype":"U8","dtype":"U8","shape":[0],"data_offsets":[0,0]}})", 0},
             {R"({"a":{"dtype":"U8","shape":[0],"shape":[0],"data_offsets":[0,0]}})", 0}});
  CHECK(refused_safetensors(object({one, tensor("A", "U8", "2", "2,4")}), 4) == "accepted");
}

TEST_CASE("st.f4: a tensor without what it needs is refused", "[io]") {
  CHECK(refused_safetensors(R"({"a":{"dtype":"U8","shape":[-1],"data_offsets":[0,0]}})", 0) ==
        "x: tensor a must have integers from 0 to 2^63 - 1 as shape, got -1 [st.f4]");
  CHECK(refused_safetensors(R"({"a":{"dtype":"U8","shape":[2]}})", 2) ==
        "x: tensor a has no data_offsets [st.f4]");
  std::string axes = "1";
  for (int i = 1; i < 64; ++i) axes += ",1";
  check_all("st.f4", {{R"({"a":{}})", 0},
                      {R"({"a":{"dtype":"U8","data_offsets":[0,0]}})", 0},
                      {R"({"a":{"shape":[0],"data_offsets":[0,0]}})", 0},
                      {R"({"a":{"dtype":8,"shape":[0],"data_offsets":[0,0]}})", 0},
                      {R"({"a":{"dtype":null,"shape":[0],"data_offsets":[0,0]}})", 0},
                      {R"({"a":{"dtype":"U8","shape":[0],"data_offsets":[0,0],"x":1}})", 0},
                      {object({tensor("a", "U8", "1.0", "0,1")}), 1},
                      {object({tensor("a", "U8", "1e0", "0,1")}), 1},
                      {object({tensor("a", "U8", "01", "0,1")}), 1},
                      {object({tensor("a", "U8", "+1", "0,1")}), 1},
                      {object({tensor("a", "U8", "\"1\"", "0,1")}), 1},
                      {object({tensor("a", "U8", "true", "0,1")}), 1},
                      {object({tensor("a", "U8", "[1]", "0,1")}), 1},
                      {object({tensor("a", "U8", "1", "0")}), 1},
                      {object({tensor("a", "U8", "1", "0,1,1")}), 1},
                      {object({tensor("a", "U8", "1", "-1,0")}), 1},
                      {object({tensor("a", "U8", "1", "0,9223372036854775808")}), 1},
                      {object({tensor("a", "U8", "1", "0,18446744073709551617")}), 1},
                      {object({tensor("a", "U8", axes + ",1", "0,1")}), 1}});
  CHECK(refused_safetensors(object({tensor("a", "U8", axes, "0,1")}), 1) == "accepted");
}

TEST_CASE("st.f5: data with holes, overlaps and tails is refused", "[io]") {
  CHECK(refused_safetensors(object({one, tensor("b", "U8", "1", "3,4")}), 4) ==
        "x: the data of tensor b must begin where the one before it ends, at 2, got 3 [st.f5]");
  CHECK(refused_safetensors(object({one}), 3) ==
        "x: the data must end where the file does, after 3 bytes, got 2 [st.f5]");
  CHECK(refused_safetensors(object({tensor("a", "X", "1", "2,1")}), 2) ==
        "x: the data of tensor a must not end before its start at 2, got 1 [st.f5]");
  check_all("st.f5", {{object({one}), 1},
                      {object({one, tensor("b", "U8", "2", "1,3")}), 3},
                      {object({one, tensor("b", "U8", "2", "0,2")}), 2},
                      {object({tensor("a", "U8", "2", "1,3")}), 3},
                      {object({one, tensor("b", "U8", "0", "1,1")}), 2},
                      {"{}", 1}});
  CHECK(refused_safetensors(object({tensor("b", "U8", "1", "2,3"), one}), 3) == "accepted");
  CHECK(refused_safetensors(
            object({one, tensor("b", "U8", "0", "0,0"), tensor("c", "U8", "0", "2,2")}), 2) ==
        "accepted");
}

TEST_CASE("st.f6: a tensor of another size than its shape says is refused", "[io]") {
  CHECK(refused_safetensors(object({tensor("a", "F32", "2", "0,4")}), 4) ==
        "x: tensor a must have 64 bits of data for [2] of F32, got 4 bytes [st.f6]");
  CHECK(refused_safetensors(object({tensor("a", "U8", "4294967296,4294967296", "0,0")}), 0) ==
        "x: tensor a must have at most 2^63 - 1 elements and bits, got [4294967296, 4294967296] of "
        "U8 [st.f6]");
  check_all("st.f6",
            {{object({tensor("a", "U8", "4611686018427387904,4611686018427387904,0", "0,0")}), 0},
             {object({tensor("a", "X", "4611686018427387904,4", "0,0")}), 0},
             {object({tensor("a", "U8", "9223372036854775807", "0,9223372036854775807")}), 2},
             {object({tensor("a", "F64", "1152921504606846976", "0,0")}), 0},
             {object({tensor("a", "F4", "3", "0,2")}), 2},
             {object({tensor("a", "F6_E2M3", "3", "0,3")}), 3},
             {object({tensor("a", "U8", "", "0,0")}), 0}});
  CHECK(refused_safetensors(object({tensor("a", "F4", "4", "0,2")}), 2) == "accepted");
  CHECK(refused_safetensors(object({tensor("a", "F6_E3M2", "4", "0,3")}), 3) == "accepted");
  CHECK(refused_safetensors(object({tensor("a", "F32", "2,0", "0,0")}), 0) == "accepted");
  CHECK(refused_safetensors(object({tensor("a", "FUTURE", "7", "0,3")}), 3) == "accepted");
}

TEST_CASE("st.f7: a tensor that does not exist is refused", "[io]") {
  const std::string bytes = safetensors_bytes(object({tensor("weight", "U8", "1", "0,1")}), "a");
  const auto archive = archive_of(bytes);
  CHECK(refusal([&] { archive.tensor("wieght"); }) ==
        "x: a tensor must be one of weight (nearest: weight), got wieght [st.f7]");
  CHECK(refusal([&] { archive.tensor(""); }) ==
        "x: a tensor must be one of weight, got an empty name [st.f7]");
  CHECK(content(archive.tensor("weight")) == "a");
}

TEST_CASE("st.f8: a dtype that is not known is listed, and refused when it is used", "[io]") {
  const std::string bytes =
      safetensors_bytes(object({tensor("a", "F4", "2,2", "0,2"), tensor("b", "FUTURE", "9", "2,5"),
                                tensor("c", "U8", "1", "5,6")}),
                        "12345x");
  const auto archive = archive_of(bytes);
  CHECK(refusal([&] { archive.tensor("a"); }) ==
        "x:a: a tensor that is used must be of a known dtype of whole bytes, got F4 [st.f8]");
  CHECK(refusal([&] { archive.tensor_at(1); }).ends_with("got FUTURE [st.f8]"));
  CHECK(content(archive.tensor("c")) == "x");
  CHECK(archive.members().at(0).dtype == "F4");
  CHECK(archive.members().at(0).shape == Shape{2, 2});
}

TEST_CASE("st.f12: a header that would be too long is not written", "[io]") {
  const auto written = [](std::vector<SafetensorsPart> parts, const SafetensorsMetadata& metadata) {
    return refusal([&] { safetensors_layout(std::move(parts), metadata, "x"); });
  };
  constexpr std::int64_t half = std::int64_t{1} << 61U;
  const SafetensorsPart a{.name = "a", .dtype = "U8", .shape = {half}, .size = half};
  SafetensorsPart b = a;
  b.name = "b";
  CHECK(written({a, b}, {}) == "accepted");
  b.size = half + 1;
  CHECK(written({a, b}, {}) ==
        "x: the tensors must have at most 4611686018427387904 bytes, got more [st.f12]");
  // {"__metadata__":{"":"…"}} has 24 bytes besides.
  CHECK(written({}, {{"", std::string(99'999'976, 'm')}}) == "accepted");
  CHECK(written({}, {{"", std::string(99'999'977, 'm')}}) ==
        "x: the header must have at most 100000000 bytes, got 100000008 [st.f12]");
}

TEST_CASE("every dtype of safetensors but those of less than a byte is read", "[io]") {
  for (const char* name :
       {"BOOL", "U8", "I8", "F8_E5M2", "F8_E4M3", "F8_E8M0", "F8_E4M3FNUZ", "F8_E5M2FNUZ", "I16",
        "U16", "F16", "BF16", "I32", "U32", "F32", "C64", "F64", "I64", "U64"}) {
    CAPTURE(name);
    const SafetensorsType& type = *safetensors_type(name);
    const auto element = element_type_of(type);
    REQUIRE(element);
    CHECK(static_cast<std::int64_t>(element->size) * 8 == type.bits);
    CHECK(safetensors_type_of(*element) == &type);
  }
  CHECK(safetensors_type_of(ElementType::of(DType::complex128)) == nullptr);
  CHECK(safetensors_rank("nothing") < safetensors_rank("BOOL"));
}

TEST_CASE("a tensor may begin at an odd byte", "[io]") {
  const std::string bytes = safetensors_bytes(
      object({tensor("a", "U8", "1", "0,1"), tensor("f", "F32", "1", "1,5")}), "aABCD");
  CHECK(content(archive_of(bytes).tensor("f")) == "ABCD");
}

}  // namespace tscatter
