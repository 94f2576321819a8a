#include "tscatter/io/formats/onnx/onnx_archive.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "tscatter/core/characters.hpp"
#include "tscatter/core/fail.hpp"
#include "tscatter/core/nearest.hpp"
#include "tscatter/io/formats/format.hpp"
#include "tscatter/io/formats/onnx/pb_message.hpp"
#include "tscatter/io/formats/onnx/pb_tensor.hpp"
#include "tscatter/io/formats/onnx/protobuf.hpp"

namespace tscatter {
namespace {

constexpr std::size_t most_initializers = std::size_t{1} << 16U;

constexpr std::array onnx_archive_rule_rows{
    Rule{"pb.f12", "an initializer that is named is in the model's graph"},
    Rule{"pb.f13", "an initializer that is used is dense, and the only one of its name"},
    Rule{"pb.f14", "a model has a graph, with at most 2^20 initializers"},
};

// Source: onnx.proto. ModelProto, GraphProto, SparseTensorProto and TensorProto.
namespace model_fields {
enum : std::uint64_t { graph = 7 };
}
namespace graph_fields {
enum : std::uint64_t { initializer = 5, sparse_initializer = 15 };
}
namespace sparse_fields {
enum : std::uint64_t { values = 1, dims = 3 };
}

template <class Visit>
void for_each_field(const Source& file, ByteRange message, const std::string& name,
                    const Visit& visit) {
  ProtobufReader fields(file, message, name);
  while (const auto field = fields.next()) visit(*field);
}

ByteRange message_in(const ProtobufField& field, std::string_view what, const std::string& name) {
  require_wire_type(field, WireType::bytes, what, name);
  return field.content;
}

}  // namespace

std::span<const Rule> onnx_rules() { return onnx_archive_rule_rows; }

OnnxArchive::OnnxArchive(std::shared_ptr<const Source> file, FormatReading reading)
    : file_{std::move(file)}, reading_{std::move(reading)} {
  require_protobuf_size(file_->size(), reading_.name);
  for_each_field(*file_, {.begin = 0, .end = file_->size()}, reading_.name,
                 [&](const ProtobufField& field) {
                   if (field.number != model_fields::graph) return;
                   note_graph(message_in(field, "graph", reading_.name));
                 });
  // pb.f14
  if (!has_graph_) {
    fail(ErrorKind::format, "pb.f14", reading_.name,
         "the model has no graph (a single tensor is a .pb file)");
  }
}

// Adds the graph's initializers: if a model has several graph fields, protobuf merges them.
void OnnxArchive::note_graph(ByteRange graph) {
  has_graph_ = true;
  for_each_field(*file_, graph, reading_.name, [&](const ProtobufField& field) {
    const bool is_sparse = field.number == graph_fields::sparse_initializer;
    if (field.number != graph_fields::initializer && !is_sparse) return;
    // pb.f14
    if (initializers_.size() == most_initializers) {
      fail(ErrorKind::format, "pb.f14", reading_.name,
           "a graph must have at most {} initializers, got another at byte {}", most_initializers,
           field.at);
    }
    initializers_.push_back(
        {.message = message_in(field, "an initializer", reading_.name), .is_sparse = is_sparse});
  });
}

// A sparse one has the name of its values.
std::string OnnxArchive::name_of(const Initializer& initializer) const {
  std::string name;
  const auto note_tensor = [&](ByteRange tensor) {
    for_each_field(*file_, tensor, reading_.name, [&](const ProtobufField& field) {
      if (field.number == static_cast<std::uint64_t>(TensorField::name))
        name = text_of_field(*file_, field, "an initializer's name", reading_.name);
    });
  };
  if (!initializer.is_sparse) note_tensor(initializer.message);
  if (initializer.is_sparse) {
    for_each_field(*file_, initializer.message, reading_.name, [&](const ProtobufField& field) {
      if (field.number == sparse_fields::values)
        note_tensor(message_in(field, "values", reading_.name));
    });
  }
  // pb.f2
  if (!is_utf8(name)) {
    fail(ErrorKind::format, "pb.f2", reading_.name,
         "an initializer's name must be UTF-8, got other bytes in the message at byte {}",
         initializer.message.begin);
  }
  return name;
}

const OnnxArchive::Initializer& OnnxArchive::named(std::string_view name) const {
  const Initializer* found = nullptr;
  for (const Initializer& each : initializers_) {
    if (name.empty() || name_of(each) != name) continue;
    // pb.f13
    if (found != nullptr) {
      fail(ErrorKind::format, "pb.f13", fmt::format("{}:{}", reading_.name, name),
           "an initializer that is used must be the only one of its name, got another at byte {}",
           each.message.begin);
    }
    found = &each;
  }
  if (found == nullptr) refuse_name(name);
  return *found;
}

void OnnxArchive::refuse_name(std::string_view name) const {
  constexpr std::size_t most_known = 10'000;  // that are looked through for the nearest
  std::vector<std::string> known;
  for (const Initializer& each : initializers_) {
    std::string own = name_of(each);
    if (!own.empty() && known.size() < most_known) known.push_back(std::move(own));
  }
  // pb.f12
  fail(ErrorKind::file, "pb.f12", reading_.name, "an initializer must be one of {}, got {}",
       names_and_nearest(name, known), name.empty() ? "an empty name" : name);
}

FormatReading OnnxArchive::reading_of(const Initializer& initializer) const {
  FormatReading reading = reading_;
  reading.name = fmt::format("{}:{}", reading_.name, name_of(initializer));
  // pb.f13
  if (initializer.is_sparse) {
    fail(ErrorKind::format, "pb.f13", reading.name,
         "an initializer that is used must be dense, got a SparseTensorProto at byte {}",
         initializer.message.begin);
  }
  return reading;
}

// Its dtype and shape, if its elements cannot be used; what is wrong with it says tensor_at().
void OnnxArchive::describe(const Initializer& initializer, ArchiveMember& member) const {
  TensorMessage values;
  Shape shape;
  if (initializer.is_sparse) {
    for_each_field(*file_, initializer.message, reading_.name, [&](const ProtobufField& field) {
      if (field.number == sparse_fields::values)
        values = tensor_message(*file_, message_in(field, "values", reading_.name), reading_.name);
      if (field.number == sparse_fields::dims) add_dims(*file_, field, shape, reading_.name);
    });
  } else {
    values = tensor_message(*file_, initializer.message, reading_.name);
    shape = std::move(values.dims);
  }
  member.size = member.packed_size = values.raw ? values.raw->size() : values.value_bytes;
  const OnnxType* const type = onnx_type(values.data_type.value_or(0));
  if (type == nullptr || (type->dtype && !initializer.is_sparse)) return;
  member.dtype = fmt::format("{}{}", initializer.is_sparse ? "sparse " : "", type->name);
  member.shape = std::move(shape);
}

std::vector<ArchiveMember> OnnxArchive::members() const {
  std::vector<ArchiveMember> all;
  all.reserve(initializers_.size());
  for (const Initializer& each : initializers_) {
    const std::string name = name_of(each);
    ArchiveMember& member =
        all.emplace_back(ArchiveMember{.name = name, .file_name = name, .compression = {}});
    try {
      describe(each, member);
    } catch (const Error&) {
      continue;
    }
  }
  return all;
}

Tensor OnnxArchive::tensor_of(const Initializer& initializer) const {
  return tensor_of_message(file_, initializer.message, reading_of(initializer));
}

std::optional<MemberName> OnnxArchive::place_of(const Initializer& initializer) const {
  return external_place(*file_, initializer.message, reading_of(initializer));
}

std::optional<std::string> OnnxArchive::location_at(std::size_t index) const {
  try {
    const auto place = place_of(initializers_.at(index));
    return place ? std::optional(place->archive) : std::nullopt;
  } catch (const Error&) {
    return std::nullopt;
  }
}

namespace {

namespace fs = std::filesystem;

std::unique_ptr<Archive> open_model(std::shared_ptr<const Source> file,
                                    const FormatReading& reading) {
  return std::make_unique<OnnxArchive>(std::move(file), reading);
}

MemberName locate_initializer(const MemberName& name, const fs::path& base) {
  return located_beside(name, base, [&](const auto& file, const FormatReading& reading) {
    return OnnxArchive(file, reading).place(name.member);
  });
}

// The model, and the files of its external data. What cannot be opened has none.
std::vector<std::string> files_of_model(const std::string& model) {
  std::set<std::string> all{model};
  const MemberName name{.format = &onnx_format, .archive = model, .member = {}};
  located_beside(name, {}, [&](const auto& file, const FormatReading& reading) {
    const OnnxArchive archive(file, reading);
    for (std::size_t i = 0; i < archive.size(); ++i) {
      if (const auto location = archive.location_at(i))
        all.insert((fs::path(model).parent_path() / *location).native());
    }
    return std::optional<MemberName>();
  });
  return {all.begin(), all.end()};
}

}  // namespace

bool begins_as_onnx(std::span<const std::byte> first_bytes) {
  constexpr std::array next{std::byte{0x12}, std::byte{0x1a}, std::byte{0x22}, std::byte{0x3a},
                            std::byte{0x42}};
  constexpr auto highest_version = std::byte{31};
  return first_bytes.size() >= 3 && first_bytes[0] == std::byte{0x08} &&
         first_bytes[1] <= highest_version && std::ranges::find(next, first_bytes[2]) != next.end();
}

constinit const Format onnx_format{
    .name = "onnx",
    .ending = ".onnx",
    .kind = "an ONNX model",
    .ending_role = EndingRole::decisive,
    .begins_as = begins_as_onnx,
    .may_be_other = true,
    .spool = spool_protobuf,
    .open_archive = open_model,
    .no_member = "pb.f12",
    .locate = locate_initializer,
    .files = files_of_model,
    .in_place = InPlace::possible,
    .rules = onnx_rules,
    .help =
        "a model of ONNX: x.onnx:name is an initializer of its graph, also one with external data. "
        "With --in-place only what is touched is written; the model itself is not written anew. "
        "tscatter show x.onnx lists the initializers.",
    .operands_help = "an initializer of a model",
};

}  // namespace tscatter
