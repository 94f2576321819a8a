#include "tscatter/io/formats/format.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <limits>
#include <utility>

#include "tscatter/core/characters.hpp"
#include "tscatter/core/fail.hpp"
#include "tscatter/io/formats/text/json_tensor.hpp"
#include "tscatter/io/journal/rollback.hpp"

namespace tscatter {
namespace {

constexpr std::array<const Format*, 9> table{&npy_format,  &npz_format,         &pb_format,
                                             &onnx_format, &safetensors_format, &shards_format,
                                             &raw_format,  &csv_format,         &json_format};

// nullptr if no format passes the test.
template <class Test>
const Format* first_format(const Test& test) {
  const auto found = std::ranges::find_if(table, test);
  return found == table.end() ? nullptr : *found;
}

const Format& or_first(const Format* format) {
  return format == nullptr ? *table.front() : *format;
}

}  // namespace

FirstBytes read_first_bytes(const Source& file, FirstBytesBuffer& bytes) {
  const auto count =
      static_cast<std::size_t>(std::min<std::int64_t>(file.size(), std::ssize(bytes)));
  file.read(0, std::span(bytes).first(count));
  return std::span<const std::byte>(bytes).first(count);
}

bool Format::has_ending(std::string_view file_name) const {
  const auto ends = [&](std::string_view each) { return ends_with_ignoring_case(file_name, each); };
  return ends(ending) || std::ranges::any_of(other_endings, ends) ||
         (names != nullptr && names(file_name));
}

std::unique_ptr<OutputFile> open_output_file(const OutputPlace& place) {
  if (place.descriptor) return std::make_unique<OutputFile>(*place.descriptor, place.name);
  auto file =
      std::make_unique<OutputFile>(place.path, place.durability, system_files(), place.stop);
  file->take_turn(place.turn(Replaced::file));
  return file;
}

OutputTurn OutputPlace::turn(Replaced what) const {
  return {.name = name,
          .what = what,
          .waiting = waiting,
          .lock = lock,
          .naming = naming,
          .check = [name = name](const std::filesystem::path& target) {
            require_settled(target, name, LockHolder::caller);
          }};
}

std::unique_ptr<OutputFile> open_archive_file(const OutputPlace& place) {
  auto file = open_output_file(place);
  file->take_turn(place.turn(Replaced::archive));
  // file.f4
  if (!file->is_random_access()) {
    fail(ErrorKind::file, "file.f4", place.name,
         "an archive that is written must be a regular file, got a pipe or device");
  }
  return file;
}

std::shared_ptr<const FileSource> open_replaced(OutputFile& archive, const std::string& name) {
  archive.lock();
  struct stat status {};
  if (system_files().stat(archive.target(), status) != 0 && errno == ENOENT) return nullptr;
  return std::make_shared<FileSource>(open_settled(archive.target(), name, LockHolder::caller));
}

void spool_all(Spool& spool, const File& pipe) {
  spool.fill_from(pipe, std::numeric_limits<std::int64_t>::max());
}

std::span<const Format* const> formats() { return table; }

const Format* find_format(std::string_view name) {
  return first_format([&](const Format* format) { return format->name == name; });
}

bool is_of_format(const Format& format, std::span<const std::byte> first_bytes,
                  std::string_view name) {
  const bool begins = format.begins_as(first_bytes);
  const bool ends = format.has_ending(name);
  switch (format.ending_role) {
    case EndingRole::ignored: return begins;
    case EndingRole::required: return begins && ends;
    case EndingRole::sufficient: return begins || ends;
    case EndingRole::decisive: return ends;
  }
  unreachable();
}

const Format& format_of(const Source& file, std::string_view name) {
  FirstBytesBuffer bytes{};
  const auto first_bytes = read_first_bytes(file, bytes);
  return or_first(
      first_format([&](const Format* format) { return is_of_format(*format, first_bytes, name); }));
}

const Format* format_by_first_bytes(const Source& file, std::string_view name) {
  FirstBytesBuffer bytes{};
  const auto first_bytes = read_first_bytes(file, bytes);
  return first_format([&](const Format* format) {
    return format->begins_as(first_bytes) && is_of_format(*format, first_bytes, name);
  });
}

const Format* archive_format_of(const Source& file, std::string_view name) {
  FirstBytesBuffer bytes{};
  const auto first_bytes = read_first_bytes(file, bytes);
  return first_format([&](const Format* format) {
    const bool begins =
        format->ending_role != EndingRole::decisive && format->begins_as(first_bytes);
    return format->has_members() && (begins || format->has_ending(name));
  });
}

const Format& format_of_name(std::string_view name) {
  return or_first(first_format(
      [&](const Format* format) { return format->names_outputs() && format->has_ending(name); }));
}

std::size_t end_of_path(std::string_view word, std::size_t from) {
  const std::size_t colon = word.find(':', from);
  return colon < PATH_MAX ? colon : std::string_view::npos;
}

std::optional<MemberName> split_member_name(std::string_view word) {
  for (const Format* format : table) {
    if (format->split == nullptr) continue;
    if (auto name = format->split(word)) return name;
  }
  for (std::size_t colon = end_of_path(word); colon != std::string_view::npos;
       colon = end_of_path(word, colon + 1)) {
    const std::string_view archive = word.substr(0, colon);
    const Format* const format = first_format(
        [&](const Format* each) { return each->has_members() && each->has_ending(archive); });
    if (format == nullptr) continue;
    return MemberName{.format = format,
                      .archive = std::string(archive),
                      .member = std::string(word.substr(colon + 1))};
  }
  return std::nullopt;
}

MemberName located(const MemberName& name, const std::filesystem::path& base) {
  return name.format->locate == nullptr ? name : name.format->locate(name, base);
}

std::vector<std::string> files_of(const std::string& word) {
  const auto member = split_member_name(word);
  if (member && !std::filesystem::exists(word)) return {located(*member, {}).archive};
  const Format* const format = first_format(
      [&](const Format* each) { return each->files != nullptr && each->has_ending(word); });
  return format == nullptr ? std::vector{word} : format->files(word);
}

const Format& in_place_format(std::string_view name) {
  return or_first(first_format([&](const Format* format) {
    return format->in_place == InPlace::possible && format->split == nullptr &&
           format->has_ending(name);
  }));
}

std::unique_ptr<InPlaceFile> open_in_place(const Format& format, const std::filesystem::path& path,
                                           const std::string& member,
                                           const InPlaceOptions& options) {
  if (format.locate != nullptr) {
    const MemberName at = format.locate(
        {.format = &format, .archive = path.native(), .member = member}, std::filesystem::path());
    if (at.format != &format) return open_in_place(*at.format, at.archive, at.member, options);
  }
  const auto read = [&](const std::shared_ptr<const Source>& file, const std::string& name) {
    const FormatReading reading{.name = name, .path = path};
    return format.is_archive() ? format.open_archive(file, reading)->tensor(member)
                               : format.open(file, reading);
  };
  return std::make_unique<InPlaceFile>(path, read, options);
}

}  // namespace tscatter
