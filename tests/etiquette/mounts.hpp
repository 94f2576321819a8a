// Mounts for a test, in a separate namespace, so that nobody else sees them.
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

  // A file system of 2 MiB in memory.
  static std::optional<Mount> small(const std::filesystem::path& directory);

  // An ext4 of 8 MiB in the file `image`, which it creates.
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
