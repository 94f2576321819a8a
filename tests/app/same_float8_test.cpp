// Elements of float8 that are compared and verified, with each other and with what has their size.
#include <fmt/format.h>

#include <string>

#include "app/folder.hpp"
#include "catch.hpp"
#include "io/safetensors_bytes.hpp"

namespace tscatter {
namespace {

// A job of two float8 elements that are moved: [2, 1].
std::string job(const std::string& dtype, const std::string& more) {
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
  const Result two =
      folder.run({"compare", "2xfloat8_e4m3fn=@same.bin", "2xfloat8_e5m2=@same.bin"});
  CHECK(two.exit_code == 1);
  CHECK(two.out == "the dtypes differ: actual is float8_e4m3fn, expected is float8_e5m2\n");
  CHECK(folder.run({"convert", "2xfloat8_e4m3fn=@same.bin", "x.npy", "--dtype", "V1"}).err.empty());
  folder.put("same.safetensors",
             safetensors_bytes(R"({"x":{"dtype":"F8_E4M3","shape":[2],"data_offsets":[0,2]}} )",
                               "\x40\x3C"));
  CHECK(folder.run({"convert", "same.safetensors:x", "v1.npy"}).exit_code == 0);
  CHECK(folder.run({"compare", "v1.npy", "same.safetensors:x"}).exit_code == 1);
  CHECK(folder.run({"compare", "same.safetensors:x", "v1.npy"}).exit_code == 1);
  const Strings verify{"verify",  "ScatterUpdate-3",
                       "-d",      "2xfloat8_e4m3fn=@data.bin",
                       "-i",      "[0]",
                       "-u",      "1xfloat8_e4m3fn=@updates.bin",
                       "-a",      "0",
                       "--actual"};
  const auto verified = [&](const std::string& actual) {
    Strings words = verify;
    words.push_back(actual);
    return folder.run(words).exit_code;
  };
  CHECK(verified("2xfloat8_e4m3fn=@same.bin") == 0);
  CHECK(verified("2xfloat8_e5m2=@same.bin") == 1);
  CHECK(verified("v1.npy") == 1);
}

}  // namespace tscatter
