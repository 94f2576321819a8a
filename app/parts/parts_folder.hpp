// PartsFolder: the folder beside an output in which its parts are computed.
//
//   out.npy.tscatter-parts/job         what all parts agree on; the first part's stands
//   out.npy.tscatter-parts/data        the output to be
//   out.npy.tscatter-parts/done.0007   part 7 is done, and on the disk
//   out.npy.tscatter-parts/finished    all are done, and data gets its name
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "parts/file_parts.hpp"
#include "tscatter/io/files/file.hpp"

namespace tscatter::app {

// PartsJob: what all parts of a job must agree on. It stands in the job's folder.
struct PartsJob {
  std::uint64_t run = 0;  // a random number, by which its markers know each other
  std::int64_t parts = 1;
  std::int64_t unit = default_unit;
  std::int64_t file_bytes = 0;
  // The operation, its attributes, the operands: names and what stands for them, by which another
  // job is told from this one.
  std::vector<std::pair<std::string, std::string>> facts;

  ByteRange bytes_of(std::int64_t part) const {
    return bytes_of_part({.part = part, .of = parts}, file_bytes, unit);
  }
};

// What a marker says: that this part is done.
struct PartMarker {
  std::uint64_t run = 0;
  std::int64_t part = 1;
  ByteRange bytes;
  std::vector<std::uint64_t> sums;  // of its units
};

std::string to_json(const PartsJob& job);
std::string to_json(const PartMarker& marker);
// nullopt for text that is none.
std::optional<PartsJob> parts_job_in(const std::string& text);
std::optional<PartMarker> part_marker_in(const std::string& text);

// Whether it says that the part of the job is done: of its run, its range and all of its units.
bool is_marker_of(const PartMarker& marker, const PartsJob& job, std::int64_t part);

// Throws Error (file, part.p2) when they are not the same, but for their run; `where`: the output.
void require_same_job(const PartsJob& wanted, const PartsJob& present, const std::string& where);

// The markers of the parts that are done, by number.
using PartMarkers = std::map<std::int64_t, PartMarker>;

// Throws Error (format, part.p4).
void require_size(const File& data, const PartsJob& job);

std::vector<std::int64_t> missing_in(const PartMarkers& markers, std::int64_t parts);

class PartsFolder {
 public:
  // `output`: as the user wrote it. `files` has the folder and all files in it; tests pass their
  // own.
  explicit PartsFolder(std::string output, FileSystem& files = system_files());

  FileSystem& files() const { return files_; }
  const std::string& output() const { return output_; }
  const std::filesystem::path& path() const { return path_; }
  const std::filesystem::path& target() const { return target_; }  // links followed
  std::filesystem::path data() const { return path_ / "data"; }

  // nullopt: there is none. Throws Error (file): part.p2 for one that cannot be read, part.p10.
  std::optional<PartsJob> job() const;

  // Throws Error (file, part.p10) when another user could have made the folder, and exchange what
  // is in it.
  void require_own() const;

  // Throws Error (file.f7): a result has the output's name, or replaces a file of that name.
  void require_file_or_nothing() const;

  // Makes the folder, waits until its name is on the disk, and writes the job into it. Returns the
  // job that is there then: another one if another part was first. Throws Error (file, part.p7).
  PartsJob publish_job(const PartsJob& job) const;
  // Writes the marker; replaces a marker that says something else. Throws Error (file, part.p7).
  void publish_marker(const PartMarker& marker) const;

  // The parts of the run that are done. Lists the folder, which makes a file system look for names
  // of other machines.
  PartMarkers markers(const PartsJob& job) const;
  void remove_marker(std::int64_t part) const;
  // Whether this part is done; reads its marker only.
  bool has_marker(const PartsJob& job, std::int64_t part) const;

  // False: it is surely not there.
  bool has_data() const;
  // Makes the data file as long as it will be, and opens it. Throws Error (file): while parts are
  // done, part.p2 when it is gone, part.p4 when it has another size; file.f11.
  File open_data(const PartsJob& job) const;
  // Opens it for reading. Throws Error (file): file.f1, file.f11.
  File finished_data() const;

  // The digest of the result, once all parts were found to be done. nullopt before, and if the file
  // with it says something else.
  std::optional<std::string> finished() const;
  // Whether finish was stopped after the result got its name, before the folder was removed.
  bool is_left_by_finish() const;
  void publish_finished(const std::string& digest) const;
  // Removes the folder: first the job, so that no part takes the folder for its own; last, when the
  // rest is gone from the disk, what finished() reads. Files that are not a job's stay.
  void remove() const;

 private:
  mode_t data_mode() const;
  std::filesystem::path marker_path(std::int64_t part) const;
  std::vector<std::filesystem::path> files_of(std::string_view prefix) const;
  // The text of a file in the folder; nullopt if there is none. Throws Error (file), also if it has
  // more than `most` bytes.
  std::optional<std::string> text_of(const std::filesystem::path& path, std::int64_t most) const;
  // Makes a file in the folder if its name is free. Returns whether it was. Throws Error (file,
  // part.p7).
  bool publish(const std::filesystem::path& path, const std::string& text) const;
  // The same, but replaces a file that says something else.
  void publish_over(const std::filesystem::path& path, const std::string& text) const;
  // The part's marker; nullopt if it is not done.
  std::optional<PartMarker> marker_of(const PartsJob& job, std::int64_t part) const;
  bool has_kind_of_folder() const;

  std::string output_;
  FileSystem& files_;
  std::filesystem::path target_;
  std::filesystem::path path_;
};

}  // namespace tscatter::app
