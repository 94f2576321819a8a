#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <set>
#include <span>
#include <utility>

#include "tscatter/core/byte_order.hpp"
#include "tscatter/core/characters.hpp"
#include "tscatter/core/checked.hpp"
#include "tscatter/core/fail.hpp"
#include "tscatter/io/files/sources.hpp"
#include "tscatter/io/formats/safetensors/safetensors.hpp"
#include "tscatter/io/formats/safetensors/safetensors_header.hpp"
#include "tscatter/io/formats/text/json_cursor.hpp"

namespace tscatter {
namespace {

constexpr std::int64_t most_bytes = std::int64_t{1} << 62U;  // of all tensors

void require_name(const std::string& name, const std::string& where) {
  // st.f11
  if (name.empty() || name.size() > longest_safetensors_name) {
    fail(ErrorKind::usage, "st.f11", where,
         "the name of a tensor that is written must be 1 to {} bytes long, got {}",
         longest_safetensors_name, name.size());
  }
  // st.f11
  if (!is_utf8(name) || name == safetensors_metadata_key) {
    fail(ErrorKind::usage, "st.f11", where,
         "the name of a tensor that is written must be UTF-8 and not {}, got {}",
         safetensors_metadata_key, name);
  }
}

// Keeps the order of the keys. The reference implementation's order varies from run to run.
std::string metadata_text(const SafetensorsMetadata& metadata) {
  std::vector<std::string> members;
  for (const auto& [key, value] : metadata)
    members.push_back(fmt::format("{}:{}", json_string(key), json_string(value)));
  return fmt::format(R"("{}":{{{}}})", safetensors_metadata_key, fmt::join(members, ","));
}

void pad(std::string& header) {
  constexpr std::size_t alignment = 8;
  header.append((alignment - header.size() % alignment) % alignment, ' ');
}

std::string front_of(const std::string& header) {
  std::array<std::byte, sizeof(std::uint64_t)> length{};
  store_little_endian(header.size(), length.data());
  return std::string(reinterpret_cast<const char*>(length.data()), length.size()) + header;
}

// nullopt: nothing is written about the file.
std::optional<SafetensorsMetadata> metadata_of(const Archive& tensors) {
  std::optional<SafetensorsMetadata> metadata = tensors.metadata();
  return metadata && metadata->empty() ? std::nullopt : metadata;
}

// The place of a part in the file.
class PartSink final : public Sink {
 public:
  PartSink(OutputFile& file, std::int64_t base) : file_{file}, base_{base} {}

  void write(std::int64_t offset, std::span<const std::byte> bytes) override {
    file_.write(base_ + offset, bytes);
  }
  std::int64_t page_offset() const override { return base_; }

 private:
  OutputFile& file_;
  std::int64_t base_;
};

}  // namespace

SafetensorsLayout safetensors_layout(std::vector<SafetensorsPart> parts,
                                     const std::optional<SafetensorsMetadata>& metadata,
                                     const std::string& name) {
  std::ranges::sort(parts, [](const SafetensorsPart& one, const SafetensorsPart& other) {
    const int rank = safetensors_rank(one.dtype);
    const int other_rank = safetensors_rank(other.dtype);
    return rank != other_rank ? rank > other_rank : one.name < other.name;
  });
  std::vector<std::string> members;
  if (metadata) members.push_back(metadata_text(*metadata));
  std::optional<std::int64_t> end = 0;
  for (SafetensorsPart& part : parts) {
    part.begin = *end;
    end = checked_add(*end, part.size);
    // st.f12
    if (!end || *end > most_bytes) {
      fail(ErrorKind::usage, "st.f12", name, "the tensors must have at most {} bytes, got more",
           most_bytes);
    }
    members.push_back(fmt::format(R"({}:{{"dtype":{},"shape":[{}],"data_offsets":[{},{}]}})",
                                  json_string(part.name), json_string(part.dtype),
                                  fmt::join(part.shape, ","), part.begin, *end));
  }
  std::string header = fmt::format("{{{}}}", fmt::join(members, ","));
  pad(header);
  // st.f12
  if (std::cmp_greater(header.size(), longest_safetensors_header)) {
    fail(ErrorKind::usage, "st.f12", name, "the header must have at most {} bytes, got {}",
         longest_safetensors_header, header.size());
  }
  SafetensorsLayout layout{.front = front_of(header), .parts = std::move(parts)};
  const auto front_size = static_cast<std::int64_t>(layout.front.size());
  for (SafetensorsPart& part : layout.parts) part.begin += front_size;
  layout.size = front_size + *end;
  return layout;
}

SafetensorsPart safetensors_part(const TensorHeader& header, std::string name,
                                 const std::string& where) {
  require_name(name, where);
  const SafetensorsType* const type = safetensors_type_of(header.type);
  // st.f10
  if (type == nullptr) {
    fail(
        ErrorKind::usage, "st.f10", where,
        "a tensor that is written as safetensors must be of one of its dtypes (write .npy), got {}",
        to_string(header.type));
  }
  return {.name = std::move(name),
          .dtype = std::string(type->name),
          .shape = header.shape,
          .size = header.byte_size()};
}

namespace {

// Also takes a tensor whose elements cannot be used: its bytes are kept.
SafetensorsPart part_of(const Archive& tensors, std::size_t index, const std::string& name,
                        const std::string& where) {
  const std::optional<ListedTensor> listed = tensors.listed_at(index);
  if (!listed) return safetensors_part(tensors.tensor_at(index).header(), name, where);
  require_name(name, where);
  return {.name = name,
          .dtype = listed->dtype,
          .shape = listed->shape,
          .size = listed->bytes.byte_size(),
          .bytes = listed->bytes.shared_source()};
}

void copy_bytes(const SafetensorsPart& part, OutputFile& file, StopFlag stop) {
  read_pieces(*part.bytes, stop, [&](std::int64_t at, std::span<const std::byte> bytes) {
    file.write(part.begin + at, bytes);
  });
}

void require_different_names(const std::vector<SafetensorsPart>& parts, const std::string& where) {
  std::set<std::string_view> names;
  for (const SafetensorsPart& part : parts) {
    // st.f11
    if (!names.insert(part.name).second) {
      fail(ErrorKind::usage, "st.f11", where, "two tensors that are written have the name {}",
           part.name);
    }
  }
}

}  // namespace

void write_safetensors(const OutputPlace& place, const Archive& tensors) {
  const std::vector<ArchiveMember> members = tensors.members();
  std::vector<SafetensorsPart> parts;
  for (std::size_t i = 0; i < members.size(); ++i) {
    const std::string where = fmt::format("{}:{}", place.name, members[i].name);
    parts.push_back(part_of(tensors, i, members[i].name, where));
    parts.back().index = i;
  }
  require_different_names(parts, place.name);
  const SafetensorsLayout layout =
      safetensors_layout(std::move(parts), metadata_of(tensors), place.name);
  const auto file = open_archive_file(place);
  file->reserve(layout.size);
  file->write(0, std::as_bytes(std::span(layout.front)));
  for (const SafetensorsPart& part : layout.parts) {
    if (part.bytes != nullptr) {
      copy_bytes(part, *file, place.stop);
      continue;
    }
    const Tensor tensor = tensors.tensor_at(part.index);
    PartSink sink(*file, part.begin);
    tensor.source().check_content({.threads = 0, .stop = place.stop});
    write_row_major(
        tensor, sink,
        {.name = place.name, .spool_directory = place.spool_directory, .stop = place.stop});
  }
  file->commit();
}

SafetensorsOutput::SafetensorsOutput(OutputPlace place)
    : place_{std::move(place)},
      elements_{
          {.name = place_.name, .spool_directory = place_.spool_directory, .stop = place_.stop}} {
  require_name(place_.member, place_.name);
}

std::vector<SafetensorsPart> SafetensorsOutput::others(
    std::optional<SafetensorsMetadata>& metadata) const {
  std::vector<SafetensorsPart> parts;
  const auto old = open_replaced(*file_, place_.name);
  if (old == nullptr || old->size() == 0) return parts;
  const SafetensorsHeader header(old, place_.name);
  metadata = header.metadata();
  for (std::size_t i = 0; i < header.size(); ++i) {
    SafetensorsEntry entry = header.entry(i);
    if (entry.name == place_.member) continue;
    auto bytes = std::make_shared<PartSource>(old, entry.data.begin, entry.data.size());
    parts.push_back({.name = std::move(entry.name),
                     .dtype = std::move(entry.dtype),
                     .shape = std::move(entry.shape),
                     .size = entry.data.size(),
                     .bytes = std::move(bytes)});
  }
  return parts;
}

Sink& SafetensorsOutput::begin(const TensorHeader& header, const Source&) {
  SafetensorsPart own = safetensors_part(header, place_.member, place_.name);
  file_ = open_archive_file(place_);
  std::optional<SafetensorsMetadata> metadata;
  std::vector<SafetensorsPart> parts = others(metadata);
  parts.push_back(std::move(own));
  const SafetensorsLayout layout = safetensors_layout(std::move(parts), metadata, place_.name);
  file_->reserve(layout.size);
  file_->write(0, std::as_bytes(std::span(layout.front)));
  for (const SafetensorsPart& part : layout.parts) {
    if (part.bytes == nullptr) {
      sink_ = std::make_unique<PartSink>(*file_, part.begin);
    } else {
      copy_bytes(part, *file_, place_.stop);
    }
  }
  return elements_.begin(header, *sink_);
}

std::string SafetensorsOutput::temporary_name() const {
  return file_ == nullptr ? std::string() : file_->temporary_name();
}

void SafetensorsOutput::commit() {
  elements_.finish();
  file_->commit();
  file_.reset();
}

}  // namespace tscatter
