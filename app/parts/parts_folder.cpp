#include "parts/parts_folder.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "jobs/job_json.hpp"
#include "text/number_text.hpp"
#include "tscatter/core/fail.hpp"
#include "tscatter/io/files/file_names.hpp"
#include "tscatter/io/files/temporary_file.hpp"

namespace tscatter::app {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view marker_prefix = "done.";

// Bytes: of a job, of `finished`, and of a marker beside the sums of its units.
constexpr std::int64_t most_of_text = std::int64_t{1} << 20U;

constexpr std::int64_t most_of_unit = 19;  // "0123456789abcdef",

[[noreturn]] void fail_to_keep(const std::string& output, const std::string& got) {
  // part.p7
  fail(ErrorKind::file, "part.p7", output,
       "the folder of its parts must be writable, on a file system with hard links: {}", got);
}

[[noreturn]] void refuse_folder(const PartsFolder& folder, std::string_view got) {
  // part.p10
  fail(ErrorKind::file, "part.p10", folder.output(),
       "the folder of its parts, {}, must be a folder, and where all may write the user's own "
       "(remove it, or write elsewhere), got {}",
       folder.path().native(), got);
}

}  // namespace

void require_size(const File& data, const PartsJob& job) {
  const std::int64_t size = data.status().st_size;
  if (size == job.file_bytes) return;
  // part.p4
  fail(ErrorKind::format, "part.p4", data.name(), "the parts' data must have {} bytes, got {}",
       job.file_bytes, size);
}

std::vector<std::int64_t> missing_in(const PartMarkers& markers, std::int64_t parts) {
  std::vector<std::int64_t> missing;
  for (std::int64_t part = 1; part <= parts; ++part)
    if (!markers.contains(part)) missing.push_back(part);
  return missing;
}

PartsFolder::PartsFolder(std::string output, FileSystem& files)
    : output_{std::move(output)},
      files_{files},
      target_{follow_links(output_, output_)},
      path_{target_} {
  path_ += ".tscatter-parts";
}

fs::path PartsFolder::marker_path(std::int64_t part) const {
  return path_ / fmt::format("{}{:04}", marker_prefix, part);
}

// The files in the folder whose names begin like this.
std::vector<fs::path> PartsFolder::files_of(std::string_view prefix) const {
  std::vector<std::string> names;
  const bool is_listed = files_.list(path_, names) == 0;
  if (!is_listed && errno == ENOENT) return {};  // another finish has removed the folder
  // file.f3
  if (!is_listed)
    fail(ErrorKind::file, "file.f3", path_.native(), "cannot be read: {}", errno_text(errno));
  std::vector<fs::path> files;
  for (const std::string& name : names)
    if (name.starts_with(prefix)) files.push_back(path_ / name);
  return files;
}

std::optional<std::string> PartsFolder::text_of(const fs::path& path, std::int64_t most) const {
  try {
    return own_text(path, most, files_);
  } catch (const Error&) {
    struct stat status {};
    if (files_.lstat(path, status) == 0 || errno != ENOENT) throw;
    return std::nullopt;  // another finish has removed it meanwhile
  }
}

// Whether it is there.
bool PartsFolder::has_kind_of_folder() const {
  struct stat status {};
  if (files_.lstat(path_, status) != 0) return false;
  // part.p10
  if (!S_ISDIR(status.st_mode)) refuse_folder(*this, kind_words(status.st_mode));
  return true;
}

// In a shared folder such as /tmp (all may write, nobody may remove another's files) the parts
// folder must belong to this user, to root or to the owner of the shared folder.
void PartsFolder::require_own() const {
  struct stat own {};
  struct stat around {};
  if (!has_kind_of_folder() || files_.lstat(path_, own) != 0) return;
  constexpr mode_t open_to_all = S_ISVTX | S_IWOTH;
  const bool is_shared = files_.stat(directory_of(path_), around) == 0 &&
                         (around.st_mode & open_to_all) == open_to_all;
  const bool is_trusted =
      own.st_uid == ::geteuid() || own.st_uid == 0 || own.st_uid == around.st_uid;
  // part.p10
  if (is_shared && !is_trusted) refuse_folder(*this, fmt::format("one of user {}", own.st_uid));
}

std::optional<PartsJob> PartsFolder::job() const {
  if (!has_kind_of_folder()) return std::nullopt;
  const std::optional<std::string> text = text_of(path_ / "job", most_of_text);
  if (!text) return std::nullopt;
  std::optional<PartsJob> job = parts_job_in(*text);
  // part.p2
  if (!job) {
    fail(ErrorKind::file, "part.p2", output_, "the file {} describes no job of parts",
         (path_ / "job").native());
  }
  return job;
}

PartsJob PartsFolder::publish_job(const PartsJob& job) const {
  constexpr mode_t all = 0777;
  const bool is_made = files_.make_directory(path_, all) == 0 || errno == EEXIST;
  if (!is_made) fail_to_keep(output_, errno_text(errno));
  require_own();
  // Also of one that another part has just made: what follows must not be lost with its name.
  if (!sync_directory_of(path_, files_)) fail_to_keep(output_, errno_text(errno));
  if (publish(path_ / "job", to_json(job))) return job;
  const std::optional<PartsJob> first = this->job();
  if (!first) fail_to_keep(output_, errno_text(ENOENT));
  return *first;
}

void PartsFolder::require_file_or_nothing() const {
  struct stat status {};
  if (files_.lstat(target_, status) != 0 || S_ISREG(status.st_mode)) return;
  // file.f7
  fail(ErrorKind::file, "file.f7", output_, "must be a file, got something else of that name");
}

void PartsFolder::publish_marker(const PartMarker& marker) const {
  publish_over(marker_path(marker.part), to_json(marker));
}

void PartsFolder::publish_over(const fs::path& path, const std::string& text) const {
  const auto most = most_of_text + static_cast<std::int64_t>(text.size());
  if (publish(path, text) || text_of(path, most) == text) return;
  TemporaryFile file(path, path.native(), files_);
  file.file().write_at(0, std::as_bytes(std::span(text)));
  file.put_in_place(Durability::power_cut);
}

// Whether the name was free.
bool PartsFolder::publish(const fs::path& path, const std::string& text) const {
  TemporaryFile file(path, path.native(), files_);
  file.file().write_at(0, std::as_bytes(std::span(text)));
  file.file().sync();
  if (!file.link_in_free_place()) {
    if (errno != EEXIST) fail_to_keep(output_, errno_text(errno));
    return false;
  }
  if (!sync_directory_of(path, files_)) fail_to_keep(output_, errno_text(errno));
  return true;
}

PartMarkers PartsFolder::markers(const PartsJob& job) const {
  PartMarkers markers;
  for (const fs::path& file : files_of(marker_prefix)) {
    const std::string name = file.filename().native();
    const auto part = number_in<std::int64_t>(std::string_view(name).substr(marker_prefix.size()));
    if (!part || *part < 1 || *part > job.parts || file != marker_path(*part)) continue;
    if (std::optional<PartMarker> marker = marker_of(job, *part))
      markers.emplace(*part, *std::move(marker));
  }
  return markers;
}

void PartsFolder::remove_marker(std::int64_t part) const { files_.unlink(marker_path(part)); }

bool PartsFolder::has_marker(const PartsJob& job, std::int64_t part) const {
  return marker_of(job, part).has_value();
}

std::optional<PartMarker> PartsFolder::marker_of(const PartsJob& job, std::int64_t part) const {
  const std::int64_t units = (job.bytes_of(part).size() + job.unit - 1) / job.unit;
  const std::optional<std::string> text =
      text_of(marker_path(part), most_of_text + units * most_of_unit);
  std::optional<PartMarker> marker = text ? part_marker_in(*text) : std::nullopt;
  return marker && is_marker_of(*marker, job, part) ? marker : std::nullopt;
}

// What replaces a private file is never readable by others. Each part must be able to write.
mode_t PartsFolder::data_mode() const {
  constexpr mode_t all = 0666;
  constexpr mode_t own = 0600;
  struct stat replaced {};
  const bool is_file = files_.lstat(target_, replaced) == 0 && S_ISREG(replaced.st_mode);
  return is_file ? (replaced.st_mode & all) | own : all;
}

bool PartsFolder::has_data() const {
  struct stat status {};
  return files_.lstat(data(), status) == 0 || errno != ENOENT;
}

// Not by posix_fallocate(): where a file system cannot reserve space, the C library writes into
// every block, also of other parts.
File PartsFolder::open_data(const PartsJob& job) const {
  // Whoever makes a marker has made the data before. Another part may make both meanwhile.
  // part.p2
  if (!has_data() && !markers(job).empty() && !has_data()) {
    fail(ErrorKind::file, "part.p2", output_,
         "the parts that are there have lost their data: remove {}", path_.native());
  }
  File file = open_own(data(), O_CREAT | O_RDWR, files_, data_mode());
  if (file.descriptor() < 0) fail_to_keep(output_, errno_text(errno));
  if (file.status().st_size == job.file_bytes) return file;
  // So have the data: what the parts wrote was cut, or is another file's.
  if (!markers(job).empty()) {
    require_size(file, job);
    return file;
  }
  if (files_.truncate(file.descriptor(), job.file_bytes) != 0)
    fail_to_keep(output_, errno_text(errno));
  return file;
}

File PartsFolder::finished_data() const {
  File file = open_own(data(), O_RDONLY, files_);
  // file.f1
  if (file.descriptor() < 0) {
    fail(ErrorKind::file, "file.f1", file.name(), "cannot be opened: {}", errno_text(errno));
  }
  return file;
}

std::optional<std::string> PartsFolder::finished() const {
  if (!has_kind_of_folder()) return std::nullopt;
  const std::optional<std::string> text = text_of(path_ / "finished", most_of_text);
  return text && hex_in(*text) ? text : std::nullopt;
}

bool PartsFolder::is_left_by_finish() const { return finished() && !has_data(); }

void PartsFolder::publish_finished(const std::string& digest) const {
  publish_over(path_ / "finished", digest);
}

// What cannot be removed stays, and what comes after it: the next finish removes it.
void PartsFolder::remove() const {
  const auto is_removed = [&](const fs::path& file) {
    return files_.unlink(file) == 0 || errno == ENOENT;
  };
  std::vector<fs::path> files{path_ / "job"};
  for (const std::string_view prefix : {marker_prefix, temporary_prefix})
    for (const fs::path& file : files_of(prefix)) files.push_back(file);
  files.push_back(data());
  // A power cut may bring names back: then `finished` still says what they are.
  const bool are_gone = std::ranges::all_of(files, is_removed) && sync_directory_of(data(), files_);
  if (are_gone && is_removed(path_ / "finished")) files_.remove_directory(path_);
}

namespace {

using nlohmann::ordered_json;

constexpr std::int64_t most_bytes = std::int64_t{1} << 62U;  // of a file: whole units can be added

std::int64_t unit_field(const ordered_json& value) {
  const std::int64_t unit = integer_field(value, least_unit, most_unit);
  if (unit % least_unit != 0) throw WrongField();
  return unit;
}

std::string fact_of(const PartsJob& job, const std::string& name) {
  const auto fact = std::ranges::find(job.facts, name, [](const auto& each) { return each.first; });
  return fact == job.facts.end() ? "missing" : fact->second;
}

[[noreturn]] void refuse_other_job(const std::string& where, const std::string& name,
                                   const std::string& present, const std::string& wanted) {
  // part.p2
  fail(ErrorKind::file, "part.p2", where,
       "the parts that are there belong to a job with {} {}, got {}", name, present, wanted);
}

}  // namespace

std::string to_json(const PartsJob& job) {
  ordered_json facts = ordered_json::object();
  for (const auto& [name, value] : job.facts) facts[name] = value;
  return ordered_json{{"run", hex_text(job.run)},
                      {"parts", job.parts},
                      {"unit", job.unit},
                      {"bytes", job.file_bytes},
                      {"job", facts}}
             .dump() +
         "\n";
}

std::string to_json(const PartMarker& marker) {
  ordered_json sums = ordered_json::array();
  for (const std::uint64_t sum : marker.sums) sums.push_back(hex_text(sum));
  return ordered_json{{"run", hex_text(marker.run)},
                      {"part", marker.part},
                      {"begin", marker.bytes.begin},
                      {"end", marker.bytes.end},
                      {"sums", sums}}
             .dump() +
         "\n";
}

std::optional<PartsJob> parts_job_in(const std::string& text) {
  return read_fields(text, [](const ordered_json& object) {
    known_fields(object, {"run", "parts", "unit", "bytes", "job"});
    PartsJob job{.run = hex_field(object.at("run")),
                 .parts = integer_field(object.at("parts"), 1, most_parts),
                 .unit = unit_field(object.at("unit")),
                 .file_bytes = integer_field(object.at("bytes"), 0, most_bytes),
                 .facts = {}};
    for (const auto& [name, value] : object.at("job").items())
      job.facts.emplace_back(name, value.get<std::string>());
    return job;
  });
}

std::optional<PartMarker> part_marker_in(const std::string& text) {
  return read_fields(text, [](const ordered_json& object) {
    known_fields(object, {"run", "part", "begin", "end", "sums"});
    PartMarker marker{.run = hex_field(object.at("run")),
                      .part = integer_field(object.at("part"), 1, most_parts),
                      .bytes = {.begin = integer_field(object.at("begin"), 0, most_bytes),
                                .end = integer_field(object.at("end"), 0, most_bytes)},
                      .sums = {}};
    for (const ordered_json& sum : object.at("sums")) marker.sums.push_back(hex_field(sum));
    return marker;
  });
}

bool is_marker_of(const PartMarker& marker, const PartsJob& job, std::int64_t part) {
  if (marker.run != job.run || marker.part != part || part > job.parts) return false;
  const std::int64_t units = (marker.bytes.size() + job.unit - 1) / job.unit;
  return marker.bytes == job.bytes_of(part) && std::ssize(marker.sums) == units;
}

void require_same_job(const PartsJob& wanted, const PartsJob& present, const std::string& where) {
  const auto require = [&](const std::string& name, std::int64_t there, std::int64_t here) {
    if (there != here) refuse_other_job(where, name, std::to_string(there), std::to_string(here));
  };
  require("parts", present.parts, wanted.parts);
  require("unit", present.unit, wanted.unit);
  for (const auto& [name, there] : present.facts) {
    const std::string here = fact_of(wanted, name);
    if (there != here) refuse_other_job(where, name, there, here);
  }
  for (const auto& [name, here] : wanted.facts) {
    const std::string there = fact_of(present, name);
    if (there != here) refuse_other_job(where, name, there, here);
  }
  require("bytes", present.file_bytes, wanted.file_bytes);
}

}  // namespace tscatter::app
