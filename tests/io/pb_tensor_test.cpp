// Tensors of ONNX: what is refused, with which words, and how results of other byte orders and
// memory orders are written.
#include "tscatter/io/formats/onnx/pb_tensor.hpp"

#include <array>
#include <memory>
#include <string>

#include "catch.hpp"
#include "io/files.hpp"
#include "io/pb_bytes.hpp"
#include "tscatter/io/files/sources.hpp"
#include "tscatter/io/formats/format.hpp"
#include "tscatter/io/formats/onnx/pb_message.hpp"

namespace tscatter {
namespace {

using namespace std::string_literals;

Tensor read_pb(const std::string& bytes) {
  const auto given = bytes_of(bytes);
  return pb_tensor(owned_source(std::vector<std::byte>(given.begin(), given.end())),
                   {.name = "x.pb"});
}

const std::string dims_2 = pb_integer(1, 2);
const std::string f32 = pb_integer(2, 1);
const std::string i8 = pb_integer(2, 3);
const std::string ten(10, '\xff');
const std::string whole = dims_2 + f32 + pb_text(9, "abcdefgh");
const std::string an_empty_one =
    "an empty SequenceProto or OptionalProto, or a TensorProto without its value";
const std::string of_its_own =
    "a .pb file must be a TensorProto (write each tensor into a file of its own, with "
    "onnx.save_tensor), got ";

struct HostilePb {
  std::string_view label;
  std::string bytes;
  std::string message;
};

const std::array hostile{
    HostilePb{"pb.f1", "\x08"s,
              "a field must end within its message, got the message's end at byte 1"},
    HostilePb{"pb.f1", "\x08\x80"s,
              "a field must end within its message, got the message's end at byte 2"},
    HostilePb{"pb.f1", "\x08" + ten + "\x01",
              "a varint must have at most 10 bytes and fit 64 bits, got a longer one at byte 1"},
    HostilePb{"pb.f1", "\x08" + ten.substr(1) + "\x02",
              "a varint must have at most 10 bytes and fit 64 bits, got a longer one at byte 1"},
    HostilePb{"pb.f1", dims_2 + "\x0b"s,
              "a field must have wire type 0, 1, 2 or 5, got 3, a group, at byte 2"},
    HostilePb{"pb.f1", "\x0c"s,
              "a field must have wire type 0, 1, 2 or 5, got 4, a group, at byte 0"},
    HostilePb{"pb.f1", "\x0e"s, "a field must have wire type 0, 1, 2 or 5, got 6 at byte 0"},
    HostilePb{"pb.f1", "\x0f"s, "a field must have wire type 0, 1, 2 or 5, got 7 at byte 0"},
    HostilePb{"pb.f1", "\0\0"s, "the number of a field must be in [1, 536870911], got 0 at byte 0"},
    HostilePb{"pb.f1", pb_integer(536870912, 0),
              "the number of a field must be in [1, 536870911], got 536870912 at byte 0"},
    HostilePb{"pb.f1",
              "\x4a\x05"
              "abcd"s,
              "a field must end within its message, which has 4 bytes left, got 5 bytes for the "
              "field at byte 0"},
    HostilePb{"pb.f1", "\x4a" + ten.substr(1) + "\x01",
              "a field must end within its message, which has 0 bytes left, got "
              "18446744073709551615 bytes for the field at byte 0"},
    HostilePb{"pb.f1", "\x4a" + pb_varint(std::uint64_t{1} << 63) + "ab",
              "a field must end within its message, which has 2 bytes left, got "
              "9223372036854775808 bytes for the field at byte 0"},
    HostilePb{"pb.f1",
              "\x25"
              "abc"s,
              "a field must end within its message, which has 3 bytes left, got 4 bytes for the "
              "field at byte 0"},
    HostilePb{"pb.f1",
              "\x51"
              "abc"s,
              "a field must end within its message, which has 3 bytes left, got 8 bytes for the "
              "field at byte 0"},
    HostilePb{"pb.f1", pb_text(1, "\x02\x80"),
              "a field must end within its message, got the message's end at byte 4"},
    HostilePb{"pb.f1",
              pb_text(13,
                      "\x0a\x05"
                      "ab"),
              "a field must end within its message, which has 2 bytes left, got 5 bytes for the "
              "field at byte 2"},
    HostilePb{"pb.f1", i8 + pb_text(5, "\x80"),
              "a field must end within its message, got the message's end at byte 5"},
    HostilePb{"pb.f2",
              "\x0d"
              "abcd"s,
              "dims must be bytes with a length, got 4 bytes at byte 0"},
    HostilePb{"pb.f2", pb_integer(13, 1),
              "external_data must be bytes with a length, got a varint at byte 0"},
    HostilePb{"pb.f2", pb_text(13, pb_text(2, std::string(1025, 'x'))),
              "a value must be at most 1024 bytes long, got 1025 at byte 3"},
    HostilePb{"pb.f2", pb_text(2, "a"),
              "data_type must be a varint, got bytes with a length at byte 0"},
    HostilePb{"pb.f2", dims_2 + pb_integer(9, 1),
              "raw_data must be bytes with a length, got a varint at byte 2"},
    HostilePb{"pb.f2", pb_integer(4, 1), "float_data must be 4 bytes, got a varint at byte 0"},
    HostilePb{"pb.f2",
              "\x55"
              "abcd"s,
              "double_data must be 8 bytes, got 4 bytes at byte 0"},
    HostilePb{"pb.f2",
              "\x2d"
              "abcd"s,
              "int32_data must be a varint, got 4 bytes at byte 0"},
    HostilePb{"pb.f2", pb_text(4, "abcde"),
              "float_data must be values of 4 bytes, got 5 bytes at byte 0"},
    HostilePb{"pb.f2", pb_text(10, "abcd"),
              "double_data must be values of 8 bytes, got 4 bytes at byte 0"},
    HostilePb{"pb.f2",
              "\x75"
              "abcd"s,
              "data_location must be a varint, got 4 bytes at byte 0"},
    HostilePb{"pb.f3", "",
              "the tensor has no data_type (models, sequences and optionals are other messages)"},
    HostilePb{"pb.f3", pb_text(8, "x") + dims_2,
              "the tensor has no data_type (models, sequences and optionals are other messages)"},
    HostilePb{"pb.f3", pb_integer(2, 1) + pb_text(3, whole) + pb_text(3, whole),
              of_its_own + "a SequenceProto of 2 tensors"},
    HostilePb{"pb.f3", pb_text(1, "name") + pb_integer(2, 1) + pb_text(3, whole),
              of_its_own + "a SequenceProto or OptionalProto of one tensor"},
    HostilePb{"pb.f3", pb_integer(2, 1), of_its_own + an_empty_one},
    HostilePb{"pb.f3", pb_integer(2, 0), of_its_own + an_empty_one},
    HostilePb{"pb.f3", pb_integer(2, 3) + pb_text(5, pb_integer(2, 1) + pb_text(3, whole)),
              of_its_own + "a SequenceProto or OptionalProto of one sequence"},
    HostilePb{"pb.f3",
              pb_integer(1, 10) + pb_text(7, pb_text(2, "g")) + pb_text(8, pb_integer(2, 18)),
              "a .pb file must be a TensorProto (name the file x.onnx: x.onnx:NAME is an "
              "initializer of it), got a model"},
    HostilePb{
        "pb.f3", pb_text(1, whole) + pb_text(2, whole) + pb_integer(3, 9),
        "a .pb file must be a TensorProto (write it as a dense tensor), got a SparseTensorProto"},
    HostilePb{"pb.f3", pb_text(1, pb_text(1, "x") + pb_text(2, "Const")) + pb_text(4, ""),
              "a .pb file must be a TensorProto (TensorFlow can write its tensors with "
              "numpy.save), got a graph of TensorFlow"},
    HostilePb{"pb.f3", dims_2 + pb_integer(2, 0),
              "the data_type must be one of ONNX, from 1 to 28, got 0"},
    HostilePb{"pb.f3", pb_integer(2, 29),
              "the data_type must be one of ONNX, from 1 to 28, got 29"},
    HostilePb{"pb.f3", pb_integer(2, -1),
              "the data_type must be one of ONNX, from 1 to 28, got -1"},
    HostilePb{"pb.f3", dims_2 + pb_integer(2, 8) + pb_text(6, "a") + pb_text(6, "b"),
              "the data_type must be of numbers of at least 8 bits (onnx.numpy_helper.to_array "
              "converts others), got STRING"},
    HostilePb{"pb.f3", dims_2 + pb_integer(2, 22) + pb_text(9, "a"),
              "the data_type must be of numbers of at least 8 bits (onnx.numpy_helper.to_array "
              "converts others), got INT4"},
    HostilePb{"pb.f4", dims_2 + pb_integer(1, -1) + f32, "a dim must be >= 0, got -1 at byte 2"},
    HostilePb{"pb.f4", pb_text(1, "\x02" + ten.substr(1) + "\x01") + f32,
              "a dim must be >= 0, got -1 at byte 3"},
    HostilePb{"pb.f4", pb_text(1, std::string(65, '\x01')),
              "a tensor must have at most 64 dims, got another at byte 66"},
    HostilePb{"pb.f4",
              pb_integer(1, std::int64_t{1} << 32) + pb_integer(1, std::int64_t{1} << 32) + f32,
              "the dims must be of at most 2^63 - 1 elements and bytes, got [4294967296, "
              "4294967296] of FLOAT"},
    HostilePb{"pb.f4",
              pb_integer(1, std::int64_t{1} << 62) + pb_integer(1, 0) + f32 + pb_text(9, ""),
              "the dims must be of at most 2^63 - 1 elements and bytes, got [4611686018427387904, "
              "0] of FLOAT"},
    HostilePb{"pb.f5", dims_2 + pb_text(3, pb_integer(1, 0)) + f32,
              "a tensor must be whole (join its segments), got a segment at byte 2"},
    HostilePb{"pb.f5", f32 + pb_text(3, pb_integer(1, 0) + pb_integer(2, 1)),
              "a tensor must be whole (join its segments), got a segment at byte 2"},
    HostilePb{"pb.f6", dims_2 + f32 + pb_text(9, "abcdefgh") + pb_integer(14, 1),
              "the values must be in one place, got raw_data beside external data"},
    HostilePb{"pb.f6", dims_2 + f32 + pb_text(4, "abcd") + pb_integer(14, 1),
              "the values must be in one place, got float_data beside external data"},
    HostilePb{
        "pb.f6", dims_2 + f32 + pb_text(9, "abcdefgh") + pb_text(4, "abcdefgh"),
        "the values of FLOAT must be in raw_data or float_data, got float_data beside raw_data"},
    HostilePb{"pb.f6", dims_2 + f32 + pb_text(5, "ab"),
              "the values of FLOAT must be in raw_data or float_data, got int32_data"},
    HostilePb{"pb.f6", dims_2 + f32 + pb_text(5, "ab") + pb_text(7, "ab"),
              "the values must be in one field, got int64_data beside int32_data at byte 8"},
    HostilePb{"pb.f7", dims_2 + f32 + pb_text(9, "abcdefg"),
              "a tensor of dims [2] and FLOAT must have 8 bytes in raw_data, got 7"},
    HostilePb{"pb.f7", dims_2 + f32 + pb_text(9, "abcdefghi"),
              "a tensor of dims [2] and FLOAT must have 8 bytes in raw_data, got 9"},
    HostilePb{"pb.f7", dims_2 + f32,
              "a tensor of dims [2] and FLOAT must have 2 values in float_data, got 0"},
    HostilePb{"pb.f7", dims_2 + f32 + pb_text(4, "abcd"),
              "a tensor of dims [2] and FLOAT must have 2 values in float_data, got 1"},
    HostilePb{"pb.f7", dims_2 + i8 + pb_text(5, "abc"),
              "a tensor of dims [2] and INT8 must have 2 values in int32_data, got 3"},
    HostilePb{"pb.f7", dims_2 + pb_integer(2, 14) + pb_text(4, "abcdabcd"),
              "a tensor of dims [2] and COMPLEX64 must have 4 values in float_data, got 2"},
    HostilePb{"pb.f7", pb_integer(1, std::int64_t{1} << 60) + f32 + pb_text(9, "abcd"),
              "a tensor of dims [1152921504606846976] and FLOAT must have 4611686018427387904 "
              "bytes in raw_data, got 4"},
    HostilePb{"pb.f7", pb_integer(1, 0) + f32 + pb_text(9, "a"),
              "a tensor of dims [0] and FLOAT must have 0 bytes in raw_data, got 1"},
    HostilePb{"pb.f8", dims_2 + i8 + pb_text(5, "\x05\x80\x01"),
              "a value in int32_data must fit INT8, got 128 at byte 7"},
    HostilePb{"pb.f8", dims_2 + i8 + pb_integer(5, 5) + pb_integer(5, -129),
              "a value in int32_data must fit INT8, got -129 at byte 6"},
    HostilePb{"pb.f8", dims_2 + pb_integer(2, 4) + pb_text(5, "\x05\x80\x80\x04"),
              "a value in int32_data must fit UINT16, got 65536 at byte 7"},
    HostilePb{"pb.f8", dims_2 + pb_integer(2, 9) + pb_text(5, "\x01\x02"),
              "a value in int32_data must fit BOOL, got 2 at byte 7"},
    HostilePb{"pb.f8", dims_2 + pb_integer(2, 10) + pb_integer(5, 0) + pb_integer(5, -1),
              "a value in int32_data must fit FLOAT16, got -1 at byte 6"},
    HostilePb{"pb.f8", dims_2 + pb_integer(2, 17) + pb_text(5, "\x05\x80\x02"),
              "a value in int32_data must fit FLOAT8E4M3FN, got 256 at byte 7"},
    HostilePb{"pb.f8", dims_2 + pb_integer(2, 12) + pb_integer(11, 0) + pb_integer(11, -1),
              "a value in uint64_data must fit UINT32, got 18446744073709551615 at byte 6"},
};

// Each hostile file of the label, with its message.
void check_refused(std::string_view label) {
  std::size_t files = 0;
  for (const HostilePb& each : hostile) {
    if (each.label != label) continue;
    CAPTURE(each.message);
    CHECK(refusal([&] { read_pb(each.bytes); }) ==
          "x.pb: " + each.message + " [" + std::string(label) + "]");
    ++files;
  }
  CHECK(files > 1);
}

TensorHeader pb_header(DType dtype, Shape shape, MemoryOrder order = MemoryOrder::c,
                       std::endian byte_order = std::endian::little) {
  return {.type = ElementType::of(dtype, byte_order), .shape = std::move(shape), .order = order};
}

std::string written_pb(const TensorHeader& of, std::string_view elements) {
  const TemporaryDirectory to;
  const auto output = pb_format.create({.path = to / "x.pb", .name = "x.pb"});
  output->begin(of, SpanSource(bytes_of(elements))).write(0, bytes_of(elements));
  output->commit();
  CHECK(to.names() == std::vector<std::string>{"x.pb"});
  return read_file(to / "x.pb");
}

}  // namespace

TEST_CASE("pb.f1: what is not made of whole fields is refused", "[io]") { check_refused("pb.f1"); }

TEST_CASE("pb.f2: a known field of another wire type is refused", "[io]") {
  check_refused("pb.f2");
}

TEST_CASE("pb.f3: other messages, and a tensor without a data_type that is read, are refused",
          "[io]") {
  check_refused("pb.f3");
}

TEST_CASE("pb.f4: negative, too many and too large dims are refused", "[io]") {
  check_refused("pb.f4");
}

TEST_CASE("pb.f5: segments are refused", "[io]") { check_refused("pb.f5"); }

TEST_CASE("pb.f6: values in a second place or in the field of another type are refused", "[io]") {
  check_refused("pb.f6");
}

TEST_CASE("pb.f7: more or fewer values than dims say are refused", "[io]") {
  check_refused("pb.f7");
}

TEST_CASE("pb.f8: a value that does not fit the data_type is refused", "[io]") {
  check_refused("pb.f8");
}

TEST_CASE("a .pb file that is cut anywhere is refused", "[io]") {
  const std::string named = dims_2 + f32 + pb_text(8, "name") + pb_text(9, "abcdefgh");
  CHECK(content(read_pb(named)) == "abcdefgh");
  for (std::size_t size = 0; size < named.size(); ++size)
    CHECK_THAT(refusal([&] { read_pb(named.substr(0, size)); }), contains("[pb.f"));
}

TEST_CASE("pb.f9: an ONNX file has at most 2^31 - 1 bytes", "[io]") {
  // A source that has no bytes, and must not be asked for any.
  class Long final : public Source {
   public:
    std::int64_t size() const override { return std::int64_t{1} << 31; }
    void read(std::int64_t, std::span<std::byte>) const override { FAIL("read"); }
  };
  CHECK(refusal([] { pb_tensor(std::make_shared<Long>(), {.name = "x.pb"}); }) ==
        "x.pb: an ONNX file must have at most 2147483647 bytes, got 2147483648 [pb.f9]");
  const auto write = [](std::int64_t count) {
    PbOutput output([]() -> std::unique_ptr<OutputFile> { throw Cancelled(); }, {.name = "x.pb"});
    output.begin(pb_header(DType::int8, {count}), SpanSource({}));
  };
  CHECK(refusal([&] { write(2147483648); }) ==
        "x.pb: an ONNX file must have at most 2147483647 bytes (write .npy), got 2147483648 bytes "
        "of elements [pb.f9]");
  CHECK_THROWS_AS(write(2147483000), Cancelled);
}

TEST_CASE("pb.f10: a tensor of a dtype that ONNX does not have is not written as ONNX", "[io]") {
  const auto refused = [](std::string descr) {
    const ElementType type{.dtype = DType::opaque, .size = 1, .descr = std::move(descr)};
    return refusal([&] { written_pb({.type = type, .shape = {1}}, "a"); });
  };
  CHECK(refused("'|V1'") ==
        "x.pb: a tensor that is written as ONNX must be of one of its dtypes (write .npy), got |V1 "
        "[pb.f10]");
  CHECK(refused("'float8_e3m4'").ends_with("(write .npy), got float8_e3m4 [pb.f10]"));
}

TEST_CASE("what is written as ONNX is row-major and little-endian", "[io]") {
  const std::string front = pb_integer(1, 2) + pb_integer(1, 3);
  const std::string i16 = front + pb_integer(2, 5);
  CHECK(written_pb(pb_header(DType::int8, {2, 3}), "abcdef") == front + i8 + pb_text(9, "abcdef"));
  CHECK(written_pb(pb_header(DType::int8, {2, 3}, MemoryOrder::fortran), "adbecf") ==
        front + i8 + pb_text(9, "abcdef"));
  CHECK(written_pb(pb_header(DType::int16, {2, 3}, MemoryOrder::c, std::endian::big),
                   "aAbBcCdDeEfF") == i16 + pb_text(9, "AaBbCcDdEeFf"));
  CHECK(written_pb(pb_header(DType::int16, {2, 3}, MemoryOrder::fortran, std::endian::big),
                   "aAdDbBeEcCfF") == i16 + pb_text(9, "AaBbCcDdEeFf"));
  CHECK(written_pb(pb_header(DType::float64, {}), "12345678") ==
        pb_integer(2, 11) + pb_text(9, "12345678"));
  CHECK(written_pb(pb_header(DType::float32, {0, 2}, MemoryOrder::fortran), "") ==
        pb_integer(1, 0) + pb_integer(1, 2) + f32 + pb_text(9, ""));
}

TEST_CASE("every numeric dtype comes back from a .pb file", "[io]") {
  for (const DTypeInfo& dtype : dtype_table) {
    if (dtype.dtype == DType::opaque) continue;
    CAPTURE(dtype.name);
    const std::string elements(3 * dtype.size, '\1');
    const Tensor tensor = read_pb(written_pb(pb_header(dtype.dtype, {3}), elements));
    CHECK(tensor.header() == pb_header(dtype.dtype, {3}));
    CHECK(content(tensor) == elements);
  }
}

TEST_CASE("a .pb file is known by its ending, a pipe of that name by its first bytes, too",
          "[io]") {
  const std::string file = dims_2 + f32 + pb_text(9, "abcdefgh");
  const auto opened = [](const std::string& bytes, std::string_view name) {
    return format_of(SpanSource(bytes_of(bytes)), name).name;
  };
  CHECK(opened(file, "x.pb") == "pb");
  CHECK(opened(file, "x.PB") == "pb");
  CHECK(opened("[1]", "x.pb") == "pb");
  CHECK(opened("", "x.pb") == "pb");
  CHECK(opened(file, "x") == "npy");
  CHECK(opened("\x93NUMPY", "x.pb") == "npy");
  CHECK(pb_format.begins_as(bytes_of(file)));
  CHECK(pb_format.begins_as(bytes_of(f32 + pb_text(9, "abcd"))));
  for (const std::string& other :
       {dims_2, f32, dims_2 + pb_integer(2, 29) + "\x4a", f32 + "\x50", pb_text(1, "ab"),
        pb_integer(1, 8) + pb_text(2, "producer"), ""s}) {
    CHECK(!pb_format.begins_as(bytes_of(other)));
  }
}

TEST_CASE("the types of ONNX have numbers from 1 on, and each numeric dtype has one", "[io]") {
  std::int64_t number = 0;
  for (const OnnxType& type : onnx_types()) {
    CHECK(type.number == ++number);
    CHECK(onnx_type(number) == &type);
  }
  for (const DTypeInfo& dtype : dtype_table) {
    if (dtype.dtype != DType::opaque)
      CHECK(onnx_type_of(ElementType::of(dtype.dtype, std::endian::big)) != nullptr);
  }
  CHECK(onnx_type_of({.dtype = DType::opaque, .size = 1, .descr = "'|V1'"}) == nullptr);
}

TEST_CASE("float8 of ONNX has a name, and is written as it was read", "[io]") {
  int types = 0;
  for (const OnnxType& type : onnx_types()) {
    if (type.dtype != DType::opaque) continue;
    const std::string file = dims_2 + pb_integer(2, type.number) + pb_text(9, "ab");
    const Tensor tensor = read_pb(file);
    CHECK(to_string(tensor.type()) == type.float8);
    CHECK(written_pb(tensor.header(), "ab") == file);
    CHECK(content(read_pb(dims_2 + pb_integer(2, type.number) + pb_text(5, "ab"))) == "ab");
    ++types;
  }
  CHECK(types == 5);
}

}  // namespace tscatter
