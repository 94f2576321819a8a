#include "parts/parts_folder.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "text/number_text.hpp"
#include "tscatter/core/fail.hpp"
#include "tscatter/io/files/path.hpp"
#include "tscatter/io/files/temporary_file.hpp"

namespace tscatter::app {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view marker_prefix = "done.";

// nullopt: there is no such file.
std::optional<std::string> text_of(const fs::path& path) {
  struct stat status {};
  if (system_files().stat(path, status) != 0 && errno == ENOENT) return std::nullopt;
  const File file = File::open_for_reading(path);
  std::string text(static_cast<std::size_t>(file.status().st_size), '\0');
  file.read_at(0, std::as_writable_bytes(std::span(text)));
  return text;
}

// The files in the folder that may be markers.
std::vector<fs::path> marker_files(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code error;
  fs::directory_iterator entry(folder, error);
  while (error == std::errc::interrupted) entry = fs::directory_iterator(folder, error);
  for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
    if (entry->path().filename().native().starts_with(marker_prefix))
      files.push_back(entry->path());
  }
  if (error) {
    // file.f3
    fail(ErrorKind::file, "file.f3", folder.native(), "must be readable, got {}",
         errno_text(error.value()));
  }
  return files;
}

[[noreturn]] void fail_to_keep(const std::string& output, const std::string& got) {
  // part.p7
  fail(ErrorKind::file, "part.p7", output,
       "the folder of its parts must be writable, on a file system with hard links, got {}", got);
}

}  // namespace

PartsFolder::PartsFolder(std::string output)
    : output_{std::move(output)}, target_{follow_links(output_, output_)}, path_{target_} {
  path_ += ".tscatter-parts";
}

fs::path PartsFolder::marker_path(std::int64_t part) const {
  return path_ / fmt::format("{}{:04}", marker_prefix, part);
}

std::optional<PartsJob> PartsFolder::job() const {
  const std::optional<std::string> text = text_of(path_ / "job");
  if (!text) return std::nullopt;
  std::optional<PartsJob> job = parts_job_in(*text);
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
  publish_over(marker_path(marker.part), to_json(marker));
}

void PartsFolder::publish_over(const fs::path& path, const std::string& text) const {
  if (publish(path, text) || text_of(path) == text) return;
  TemporaryFile file(path, path.native(), system_files());
  file.file().write_at(0, std::as_bytes(std::span(text)));
  file.put_in_place(Durability::power_cut);
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
  std::map<std::int64_t, PartMarker> markers;
  for (const fs::path& file : marker_files(path_)) {
    std::optional<PartMarker> marker = marker_in(file);
    const std::int64_t part = marker ? marker->part : 0;
    const bool is_done = marker && is_marker_of(*marker, job, part) && file == marker_path(part);
    if (is_done) markers.emplace(part, *std::move(marker));
  }
  return markers;
}

bool PartsFolder::has_marker(const PartsJob& job, std::int64_t part) const {
  const std::optional<PartMarker> marker = marker_in(marker_path(part));
  return marker && is_marker_of(*marker, job, part);
}

std::optional<PartMarker> PartsFolder::marker_in(const fs::path& file) const {
  const std::optional<std::string> text = text_of(file);
  return text ? part_marker_in(*text) : std::nullopt;
}

// What replaces a private file is never readable by others. Each part must be able to write.
mode_t PartsFolder::data_mode() const {
  constexpr mode_t all = 0666;
  constexpr mode_t own = 0600;
  struct stat replaced {};
  const bool is_file = system_files().lstat(target_, replaced) == 0 && S_ISREG(replaced.st_mode);
  return is_file ? (replaced.st_mode & all) | own : all;
}

// Space is not reserved: where a file system cannot, the C library writes into every block, also of
// other parts.
File PartsFolder::open_data(const PartsJob& job) const {
  const auto has_data = [&] {
    struct stat status {};
    return system_files().stat(data(), status) == 0;
  };
  // Whoever makes a marker has made the data before. Another part may make both meanwhile.
  // part.p2
  if (!has_data() && !markers(job).empty() && !has_data()) {
    fail(ErrorKind::file, "part.p2", output_,
         "a part must belong to the job whose parts are there, got parts without their data: "
         "remove {}",
         path_.native());
  }
  const int descriptor = system_files().open(data(), O_CREAT | O_RDWR | O_CLOEXEC, data_mode());
  if (descriptor < 0) fail_to_keep(output_, errno_text(errno));
  File file(descriptor, output_);
  if (file.status().st_size == job.file_bytes) return file;
  std::error_code error;
  fs::resize_file(data(), static_cast<std::uintmax_t>(job.file_bytes), error);
  if (error) fail_to_keep(output_, errno_text(error.value()));
  return file;
}

std::optional<std::string> PartsFolder::finished() const {
  const std::optional<std::string> digest = text_of(path_ / "finished");
  return digest && hex_in(*digest) ? digest : std::nullopt;
}

bool PartsFolder::is_left_by_finish() const {
  struct stat status {};
  return finished() && system_files().stat(data(), status) != 0 && errno == ENOENT;
}

void PartsFolder::publish_finished(const std::string& digest) const {
  publish_over(path_ / "finished", digest);
}

// What cannot be removed stays, and what comes after it: the next finish removes it.
void PartsFolder::remove() const {
  std::vector<fs::path> files{path_ / "job"};
  for (fs::path& marker : marker_files(path_)) files.push_back(std::move(marker));
  for (const char* const name : {"data", "finished"}) files.push_back(path_ / name);
  std::error_code error;
  for (const fs::path& file : files) {
    if (!error) fs::remove(file, error);
  }
  if (!error) fs::remove(path_, error);
}

}  // namespace tscatter::app
