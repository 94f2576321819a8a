#include <fmt/format.h>

#include "catch.hpp"
#include "io/files.hpp"
#include "tscatter/io/formats/npy/npy_file.hpp"

namespace tscatter {
namespace {

NpyHeader header_in(const std::string& file) {
  return read_npy_header(SpanSource(bytes_of(file)), "x.npy");
}

std::string refused_npy(const std::string& file) {
  return refusal([&] {
    const NpyHeader header = header_in(file);
    require_npy_size(header, static_cast<std::int64_t>(file.size()), "x.npy");
  });
}

std::string refused_header(std::string_view text) {
  return refused_npy(npy_file(text, "12345678"));
}

std::string with_descr(std::string_view descr) {
  return "{'descr': " + std::string(descr) + ", 'fortran_order': False, 'shape': (2,)}";
}

std::string with_shape(std::string_view shape) {
  return "{'descr': '<f4', 'fortran_order': False, 'shape': " + std::string(shape) + "}";
}

std::string written_header(const ElementType& type, Shape shape,
                           MemoryOrder order = MemoryOrder::c) {
  return text_of(npy_header_bytes({.type = type, .shape = std::move(shape), .order = order}));
}

}  // namespace

TEST_CASE("npy.f1: a file that does not begin as .npy is refused", "[io]") {
  CHECK(refused_npy("") ==
        "x.npy: a .npy file must begin with \\x93NUMPY, got an empty file [npy.f1]");
  CHECK(refused_npy("\x93NUMP") ==
        "x.npy: a .npy file must begin with \\x93NUMPY (raw bytes are read as SHAPExDTYPE=@x.npy), "
        "got other bytes [npy.f1]");
  CHECK(refused_npy("{\"a\": 1}, and more of it") ==
        "x.npy: a .npy file must begin with \\x93NUMPY, got a JSON file that begins \"{\"a\": 1}, "
        "and more of it\" [npy.f1]");
  CHECK(refused_npy("Not Found\n") ==
        "x.npy: a .npy file must begin with \\x93NUMPY, got a text file that begins \"Not Found\" "
        "[npy.f1]");
}

TEST_CASE("npy.f2: another format version than 1.0, 2.0 and 3.0 is refused", "[io]") {
  std::string file = npy_file(with_descr("'<f4'"), "12345678");
  file[6] = 4;
  CHECK(refused_npy(file) == "x.npy: the format version must be 1.0, 2.0 or 3.0, got 4.0 [npy.f2]");
  file[6] = 0;
  CHECK(refused_npy(file) == "x.npy: the format version must be 1.0, 2.0 or 3.0, got 0.0 [npy.f2]");
  file[6] = 1;
  file[7] = 1;
  CHECK(refused_npy(file) == "x.npy: the format version must be 1.0, 2.0 or 3.0, got 1.1 [npy.f2]");
}

TEST_CASE("npy.f3: a header that is cut anywhere is refused", "[io]") {
  for (const int version : {1, 2, 3}) {
    const std::string text = with_descr("'<f4'");
    const std::string file = npy_file(text, {}, version);
    for (std::size_t size = 6; size < file.size(); ++size) {
      INFO(version << " " << size);
      const std::size_t front = version == 1 ? 10 : 12;
      const std::string got = size < front ? std::to_string(size) + " bytes"
                                           : std::to_string(size - front) + " of " +
                                                 std::to_string(text.size()) + " bytes";
      CHECK(refused_npy(file.substr(0, size)) ==
            "x.npy: the header must be whole, got " + got + " [npy.f3]");
    }
  }
}

TEST_CASE("npy.f3: a header of 1 MiB is read, a longer one is refused", "[io]") {
  constexpr std::size_t most = std::size_t{1} << 20U;
  std::string text = with_descr("'<f4'");
  text.resize(most, ' ');
  CHECK(refused_npy(npy_file(text, "12345678", 2)) == "accepted");
  text += ' ';
  CHECK(refused_npy(npy_file(text, "12345678", 2)) ==
        "x.npy: the header must be at most 1048576 bytes long, got 1048577 [npy.f3]");
}

TEST_CASE("npy.f4: a header that is no dict of the three keys is refused", "[io]") {
  CHECK(refused_header("['<f4', False, (2,)]") ==
        "x.npy: the header must be a dict of descr, fortran_order and shape, got other keys "
        "[npy.f4]");
  CHECK(refused_header("{'descr': '<f4', 'shape': (2,)}") ==
        "x.npy: the header must be a dict of descr, fortran_order and shape, got other keys "
        "[npy.f4]");
  CHECK(refused_header(with_descr("'<f4', 'x': 1")) ==
        "x.npy: the header must be a dict of descr, fortran_order and shape, got other keys "
        "[npy.f4]");
  CHECK(refused_header("{'descr': '<f4', 'fortran_order': 0, 'shape': (2,)}") ==
        "x.npy: fortran_order must be True or False, got something else [npy.f4]");
}

TEST_CASE("npy.f4: what np.save never writes is refused", "[io]") {
  CHECK(refused_header("{} # an array") ==
        "x.npy: the header must be a Python dict as np.save writes it, got more after the value at "
        "character 4 [npy.f4]");
  CHECK(refused_header(with_descr("'\\074f4'")) ==
        "x.npy: the header must be a Python dict as np.save writes it, got an escape in a string "
        "at character 12 [npy.f4]");
  CHECK(refused_header("{'a': 1, 'a': 1}") ==
        "x.npy: the header must be a Python dict as np.save writes it, got the key 'a' twice at "
        "character 13 [npy.f4]");
  CHECK(refused_npy(npy_file("\xff", {}, 3)) ==
        "x.npy: a header of version 3.0 must be UTF-8, got other bytes [npy.f4]");
}

TEST_CASE("npy.f5: a descr that names no dtype of fixed size is refused", "[io]") {
  CHECK(refused_header(with_descr("'|O'")) ==
        "x.npy: descr must name a dtype of fixed size, got '|O' [npy.f5]");
  CHECK(refused_header(with_descr("'|S0'")) ==
        "x.npy: descr must name a dtype of fixed size, got '|S0' [npy.f5]");
  CHECK(refused_header(with_descr("('<f4', (2,))")) ==
        "x.npy: descr must name a dtype of fixed size, got a subarray [npy.f5]");
  CHECK(
      refused_header(with_descr("[(1, '<f4')]")) ==
      "x.npy: descr must name a dtype of fixed size, got a field whose name is no string [npy.f5]");
}

TEST_CASE("npy.f6: a shape that is no tuple of addressable sizes is refused", "[io]") {
  CHECK(refused_header(with_shape("[2]")) ==
        "x.npy: shape must be a tuple of sizes, got something else [npy.f6]");
  CHECK(refused_header(with_shape("(2.0,)")).ends_with("[npy.f4]"));
  CHECK(refused_header(with_shape("(False,)")) ==
        "x.npy: shape must be a tuple of sizes, got something else in it [npy.f6]");
  CHECK(refused_header(with_shape("(3, -1)")) ==
        "x.npy: sizes in shape must not be negative, got -1 [npy.f6]");
  CHECK(refused_header(with_shape("(2305843009213693952,)")) ==
        "x.npy: the array must have at most 2^63 - 1 bytes, got shape [2305843009213693952] "
        "[npy.f6]");
  CHECK(refused_header(with_shape("(2305843009213693951,)")) ==
        "x.npy: data ends after 8 of 9223372036854775804 bytes [npy.f7]");
}

TEST_CASE("npy.f6: 64 axes are read, 65 are refused", "[io]") {
  std::string axes;
  for (int i = 0; i < 64; ++i) axes += i == 0 ? "2, " : "1, ";
  CHECK(refused_header(with_shape("(" + axes + ")")) == "accepted");
  CHECK(refused_header(with_shape("(" + axes + "1)")) ==
        "x.npy: shape must have at most 64 axes, got 65 [npy.f6]");
}

TEST_CASE("npy.f7: data that ends early is refused", "[io]") {
  const std::string header = with_shape("(2, 3)");
  for (std::size_t size = 0; size < 24; ++size) {
    CHECK(refused_npy(npy_file(header, std::string(size, 'x'))) ==
          "x.npy: data ends after " + std::to_string(size) + " of 24 bytes [npy.f7]");
  }
  CHECK(refused_npy(npy_file(header, std::string(24, 'x'))) == "accepted");
}

TEST_CASE("npy.f8: bytes after the data are refused", "[io]") {
  CHECK(refused_npy(npy_file(with_shape("(2, 3)"), std::string(25, 'x'))) ==
        "x.npy: the file must end with the data, got 1 bytes more [npy.f8]");
  CHECK(refused_npy(npy_file(with_shape("(0,)"), "x")) ==
        "x.npy: the file must end with the data, got 1 bytes more [npy.f8]");
}

TEST_CASE("npy.f8: another .npy file may follow, and is counted", "[io]") {
  const std::string one = npy_file(with_shape("(2, 3)"), std::string(24, 'x'));
  const auto after = [](const std::string& file) {
    return bytes_after_npy(header_in(file), SpanSource(bytes_of(file)), "x.npy");
  };
  CHECK(after(one) == 0);
  CHECK(after(one + one + one) == static_cast<std::int64_t>(2 * one.size()));
  CHECK(after(one + "\x93NUMPY") == 6);
  CHECK(refusal([&] { after(one + "\x93NUMP"); }) ==
        "x.npy: the file must end with the data, got 5 bytes more [npy.f8]");
  CHECK(refusal([&] { after(one + " " + one); }).ends_with("[npy.f8]"));
  CHECK(refusal([&] { after(one.substr(1)); }).ends_with("[npy.f1]"));
  CHECK(refusal([&] { after(npy_file(with_shape("(2, 3)"), "x")); }).ends_with("[npy.f7]"));
  CHECK(content(npy_tensor(std::make_shared<SpanSource>(bytes_of(one + one)), "x.npy")) ==
        std::string(24, 'x'));
}

TEST_CASE("a refused .npy file is a format error", "[io]") {
  try {
    header_in("no");
    FAIL("it was accepted");
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::format);
    CHECK(error.label() == "npy.f1");
    CHECK(error.where() == "x.npy");
  }
}

TEST_CASE("the header that is written has NumPy's text, padding and room to grow", "[io]") {
  const ElementType f4 = ElementType::of(DType::float32, std::endian::little);
  const std::string text =
      "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }" + std::string(58, ' ') + "\n";
  CHECK(written_header(f4, {2, 3}) == npy_file(text));
  CHECK(written_header(f4, {}).substr(10, 56) ==
        "{'descr': '<f4', 'fortran_order': False, 'shape': (), } ");
  CHECK(written_header(f4, {7}).substr(10, 58) ==
        "{'descr': '<f4', 'fortran_order': False, 'shape': (7,), } ");
  CHECK(written_header(f4, {2, 3}, MemoryOrder::fortran).substr(10, 58) ==
        "{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3), }");
}

TEST_CASE("a header is as long as the data's alignment wants, and of the lowest version", "[io]") {
  for (std::size_t length = 65300; length < 65500; ++length) {
    const std::string descr = fmt::format("[('{:n<{}}', '|u1')]", "", length);
    const ElementType type{.dtype = DType::opaque, .size = 1, .descr = descr};
    const std::string header = written_header(type, {1});
    const std::size_t front = header[6] == 1 ? 10 : 12;
    CHECK(header.size() % 64 == 0);
    CHECK(header.back() == '\n');
    // The text, NumPy's 20 spaces for the axis to grow, 1 to 64 more, and the line break.
    const std::size_t text = 10 + type.descr.size() + 42 + 20;
    const std::size_t padded = (10 + text + 1) / 64 * 64 + 64;
    CHECK((front == 10) == (padded - 10 <= 65535));
  }
}

TEST_CASE("what a header says is what was written", "[io]") {
  for (const DTypeInfo& row : dtype_table) {
    if (row.dtype == DType::opaque || row.dtype == DType::bfloat16) continue;
    for (const std::endian order : {std::endian::little, std::endian::big}) {
      const ElementType type =
          ElementType::of(row.dtype, row.word == 1 ? std::endian::native : order);
      const TensorHeader header{.type = type, .shape = {3, 2}, .order = MemoryOrder::fortran};
      CHECK(header_in(text_of(npy_header_bytes(header))).tensor == header);
    }
  }
}

}  // namespace tscatter
