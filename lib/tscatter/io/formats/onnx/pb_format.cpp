#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string_view>

#include "tscatter/core/fail.hpp"
#include "tscatter/io/files/sources.hpp"
#include "tscatter/io/formats/format.hpp"
#include "tscatter/io/formats/onnx/pb_message.hpp"
#include "tscatter/io/formats/onnx/pb_tensor.hpp"
#include "tscatter/io/formats/onnx/protobuf.hpp"

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

namespace {

// The fields of a message, by their numbers: the wire type, and how often each stands there.
class MessageFields {
 public:
  // nullopt: it is no message.
  static std::optional<MessageFields> of(const Source& file, ByteRange range) {
    const std::string name;
    try {
      MessageFields all(file);
      ProtobufReader reader(file, range, name);
      while (const auto field = reader.next()) all.note(*field);
      return all;
    } catch (const Error&) {
      return std::nullopt;
    }
  }

  // Whether all fields are of these numbers.
  bool has_only(std::initializer_list<std::uint64_t> numbers) const {
    const auto among = [&](std::uint64_t number) {
      return std::ranges::find(numbers, number) != numbers.end();
    };
    for (std::uint64_t number = 0; number < kinds_.size(); ++number) {
      if (kinds_.at(number).count > 0 && !among(number)) return false;
    }
    return !has_others_;
  }
  std::int64_t count(std::uint64_t number) const { return kinds_.at(number).count; }
  bool has(std::uint64_t number, WireType type) const {
    return count(number) > 0 && kinds_.at(number).last.type == type;
  }
  bool has_or_lacks(std::uint64_t number, WireType type) const {
    return count(number) == 0 || has(number, type);
  }
  std::uint64_t value(std::uint64_t number) const { return kinds_.at(number).last.value; }

  // The last message of that number.
  std::optional<MessageFields> message(std::uint64_t number) const {
    if (!has(number, WireType::bytes)) return std::nullopt;
    return of(file_, kinds_.at(number).last.content);
  }

 private:
  struct Kind {
    std::int64_t count = 0;
    ProtobufField last = {};
  };

  explicit MessageFields(const Source& file) : file_{file} {}

  void note(const ProtobufField& field) {
    has_others_ = has_others_ || field.number >= kinds_.size();
    if (field.number >= kinds_.size()) return;
    Kind& kind = kinds_.at(field.number);
    ++kind.count;
    kind.last = field;
  }

  const Source& file_;
  std::array<Kind, 32> kinds_{};
  bool has_others_ = false;
};

// ModelProto: ir_version or opset_import, and a graph, whose fields are all messages and texts.
bool is_model(const MessageFields& file) {
  const auto graph = file.message(7);
  if (!graph || !file.has_or_lacks(1, WireType::varint) || file.has(2, WireType::varint))
    return false;
  for (std::uint64_t number = 1; number <= 16; ++number) {
    if (!graph->has_or_lacks(number, WireType::bytes)) return false;
  }
  return file.message(8).has_value() || file.count(1) > 0;
}

// GraphDef: nodes with a name and an operation. SavedModel: a version and graphs.
bool is_tensorflow(const MessageFields& file) {
  const auto node = file.message(1);
  const bool has_nodes = node && file.has_only({1, 2, 3, 4}) && node->has(1, WireType::bytes) &&
                         node->has(2, WireType::bytes);
  const bool is_saved_model =
      file.has_only({1, 2}) && file.has(1, WireType::varint) && file.message(2).has_value();
  return has_nodes || is_saved_model;
}

// SparseTensorProto: values and indices, both tensors, and dims.
bool is_sparse(const MessageFields& file) {
  const auto values = file.message(1);
  const auto indices = file.message(2);
  return values && indices && file.has_only({1, 2, 3}) && values->has(2, WireType::varint) &&
         indices->has(2, WireType::varint);
}

std::string described_values(std::int64_t count, std::uint64_t type) {
  constexpr std::array<std::string_view, 6> values{"value",    "tensor", "sparse tensor",
                                                   "sequence", "map",    "optional"};
  const std::string_view value = values.at(type);
  if (count > 1) return fmt::format("a SequenceProto of {} {}s", count, value);
  if (count == 1) return fmt::format("a SequenceProto or OptionalProto of one {}", value);
  return "an empty SequenceProto or OptionalProto, or a TensorProto without its value";
}

// Describes a SequenceProto or OptionalProto: field 1 is a name, field 2 the type of the values,
// and the type decides which field has the values. A TensorProto can look the same: its segment is
// in the field of tensors, but has only the fields 1 and 2. "" if the file is neither.
std::string described_sequence(const MessageFields& file) {
  const std::uint64_t type = file.value(2);
  constexpr std::uint64_t last_type = 5;
  if (!file.has(2, WireType::varint) || type > last_type) return "";
  const std::uint64_t field = 2 + type;
  if (!file.has_only({1, 2, field}) || !file.has_or_lacks(1, WireType::bytes)) return "";
  const std::int64_t count = type == 0 ? 0 : file.count(field);
  if (count == 0) return file.count(1) == 0 ? described_values(0, type) : "";
  const auto value = file.message(field);
  const bool is_value = value && (type != 1 || !value->has_only({1, 2}));
  return is_value ? described_values(count, type) : "";
}

[[noreturn]] void refuse(std::string_view advice, std::string_view kind, const std::string& name) {
  // pb.f3
  fail(ErrorKind::format, "pb.f3", name, "a .pb file must be a TensorProto ({}), got {}", advice,
       kind);
}

}  // namespace

void refuse_other_message(const Source& file, const std::string& name) {
  const auto fields = MessageFields::of(file, {.begin = 0, .end = file.size()});
  if (!fields) return;
  if (const std::string sequence = described_sequence(*fields); !sequence.empty())
    refuse("write each tensor into a file of its own, with onnx.save_tensor", sequence, name);
  if (is_model(*fields))
    refuse("name the file x.onnx: x.onnx:NAME is an initializer of it", "a model", name);
  if (is_sparse(*fields)) refuse("write it as a dense tensor", "a SparseTensorProto", name);
  if (is_tensorflow(*fields))
    refuse("TensorFlow can write its tensors with numpy.save", "a graph of TensorFlow", name);
}

}  // namespace tscatter
