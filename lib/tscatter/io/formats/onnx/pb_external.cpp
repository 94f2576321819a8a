#include "tscatter/io/formats/onnx/pb_external.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <string_view>
#include <utility>

#include "tscatter/core/fail.hpp"
#include "tscatter/io/files/own_file.hpp"
#include "tscatter/io/files/path.hpp"

namespace tscatter {
namespace {

namespace fs = std::filesystem;

const std::string& require_location(const ExternalData& data, const std::string& name) {
  // pb.f11
  if (data.unknown) {
    fail(
        ErrorKind::format, "pb.f11", name,
        "the keys of external data must be location, offset, length, checksum and basepath, got {}",
        *data.unknown);
  }
  const std::string location = data.location.value_or("");
  const fs::path path(location);
  const bool is_inside = !location.empty() && !path.is_absolute() &&
                         location.find('\0') == std::string::npos &&
                         std::ranges::find(path, fs::path("..")) == path.end();
  // pb.f11
  if (!is_inside) {
    fail(ErrorKind::format, "pb.f11", name,
         "the location of external data must be a relative path without .., got {}",
         location.empty() ? "an empty one" : location);
  }
  return *data.location;
}

// Where the path leads. Links must not leave the folder of the file that names it.
fs::path require_inside(const fs::path& path, const fs::path& folder, const std::string& name) {
  std::error_code error;
  fs::path target = fs::canonical(path, error);
  // file.f1
  if (error) {
    fail(ErrorKind::file, "file.f1", name, "its external data, {}, cannot be opened: {}",
         path.native(), errno_text(error.value()));
  }
  const fs::path root = fs::canonical(folder, error);
  const auto [end, ignored] = std::ranges::mismatch(root, target);
  // pb.f11
  if (error || end != root.end()) {
    fail(ErrorKind::format, "pb.f11", name,
         "external data must be in the folder of the file that names it, or below (copy it there), "
         "got {}, which leads to {}",
         path.native(), target.native());
  }
  return target;
}

void require_own_file(const struct stat& status, const fs::path& path,
                      const FormatReading& reading) {
  // pb.f11
  if (!S_ISREG(status.st_mode) || status.st_nlink > 1) {
    fail(ErrorKind::format, "pb.f11", reading.name,
         "external data must be in a regular file of one name (copy it), got {}, {}", path.native(),
         S_ISREG(status.st_mode) ? "a file of several hard links" : kind_words(status.st_mode));
  }
  struct stat own {};
  // pb.f11
  if (system_files().stat(reading.path, own) == 0 && is_same_file(own, status)) {
    fail(ErrorKind::format, "pb.f11", reading.name,
         "external data must be in another file than the one that names it, got {}", path.native());
  }
}

std::int64_t read_integer(const std::string& text, std::string_view key, const std::string& name) {
  std::int64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  // pb.f11
  if (error != std::errc{} || stop != end || value < 0) {
    fail(ErrorKind::format, "pb.f11", name,
         "the {} of external data must be an integer from 0 to 2^63 - 1, got {}", key,
         text.empty() ? "an empty text" : text);
  }
  return value;
}

// Without a length the data go to the end of the file.
ByteRange require_range(const ExternalData& data, std::int64_t bytes, std::int64_t file_size,
                        const fs::path& path, const std::string& name) {
  const std::int64_t begin = data.offset ? read_integer(*data.offset, "offset", name) : 0;
  const std::int64_t left = std::max<std::int64_t>(file_size - begin, 0);
  const std::int64_t length = data.length ? read_integer(*data.length, "length", name) : left;
  // pb.f11
  if (length != bytes) {
    fail(ErrorKind::format, "pb.f11", name,
         "external data must have the {} bytes that dims and data_type need, got {}{}", bytes,
         length, data.length ? "" : " to the end of " + path.native());
  }
  // pb.f11
  if (begin > file_size || length > left) {
    fail(ErrorKind::format, "pb.f11", name,
         "external data must lie in its file, {} of {} bytes, got {} bytes from byte {} on",
         path.native(), file_size, length, begin);
  }
  return {.begin = begin, .end = begin + length};
}

}  // namespace

ExternalRange external_range(const ExternalData& data, std::int64_t bytes,
                             const FormatReading& reading) {
  const std::string& location = require_location(data, reading.name);
  // pb.f11
  if (reading.path.empty()) {
    fail(ErrorKind::format, "pb.f11", reading.name,
         "external data must be beside a file that is named, got a pipe");
  }
  const fs::path folder = directory_of(reading.path);
  const fs::path path = reading.path.parent_path() / location;
  const fs::path target = require_inside(path, folder, reading.name);
  File file = open_unfollowed(target, O_RDONLY);
  // file.f1
  if (file.descriptor() < 0) {
    fail(ErrorKind::file, "file.f1", reading.name, "its external data, {}, cannot be opened: {}",
         path.native(), errno_text(errno));
  }
  const struct stat status = file.status();
  require_own_file(status, path, reading);
  const ByteRange range = require_range(data, bytes, status.st_size, path, reading.name);
  return {.location = location,
          .path = path,
          .file = std::make_shared<FileSource>(std::move(file)),
          .range = range};
}

}  // namespace tscatter
