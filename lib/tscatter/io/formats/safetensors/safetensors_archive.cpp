#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include "tscatter/core/fail.hpp"
#include "tscatter/core/nearest.hpp"
#include "tscatter/io/files/sources.hpp"
#include "tscatter/io/formats/format.hpp"
#include "tscatter/io/formats/safetensors/safetensors.hpp"
#include "tscatter/io/formats/safetensors/safetensors_header.hpp"

namespace tscatter {
namespace {

constexpr std::array safetensors_archive_rule_rows{
    Rule{"st.f1",
         "a safetensors file begins with the length of its header in 8 bytes, little-endian, at "
         "most 100,000,000, and has that header"},
    Rule{"st.f2",
         "the header is JSON in UTF-8 that begins with {, after it only blanks, with at most 2^20 "
         "tensors, names of at most 4096 bytes, dtypes of at most 64, and strings as metadata, at "
         "most 65,536"},
    Rule{"st.f3", "no key of the header occurs twice, at any level"},
    Rule{"st.f4",
         "a tensor has a dtype, a shape of at most 64 axes and two data_offsets, and nothing else; "
         "the numbers are integers from 0 to 2^63 - 1, written as such"},
    Rule{"st.f5",
         "the data of the tensors follow each other without gap or overlap, from the end of the "
         "header to the file's end"},
    Rule{"st.f6", "a tensor has as many bits of data as its shape and dtype say, below 2^63"},
    Rule{"st.f7", "a tensor that is named is in the file"},
    Rule{"st.f8", "a tensor that is used is of a dtype of whole bytes that is known"},
    Rule{"st.f10", "a tensor that is written as safetensors has one of its dtypes"},
    Rule{"st.f11",
         "its name is UTF-8 of 1 to 4096 bytes, not __metadata__, and no other tensor has it"},
    Rule{"st.f12", "the header that is written has at most 100,000,000 bytes"},
};

// nullopt: elements of that dtype cannot be used.
std::optional<ElementType> type_named(std::string_view dtype) {
  const SafetensorsType* const type = safetensors_type(dtype);
  return type == nullptr ? std::nullopt : element_type_of(*type);
}

}  // namespace

std::span<const Rule> safetensors_rules() { return safetensors_archive_rule_rows; }

std::vector<ArchiveMember> SafetensorsArchive::members() const {
  std::vector<ArchiveMember> all;
  for (std::size_t i = 0; i < header_.size(); ++i) {
    SafetensorsEntry entry = header_.entry(i);
    all.push_back({.name = entry.name,
                   .file_name = std::move(entry.name),
                   .compression = {},
                   .size = entry.data.size(),
                   .packed_size = entry.data.size(),
                   .dtype = std::move(entry.dtype),
                   .shape = std::move(entry.shape)});
  }
  return all;
}

Tensor SafetensorsArchive::tensor(std::string_view name) const {
  if (auto entry = header_.find(name)) return tensor_of(*std::move(entry));
  constexpr std::size_t most_known = 100'000;  // that are looked through for the nearest
  std::vector<std::string> known;
  for (std::size_t i = 0; i < std::min(header_.size(), most_known); ++i)
    known.push_back(header_.entry(i).name);
  refuse_tensor_name(name, known, header_.name());
}

Tensor SafetensorsArchive::tensor_of(SafetensorsEntry entry) const {
  const std::string name = fmt::format("{}:{}", header_.name(), entry.name);
  const std::optional<ElementType> element = type_named(entry.dtype);
  // st.f8
  if (!element) {
    fail(ErrorKind::format, "st.f8", name,
         "a tensor that is used must be of a known dtype of whole bytes, got {}", entry.dtype);
  }
  return {{.type = *element, .shape = std::move(entry.shape)},
          std::make_shared<PartSource>(file_, entry.data.begin, entry.data.size()),
          name};
}

std::optional<ListedTensor> SafetensorsArchive::listed(std::string_view name) const {
  auto entry = header_.find(name);
  return entry ? listed_of(*std::move(entry)) : std::nullopt;
}

std::optional<ListedTensor> SafetensorsArchive::listed_of(SafetensorsEntry entry) const {
  if (type_named(entry.dtype)) return std::nullopt;
  const std::int64_t size = entry.data.size();
  return ListedTensor{.dtype = std::move(entry.dtype),
                      .shape = std::move(entry.shape),
                      .bytes = {{.type = ElementType::of(DType::uint8), .shape = {size}},
                                std::make_shared<PartSource>(file_, entry.data.begin, size),
                                fmt::format("{}:{}", header_.name(), entry.name)}};
}

std::optional<ArchiveMetadata> SafetensorsArchive::metadata() const {
  return header_.metadata().value_or(SafetensorsMetadata());
}

void refuse_tensor_name(std::string_view name, const std::vector<std::string>& known,
                        const std::string& where) {
  // st.f7
  fail(ErrorKind::file, "st.f7", where, "a tensor must be one of {}, got {}",
       names_and_nearest(name, known), name.empty() ? "an empty name" : name);
}

namespace {

// The length of the header in 8 bytes, then the header, a JSON object.
bool begins_as_safetensors(std::span<const std::byte> first_bytes) {
  constexpr std::size_t length_size = 8;
  constexpr std::size_t lowest_zeros = 4;  // of a length below 2^32
  if (first_bytes.size() <= length_size || first_bytes[length_size] != std::byte{'{'}) return false;
  const auto high = first_bytes.subspan(lowest_zeros, length_size - lowest_zeros);
  return std::ranges::all_of(high, [](std::byte each) { return each == std::byte{0}; });
}

std::unique_ptr<Archive> open_archive(std::shared_ptr<const Source> file,
                                      const FormatReading& reading) {
  return std::make_unique<SafetensorsArchive>(std::move(file), reading.name);
}

std::unique_ptr<Output> create_tensor(const OutputPlace& place) {
  return std::make_unique<SafetensorsOutput>(place);
}

}  // namespace

constinit const Format safetensors_format{
    .name = "safetensors",
    .ending = ".safetensors",
    .kind = "a safetensors file",
    .ending_role = EndingRole::sufficient,
    .begins_as = begins_as_safetensors,
    .spool = spool_all,
    .open_archive = open_archive,
    .no_member = "st.f7",
    .has_metadata = true,
    .create = create_tensor,
    .write_all = write_safetensors,
    .in_place = InPlace::possible,
    .rules = safetensors_rules,
    .help =
        "tensors x.safetensors:name. As output a tensor is added to the file or replaced in it, "
        "the others and the metadata are kept. What is written is byte for byte what the "
        "reference's serialize gives. With --in-place only what is touched is written. tscatter "
        "show x.safetensors lists the tensors.",
    .operands_help = "a tensor of a checkpoint",
};

}  // namespace tscatter
