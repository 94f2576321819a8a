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
  std::filesystem::path data() const { return path_ / "data"; }

  // nullopt: there is none. Throws Error (file, part.p2) for one that cannot be read.
  std::optional<PartsJob> job() const;

  // The job that stands there: this one, unless another part was first. Makes the folder. Throws
  // Error (file, part.p7).
  PartsJob publish(const PartsJob& job) const;
  // Keeps a marker that is there already. Throws Error (file, part.p7).
  void publish(const PartMarker& marker) const;

  // The parts of the run that are done. Lists the folder, which makes a file system look for names
  // of other machines.
  std::map<std::int64_t, PartMarker> markers(const PartsJob& job) const;

  // Makes the data file as long as it will be, and opens it. Throws Error (file).
  File open_data(std::int64_t bytes) const;

  // From the time on when all parts were found to be done: the digest of the result.
  std::optional<std::string> finished() const;
  void publish_finished(const std::string& digest) const;

  // Removes the folder; what finished() says goes last. What is not a job's stays.
  void remove() const;

 private:
  std::filesystem::path marker_path(std::int64_t part) const;
  bool publish(const std::filesystem::path& path, const std::string& text) const;

  std::string output_;
  std::filesystem::path path_;
};

}  // namespace tscatter::app
