#include "tscatter/io/formats/tensor_files.hpp"

#include <utility>

#include "tscatter/io/files/sources.hpp"
#include "tscatter/io/formats/format.hpp"
#include "tscatter/io/journal/rollback.hpp"

namespace tscatter {
namespace {

MemberName file_and_member(const std::string& name) {
  std::error_code error;
  if (!std::filesystem::exists(name, error)) {
    if (auto member = split_member_name(name)) return located(*member, {});
  }
  return {.format = nullptr, .archive = name, .member = {}};
}

}  // namespace

Tensor open_tensor(const std::string& name, const FileOptions& options) {
  const MemberName place = file_and_member(name);
  auto file = std::make_shared<FileSource>(open_settled(place.archive, place.archive));
  const FormatReading reading{.name = place.archive,
                              .path = place.archive,
                              .part = place.member,
                              .spool_directory = options.spool_directory,
                              .stop = options.stop};
  const Format& format = place.format == nullptr ? format_of(*file, place.archive) : *place.format;
  return format.is_archive() ? format.open_archive(std::move(file), reading)->tensor(place.member)
                             : format.open(file, reading);
}

FileOutput::FileOutput(const std::string& name, const FileOptions& options) {
  MemberName place = file_and_member(name);
  const bool is_written = place.format != nullptr && place.format->create != nullptr;
  if (!is_written) place = {.format = nullptr, .archive = name, .member = {}};
  const Format& format = place.format == nullptr ? format_of_name(name) : *place.format;
  output_ = format.create({.path = place.archive,
                           .name = place.archive,
                           .member = place.member,
                           .durability = options.durability,
                           .spool_directory = options.spool_directory,
                           .stop = options.stop});
}

Sink& FileOutput::begin(const TensorHeader& header, const Source& data) {
  return output_->begin(header, data);
}

InPlaceOutput::InPlaceOutput(const std::string& name, const FileOptions& options)
    : file_{open_in_place(in_place_format(name), name, {},
                          {.durability = options.durability, .journaling = options.journaling})} {}

InPlaceOutput::~InPlaceOutput() = default;

const Tensor& InPlaceOutput::data() const { return file_->data(); }

Sink& InPlaceOutput::begin(const TensorHeader& header, const Source& data) {
  return file_->begin(header, data);
}

void InPlaceOutput::commit() { file_->commit(); }

Output::Remains InPlaceOutput::take_back() noexcept { return file_->take_back(); }

}  // namespace tscatter
