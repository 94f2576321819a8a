// Mounts for a test, in a name space of its own, so that nobody else sees them.
#pragma once

#include <filesystem>
#include <optional>
#include <utility>

namespace tscatter {

// Unmounted at the end. nullopt where mounting is not allowed.
class Mount {
 public:
  static std::optional<Mount> bind(const std::filesystem::path& from,
                                   const std::filesystem::path& to);

  // A file system in memory that takes 2 MiB.
  static std::optional<Mount> small(const std::filesystem::path& directory);

  // ext4 of 8 MiB in the file `image`, which is made.
  static std::optional<Mount> ext4(const std::filesystem::path& image,
                                   const std::filesystem::path& directory);

  Mount(Mount&& other) noexcept : place_{std::exchange(other.place_, {})} {}
  Mount& operator=(Mount&&) = delete;
  ~Mount();

 private:
  explicit Mount(std::filesystem::path place) : place_{std::move(place)} {}

  std::filesystem::path place_;
};

}  // namespace tscatter
