// Raw bytes: what an operand says about them, and what is refused.
#include <fmt/format.h>

#include <string>

#include "catch.hpp"
#include "io/files.hpp"
#include "io/safetensors_bytes.hpp"
#include "tscatter/io/formats/format.hpp"
#include "tscatter/io/formats/tensor_files.hpp"
#include "tscatter/io/formats/text/literal.hpp"

namespace tscatter {
namespace {

// The file x.bin with these bytes, and operands "WHAT=@x.bin…".
class RawBytes {
 public:
  explicit RawBytes(const std::string& bytes) { write_file(folder_ / "x.bin", bytes); }

  Tensor open(const std::string& front, const std::string& tail = "") const {
    return open_tensor(front + "=@" + path() + tail);
  }
  std::string refused(const std::string& front, const std::string& tail = "") const {
    std::string text = refusal([&] { open(front, tail); });
    const std::size_t at = text.find(path());
    return at == 0 ? text.substr(path().size()) : text;
  }
  std::string path() const { return folder_ / "x.bin"; }

 private:
  TemporaryDirectory folder_;
};

}  // namespace

TEST_CASE("the operand says what the bytes are", "[io]") {
  const RawBytes file("abcdefgh");
  const Tensor whole = file.open("2x4xu8");
  CHECK(whole.shape() == Shape{2, 4});
  CHECK(content(whole) == "abcdefgh");
  CHECK(content(file.open("i16", "+3")) == "de");
  CHECK(file.open("4xi16").type().byte_order == std::endian::little);
  CHECK(file.open("4xi16", ",be").type().byte_order == std::endian::big);
  CHECK(file.open("2x4xu8", ",f").order() == MemoryOrder::fortran);
  const Tensor all = file.open("2xf16", "+4,be,f");
  CHECK(content(all) == "efgh");
  CHECK(all.type().byte_order == std::endian::big);
  CHECK(file.open("2x2xi8", "+4,be,f").order() == MemoryOrder::fortran);
  CHECK(content(file.open("8xu8", "+0")) == "abcdefgh");
  CHECK(content(file.open("0xf64", "+8")).empty());
  CHECK(to_string(file.open("8xfloat8_e4m3fn").type()) == "float8_e4m3fn");
}

TEST_CASE("only what has a shape, a dtype and a file is raw", "[io]") {
  for (const char* word : {"=@x", "4=@x", "4xf32=@", "4xf33=@x", "4xxf32=@x", "-1xf32=@x", "x=@y",
                           "4xf32@x", "4xf32=x"}) {
    CAPTURE(word);
    CHECK(!raw_format.split(word));
  }
  CHECK(raw_format.split("f32=@x+1")->archive == "x");
  CHECK(raw_format.split("f32=@x+y")->archive == "x+y");
  CHECK(raw_format.split("f32=@x,y,be")->archive == "x,y");
  CHECK(raw_format.split("f32=@x+1+2")->archive == "x+1");
  CHECK(!literal_tensor("4xf32=@x", "literal"));
}

TEST_CASE("raw.f1: a file of another size than the shape says is refused", "[io]") {
  const RawBytes file("abcdefgh");
  CHECK(file.refused("3xf32") == ": the file must have 12 bytes of [3] of float32, got 8 [raw.f1]");
  CHECK(file.refused("1xf32", "+5") ==
        ": the file must have 4 bytes of [1] of float32 from byte 5 on, got 3 [raw.f1]");
  for (const char* front : {"7xu8", "9xu8", "f32", "0xf32", "1000000000000xf64"}) {
    CAPTURE(front);
    CHECK(file.refused(front).ends_with("[raw.f1]"));
  }
  CHECK(file.refused("1xu8", "+8").ends_with("got 0 [raw.f1]"));
  CHECK(file.refused("0xu8", "+9").ends_with("got 0 [raw.f1]"));
  CHECK(file.refused("1xu8", "+9223372036854775806").ends_with("[raw.f1]"));
  CHECK(file.refused("1xu8", "+7") == "accepted");
  CHECK(RawBytes("").refused("0xf32") == "accepted");
}

TEST_CASE("raw.f2: an offset and a size that wrap are refused", "[io]") {
  const RawBytes file("abcdefgh");
  CHECK(file.refused("1xu8", "+9223372036854775808") ==
        ": an offset must be an integer below 2^63, got 9223372036854775808 [raw.f2]");
  CHECK(file.refused("1xu8", "+9223372036854775807") ==
        ": the bytes must end below 2^63, in at most 64 axes, got shape [1] [raw.f2]");
  for (const char* front : {"4294967296x4294967296xu8", "0x4294967296x4294967296xu8",
                            "4611686018427387904xf32", "9223372036854775807xi16"}) {
    CAPTURE(front);
    CHECK(file.refused(front).ends_with("[raw.f2]"));
  }
  std::string axes;
  for (int i = 0; i < 64; ++i) axes += "1x";
  CHECK(file.refused(axes + "u8", "+1") == "accepted");
  CHECK(file.refused("1x" + axes + "u8", "+1").ends_with("[raw.f2]"));
}

TEST_CASE("raw.f4: each option is given once, and one byte order", "[io]") {
  const RawBytes file("abcdefgh");
  CHECK(file.refused("4xi16", ",be,le") ==
        ": be or le, and f, must be given at most once, after the file, got ,be,le [raw.f4]");
  for (const char* options : {",le,be", ",be,be", ",le,le", ",f,f", ",f,be,f", "+0,be,f,le"}) {
    CAPTURE(options);
    CHECK(file.refused("4xi16", options).ends_with("[raw.f4]"));
  }
  CHECK(file.open("4xi16", ",le").type().byte_order == std::endian::little);
  CHECK(file.open("2x2xi16", ",f,be").order() == MemoryOrder::fortran);
  CHECK(file.open("2x2xi16", ",f,be").type().byte_order == std::endian::big);
}

TEST_CASE("raw.f3: a file that begins like another format needs an offset", "[io]") {
  const RawBytes safetensors(safetensors_bytes("{}", ""));
  CHECK(safetensors.refused("10xu8") ==
        fmt::format(": a file that begins like another format must be given with an offset (or as "
                    "{}:name), got a safetensors file [raw.f3]",
                    safetensors.path()));
  CHECK(safetensors.refused("10xu8", "+0") == "accepted");
  const RawBytes npy(npy_file("{'descr': '|u1', 'fortran_order': False, 'shape': (0,)}"));
  CHECK(npy.refused("1xu8").ends_with("got a .npy file [raw.f3]"));
  CHECK(RawBytes("PK\3\4 and more").refused("1xu8").ends_with("got a .npz archive [raw.f3]"));
  CHECK(RawBytes("GGUF and more")
            .refused("13xu8")
            .ends_with("(or as +OFFSET of its data), got a GGUF file [raw.f3]"));
  CHECK(RawBytes("\x89HDF\r\n\x1a\n").refused("8xu8").ends_with("got an HDF5 file [raw.f3]"));
  CHECK(RawBytes("SIMPLE  = ").refused("10xu8").ends_with("got a FITS file [raw.f3]"));
  CHECK(RawBytes("just text").refused("9xu8") == "accepted");
}

}  // namespace tscatter
