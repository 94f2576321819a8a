#include "etiquette/mounts.hpp"

#include <fmt/format.h>
#include <sched.h>
#include <sys/mount.h>

#include <cstdlib>
#include <fstream>

namespace tscatter {
namespace {

bool has_own_name_space() {
  static const bool has = ::unshare(CLONE_NEWNS) == 0 &&
                          ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0;
  return has;
}

}  // namespace

std::optional<Mount> Mount::bind(const std::filesystem::path& from,
                                 const std::filesystem::path& to) {
  if (!has_own_name_space()) return std::nullopt;
  if (::mount(from.c_str(), to.c_str(), nullptr, MS_BIND, nullptr) != 0) return std::nullopt;
  return Mount(to);
}

std::optional<Mount> Mount::small(const std::filesystem::path& directory) {
  if (!has_own_name_space()) return std::nullopt;
  if (::mount("tmpfs", directory.c_str(), "tmpfs", 0, "size=2m") != 0) return std::nullopt;
  return Mount(directory);
}

std::optional<Mount> Mount::ext4(const std::filesystem::path& image,
                                 const std::filesystem::path& directory) {
  if (!has_own_name_space()) return std::nullopt;
  const std::ofstream created{image};
  std::filesystem::resize_file(image, std::uintmax_t{8} << 20U);
  const std::string line = fmt::format(
      "PATH=$PATH:/usr/sbin:/sbin; {{ mkfs.ext4 -q -F '{0}' && mount -o loop '{0}' '{1}'; }} "
      ">/dev/null 2>&1",
      image.native(), directory.native());
  if (std::system(line.c_str()) != 0) return std::nullopt;
  return Mount(directory);
}

Mount::~Mount() {
  if (!place_.empty()) ::umount2(place_.c_str(), MNT_DETACH);
}

}  // namespace tscatter
