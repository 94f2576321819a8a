// Elements of float8 that are compared and verified, with each other and with what has their size.
#include <fmt/format.h>

#include <string>

#include "app/folder.hpp"
#include "catch.hpp"
#include "io/safetensors_bytes.hpp"

namespace tscatter {
namespace {

// A job of two float8 elements that are moved: [2, 1].
std::string job_line(const std::string& dtype, const std::string& more) {
  return fmt::format(R"({{"op": "ScatterUpdate-3", "data": "2x{0}=@data.bin", "indices": [0], )"
                     R"("updates": "1x{0}=@updates.bin", "axis": 0, {1}}})"
                     "\n",
                     dtype, more);
}

void put_operands(const Folder& folder) {
  folder.put("data.bin", "\x38\x3C");
  folder.put("updates.bin", "\x40");
  folder.put("same.bin", "\x40\x3C");
  folder.put("near.bin", "\x41\x3C");
}

}  // namespace

TEST_CASE("dtypes of one byte are not the same but for their byte order", "[app]") {
  const Folder folder;
  put_operands(folder);
  const Result two = folder.run("compare 2xfloat8_e4m3fn=@same.bin 2xfloat8_e5m2=@same.bin");
  CHECK(two.exit_code == 1);
  CHECK(two.out == "dtype differs: got float8_e4m3fn, expected float8_e5m2\n");
  folder.put("same.safetensors",
             safetensors_bytes(R"({"x":{"dtype":"F8_E4M3","shape":[2],"data_offsets":[0,2]}} )",
                               "\x40\x3C"));
  CHECK(folder.run("convert same.safetensors:x v1.npy").exit_code == 0);
  CHECK(folder.run("compare v1.npy same.safetensors:x").exit_code == 1);
  CHECK(folder.run("compare same.safetensors:x v1.npy").exit_code == 1);
  const Strings verify = split_words(
      "verify ScatterUpdate-3 -d 2xfloat8_e4m3fn=@data.bin -i [0] -u 1xfloat8_e4m3fn=@updates.bin "
      "-a 0 --actual");
  const auto verified = [&](const std::string& actual) {
    Strings words = verify;
    words.push_back(actual);
    return folder.run(words).exit_code;
  };
  CHECK(verified("2xfloat8_e4m3fn=@same.bin") == 0);
  CHECK(verified("2xfloat8_e5m2=@same.bin") == 1);
  CHECK(verified("v1.npy") == 1);
}

TEST_CASE("NaNs of float8 are compared by their bits, unless any NaN equals any", "[app]") {
  const Folder folder;
  folder.put("one.bin", "\x7D\x3C");
  for (const char* nan : {"\x7E\x3C", "\x7F\x3C", "\xFD\x3C", "\xFE\x3C", "\xFF\x3C"}) {
    folder.put("other.bin", nan);
    Strings words{"compare", "2xfloat8_e5m2=@one.bin", "2xfloat8_e5m2=@other.bin"};
    CHECK(folder.run(words).exit_code == 1);
    words.emplace_back("--equal-nan");
    CHECK(folder.out(words).starts_with("equal"));
  }
  folder.put("one.bin", "\x7F\x3C");
  folder.put("other.bin", "\xFF\x3C");
  CHECK(folder.run("compare 2xfloat8_e4m3fn=@one.bin 2xfloat8_e4m3fn=@other.bin").exit_code == 1);
}

TEST_CASE("batch compares float8 as numbers, as compare --case does", "[app]") {
  const Folder folder;
  put_operands(folder);
  folder.put("cases.jsonl",
             job_line("float8_e4m3fn", R"("name": "near", "atol": 0.5, )"
                                       R"("expected": "2xfloat8_e4m3fn=@near.bin")"));
  CHECK(folder.run("compare --case near cases.jsonl").exit_code == 0);
  const Result near = folder.run("batch cases.jsonl");
  CHECK(near.out == "ok       near\n\n1 case: 1 passed\n");
  CHECK(near.exit_code == 0);
  folder.put("cases.jsonl",
             job_line("float8_e4m3fn", R"("name": "near", "equal_nan": true, )"
                                       R"("expected": "2xfloat8_e4m3fn=@near.bin")"));
  const Result far = folder.run("batch cases.jsonl");
  CHECK(far.exit_code == 1);
  CHECK_THAT(far.out, contains("got 2.0, expected 2.25"));
}

TEST_CASE("a result of float8 is printed as numbers, and not written as JSON", "[app]") {
  const Folder folder;
  put_operands(folder);
  Strings words = split_words(
      "ScatterUpdate-3 -d 2xfloat8_e4m3fn=@data.bin -i [0] -u 1xfloat8_e4m3fn=@updates.bin -a 0");
  CHECK(output_of(folder.command(words)) == "[2.0, 1.5]\n");
  words.insert(words.end(), {"-o", "x.json"});
  CHECK(folder.err(words).ends_with("[json.f10]\n"));
}

TEST_CASE("--by-word counts a case of float8 without a dtype, compared or verified", "[app]") {
  const Folder folder;
  put_operands(folder);
  std::string cases;
  for (const char* how : {"expected", "actual"}) {
    for (const char* name : {"same", "near", "near"}) {
      cases += job_line("float8_e4m3fn", fmt::format(R"("name": "{0} {1} {2}", "{0}": )"
                                                     R"("2xfloat8_e4m3fn=@{1}.bin")",
                                                     how, name, cases.size()));
    }
  }
  folder.put("cases.jsonl", cases);
  const std::string out = folder.out("batch cases.jsonl --by-word --json");
  CHECK_THAT(out, contains("\"by_word\""));
  CHECK_THAT(out, !contains("\"opaque\""));
}

}  // namespace tscatter
