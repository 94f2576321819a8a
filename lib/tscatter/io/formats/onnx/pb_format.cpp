#include <algorithm>
#include <array>
#include <cstddef>

#include "tscatter/io/files/file_source.hpp"
#include "tscatter/io/formats/format_rows.hpp"
#include "tscatter/io/formats/onnx/onnx_types.hpp"
#include "tscatter/io/formats/onnx/pb_output.hpp"
#include "tscatter/io/formats/onnx/pb_tensor.hpp"
#include "tscatter/io/formats/onnx/protobuf_reader.hpp"

namespace tscatter {
namespace {

constexpr std::uint64_t number(TensorField field) { return static_cast<std::uint64_t>(field); }

// Whether it is the tag of a name or of values, which have a length.
bool is_tag_after_type(std::byte tag) {
  constexpr std::array fields{TensorField::name,       TensorField::raw_data,
                              TensorField::float_data, TensorField::int32_data,
                              TensorField::int64_data, TensorField::double_data,
                              TensorField::uint64_data};
  return std::ranges::any_of(fields, [&](TensorField each) {
    return std::to_integer<std::uint64_t>(tag) ==
           (number(each) << 3U | static_cast<std::uint64_t>(WireType::bytes));
  });
}

// dims, one by one, a data_type, then a name or values: what every library writes.
bool begins_as_pb(std::span<const std::byte> first_bytes) {
  const SpanSource source(first_bytes);
  const std::string name;
  ProtobufReader fields(source, {.begin = 0, .end = source.size()}, name);
  try {
    while (const auto field = fields.next()) {
      if (field->type != WireType::varint) return false;
      if (field->number == number(TensorField::data_type)) {
        return onnx_type(static_cast<std::int64_t>(field->value)) != nullptr &&
               !fields.is_at_end() &&
               is_tag_after_type(first_bytes[static_cast<std::size_t>(fields.at())]);
      }
      if (field->number != number(TensorField::dims)) return false;
    }
  } catch (const Error&) {
    return false;
  }
  return false;
}

std::unique_ptr<Output> create_file(const OutputPlace& place) {
  return std::make_unique<PbOutput>(
      [place] { return open_output_file(place); },
      RowMajorElements::Place{
          .name = place.name, .spool_directory = place.spool_directory, .stop = place.stop});
}

MemberName locate_tensor(const MemberName& name, const std::filesystem::path& base) {
  return located_beside(name, base, [](const auto& file, const FormatReading& reading) {
    return external_place(*file, {.begin = 0, .end = file->size()}, reading);
  });
}

// The file, and the file with its external data, if it has any.
std::vector<std::string> files_of_tensor(const std::string& file) {
  const MemberName place = locate_tensor({.format = &pb_format, .archive = file, .member = {}}, {});
  return place.format == &pb_format ? std::vector{file} : std::vector{file, place.archive};
}

}  // namespace

void spool_protobuf(Spool& spool, const File& pipe) { spool.fill_from(pipe, longest_protobuf + 1); }

MemberName located_beside(const MemberName& name, const std::filesystem::path& base,
                          const FindBeside& find) {
  const std::filesystem::path path = base / name.archive;
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return name;
  try {
    const auto file = std::make_shared<FileSource>(File::open_for_reading(path));
    auto place = find(file, {.name = name.archive, .path = path});
    if (!place) return name;
    place->archive = (std::filesystem::path(name.archive).parent_path() / place->archive).native();
    return *std::move(place);
  } catch (const Error&) {
    return name;
  }
}

constinit const Format pb_format{
    .name = "pb",
    .ending = ".pb",
    .kind = "an ONNX tensor",
    .ending_role = EndingRole::decisive,
    .begins_as = begins_as_pb,
    .may_be_other = true,
    .spool = spool_protobuf,
    .open = pb_tensor,
    .locate = locate_tensor,
    .files = files_of_tensor,
    .create = create_file,
    .in_place = InPlace::possible,
    .rules = pb_rules,
    .help =
        "a TensorProto of ONNX, as in the data sets of its node tests. What is written is byte for "
        "byte what onnx.numpy_helper.from_array gives: little-endian, row-major, in raw_data. "
        "External data are read, and changed in place, in the file beside it that has them.",
    .operands = "path.pb",
    .operands_help = "a tensor of ONNX",
};

}  // namespace tscatter
