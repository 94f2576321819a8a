#include "parts/parts_folder.hpp"

#include <fcntl.h>
#include <fmt/format.h>

#include <cerrno>
#include <fstream>
#include <iterator>
#include <span>

#include "tscatter/core/fail.hpp"
#include "tscatter/io/files/path.hpp"
#include "tscatter/io/files/temporary_file.hpp"

namespace tscatter::app {
namespace {

namespace fs = std::filesystem;

std::optional<std::string> text_of(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return std::nullopt;
  return std::string(std::istreambuf_iterator<char>(in), {});
}

[[noreturn]] void fail_to_keep(const std::string& output, const std::string& got) {
  // part.p7
  fail(ErrorKind::file, "part.p7", output,
       "the folder of its parts must be writable, on a file system with hard links, got {}", got);
}

}  // namespace

PartsFolder::PartsFolder(std::string output)
    : output_{std::move(output)}, path_{follow_links(output_, output_)} {
  path_ += ".tscatter-parts";
}

fs::path PartsFolder::marker_path(std::int64_t part) const {
  return path_ / fmt::format("done.{:04}", part);
}

std::optional<PartsJob> PartsFolder::job() const {
  const std::optional<std::string> text = text_of(path_ / "job");
  if (!text) return std::nullopt;
  const std::optional<PartsJob> job = parts_job_in(*text);
  // part.p2
  if (!job) {
    fail(ErrorKind::file, "part.p2", output_,
         "a part must belong to the job whose parts are there, got a file that describes none, {}",
         (path_ / "job").native());
  }
  return job;
}

PartsJob PartsFolder::publish(const PartsJob& job) const {
  std::error_code error;
  fs::create_directory(path_, error);
  if (error) fail_to_keep(output_, errno_text(error.value()));
  if (publish(path_ / "job", to_json(job))) return job;
  const std::optional<PartsJob> first = this->job();
  if (!first) fail_to_keep(output_, errno_text(ENOENT));
  return *first;
}

void PartsFolder::publish(const PartMarker& marker) const {
  publish(marker_path(marker.part), to_json(marker));
}

// Whether the name was free.
bool PartsFolder::publish(const fs::path& path, const std::string& text) const {
  TemporaryFile file(path, path.native(), system_files());
  file.file().write_at(0, std::as_bytes(std::span(text)));
  file.file().sync();
  if (!file.put_in_free_place()) {
    if (errno != EEXIST) fail_to_keep(output_, errno_text(errno));
    return false;
  }
  if (!sync_directory_of(path, system_files())) fail_to_keep(output_, errno_text(errno));
  return true;
}

std::map<std::int64_t, PartMarker> PartsFolder::markers(const PartsJob& job) const {
  constexpr std::string_view prefix = "done.";
  std::map<std::int64_t, PartMarker> markers;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(path_, error)) {
    if (!entry.path().filename().native().starts_with(prefix)) continue;
    const std::optional<std::string> text = text_of(entry.path());
    const auto marker = text ? part_marker_in(*text) : std::nullopt;
    if (!marker || marker->run != job.run) continue;
    const bool is_whole = marker->part >= 1 && marker->part <= job.parts &&
                          entry.path() == marker_path(marker->part) &&
                          marker->bytes == job.bytes_of(marker->part);
    if (is_whole) markers.emplace(marker->part, *marker);
  }
  return markers;
}

// Space is not reserved: where a file system cannot, the C library writes into every block, also of
// other parts.
File PartsFolder::open_data(std::int64_t bytes) const {
  constexpr mode_t all = 0666;
  const int descriptor = system_files().open(data(), O_CREAT | O_RDWR | O_CLOEXEC, all);
  if (descriptor < 0) fail_to_keep(output_, errno_text(errno));
  File file(descriptor, output_);
  if (file.status().st_size == bytes) return file;
  std::error_code error;
  fs::resize_file(data(), static_cast<std::uintmax_t>(bytes), error);
  if (error) fail_to_keep(output_, errno_text(error.value()));
  return file;
}

void PartsFolder::remove(const PartsJob& job) const {
  std::error_code ignored;
  for (std::int64_t part = 1; part <= job.parts; ++part) fs::remove(marker_path(part), ignored);
  fs::remove(data(), ignored);
  fs::remove(path_ / "job", ignored);
  fs::remove(path_, ignored);  // not if there is something else in it
}

}  // namespace tscatter::app
