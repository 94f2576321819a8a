// PartsFolder: the folder beside an output in which its parts are computed.
//
//   out.npy.tscatter-parts/job         what all parts agree on; the first part's stands
//   out.npy.tscatter-parts/data        the output to be
//   out.npy.tscatter-parts/done.0007   part 7 is done, and on the disk
//   out.npy.tscatter-parts/finished    all are done, and data gets its name
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "parts/parts_job.hpp"
#include "tscatter/io/files/file.hpp"

namespace tscatter::app {

class PartsFolder {
 public:
  // `output`: as the user wrote it.
  explicit PartsFolder(std::string output);

  const std::string& output() const { return output_; }
  const std::filesystem::path& path() const { return path_; }
  const std::filesystem::path& target() const { return target_; }  // links followed
  std::filesystem::path data() const { return path_ / "data"; }

  // nullopt: there is none. Throws Error (file, part.p2) for one that cannot be read.
  std::optional<PartsJob> job() const;

  // The job that stands there: this one, unless another part was first. Makes the folder. Throws
  // Error (file, part.p7).
  PartsJob publish(const PartsJob& job) const;
  // Replaces one that says something else. Throws Error (file, part.p7).
  void publish(const PartMarker& marker) const;

  // The parts of the run that are done. Lists the folder, which makes a file system look for names
  // of other machines.
  std::map<std::int64_t, PartMarker> markers(const PartsJob& job) const;
  // Whether the part is, which only its own marker says.
  bool has_marker(const PartsJob& job, std::int64_t part) const;

  // Makes the data file as long as it will be, and opens it. Throws Error (file, part.p2 when it is
  // gone while parts are done).
  File open_data(const PartsJob& job) const;

  // From the time on when all parts were found to be done: the digest of the result. nullopt, too,
  // when the file says something else.
  std::optional<std::string> finished() const;
  // Whether finish was stopped after the result got its name, before the folder was removed.
  bool is_left_by_finish() const;
  void publish_finished(const std::string& digest) const;

  // Removes the folder: the job first, so that no part takes it for its own, and what finished()
  // says last. What is not a job's stays.
  void remove() const;

 private:
  std::filesystem::path marker_path(std::int64_t part) const;
  mode_t data_mode() const;
  bool publish(const std::filesystem::path& path, const std::string& text) const;
  void publish_over(const std::filesystem::path& path, const std::string& text) const;
  std::optional<PartMarker> marker_in(const std::filesystem::path& file) const;

  std::string output_;
  std::filesystem::path target_;
  std::filesystem::path path_;
};

}  // namespace tscatter::app
