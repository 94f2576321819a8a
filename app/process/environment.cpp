#include "process/environment.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
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

}  // namespace tscatter::app
