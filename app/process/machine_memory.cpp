#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <string>

#include "process/environment.hpp"

namespace tscatter::app {
namespace {

constexpr std::int64_t any = std::numeric_limits<std::int64_t>::max();

// "max" and what is no number are no limit.
std::int64_t limit_in(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::int64_t limit = any;
  return in >> limit && limit > 0 ? limit : any;
}

// The lowest limit in the folder and all folders above it, up to `top`.
std::int64_t limit_up_to(const std::filesystem::path& top, std::filesystem::path group,
                         const char* file) {
  std::int64_t least = any;
  for (group = group.relative_path(); !group.empty(); group = group.parent_path())
    least = std::min(least, limit_in(top / group / file));
  return std::min(least, limit_in(top / file));
}

// A line of /proc/self/cgroup: "0::/user.slice", "9:memory:/user.slice".
std::int64_t limit_of(const std::filesystem::path& root, const std::string& line) {
  const std::size_t first = line.find(':');
  const std::size_t second = line.find(':', first + 1);
  if (first == std::string::npos || second == std::string::npos) return any;
  const std::string controllers = line.substr(first + 1, second - first - 1);
  const std::filesystem::path group = line.substr(second + 1);
  const std::filesystem::path top = root / "sys/fs/cgroup";
  if (controllers.empty()) return limit_up_to(top, group, "memory.max");
  if (controllers != "memory") return any;
  return limit_up_to(top / "memory", group, "memory.limit_in_bytes");
}

}  // namespace

std::int64_t machine_memory(const std::filesystem::path& root) {
  const auto pages = static_cast<std::int64_t>(::sysconf(_SC_PHYS_PAGES));
  const auto page = static_cast<std::int64_t>(::sysconf(_SC_PAGESIZE));
  std::int64_t least = pages > 0 && page > 0 ? pages * page : any;
  std::ifstream groups(root / "proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) least = std::min(least, limit_of(root, line));
  return least;
}

}  // namespace tscatter::app
