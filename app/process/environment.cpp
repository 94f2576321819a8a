#include "process/environment.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <string>
#include <utility>

#include "text/number_text.hpp"
#include "tscatter/core/fail.hpp"
#include "tscatter/kernels/path.hpp"

namespace tscatter::app {
namespace {

std::chrono::sys_seconds now_or_as_told() {
  constexpr std::int64_t end_of_9999 = 253402300799;
  const auto told = variable("SOURCE_DATE_EPOCH");
  if (!told) return std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
  const auto seconds = number_in<std::int64_t>(*told);
  // cli.c49
  if (!seconds || *seconds < 0 || *seconds > end_of_9999) {
    fail(ErrorKind::usage, "cli.c49", "SOURCE_DATE_EPOCH",
         "must be seconds since 1970, from 0 to {}, got {}", end_of_9999, *told);
  }
  return std::chrono::sys_seconds(std::chrono::seconds(*seconds));
}

}  // namespace

std::filesystem::path temporary_directory() { return variable("TMPDIR").value_or("/tmp"); }

std::optional<std::string> variable(const char* name) {
  const char* value = std::getenv(name);
  if (value == nullptr || *value == '\0') return std::nullopt;
  return value;
}

std::optional<GithubStep> github_step() {
  if (variable("GITHUB_ACTIONS") != "true") return std::nullopt;
  return GithubStep{.workspace = variable("GITHUB_WORKSPACE"),
                    .summary = variable("GITHUB_STEP_SUMMARY")};
}

bool wants_color(std::string_view choice, int descriptor) {
  if (choice != "auto") return choice == "always";
  return ::isatty(descriptor) == 1 && !variable("NO_COLOR") && variable("TERM") != "dumb";
}

std::size_t terminal_width() {
  constexpr std::size_t narrowest = 40;
  constexpr std::size_t usual = 80;
  winsize size{};
  const bool is_known = ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return is_known ? std::max<std::size_t>(size.ws_col, narrowest) : usual;
}

std::string report_date() {
  const std::chrono::sys_seconds time = now_or_as_told();
  const auto day = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss clock(time - day);
  return fmt::format("{}-{:02}-{:02} {:02}:{:02} UTC", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                     clock.hours().count(), clock.minutes().count());
}

std::optional<std::filesystem::path> state_directory() {
  // By the XDG specification a relative one is ignored.
  const auto state = variable("XDG_STATE_HOME");
  if (state && std::filesystem::path(*state).is_absolute())
    return std::filesystem::path(*state) / "tscatter";
  if (const auto home = variable("HOME"))
    return std::filesystem::path(*home) / ".local/state/tscatter";
  return std::nullopt;
}

std::string stream_or_path(std::string word) {
  constexpr std::array<std::string_view, 6> streams{"/dev/stdin",  "/dev/fd/0", "/proc/self/fd/0",
                                                    "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"};
  return std::ranges::find(streams, word) == streams.end() ? std::move(word) : "-";
}

void choose_kernels() {
  const auto name = variable("TSCATTER_KERNELS");
  if (!name) return;
  const auto path = kernel_path_from_name(*name);
  // cli.c13
  if (!path || !set_kernel_path(*path)) {
    fail(ErrorKind::usage, "cli.c13", "TSCATTER_KERNELS",
         "must be automatic, portable or avx2, and one that the processor has, got {}", *name);
  }
}

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
