#include "process/environment.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "tscatter/core/fail.hpp"
#include "tscatter/kernels/path.hpp"

namespace tscatter::app {

std::filesystem::path temporary_directory() {
  const char* directory = std::getenv("TMPDIR");
  return directory == nullptr || *directory == '\0' ? "/tmp" : directory;
}

std::optional<std::string> variable(const char* name) {
  const char* value = std::getenv(name);
  if (value == nullptr || *value == '\0') return std::nullopt;
  return value;
}

bool wants_color(std::string_view choice) {
  if (choice != "auto") return choice == "always";
  return ::isatty(STDOUT_FILENO) == 1 && !variable("NO_COLOR") && variable("TERM") != "dumb";
}

std::size_t terminal_width() {
  constexpr std::size_t narrowest = 40;
  constexpr std::size_t usual = 80;
  winsize size{};
  const bool is_known = ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return is_known ? std::max<std::size_t>(size.ws_col, narrowest) : usual;
}

std::optional<std::filesystem::path> state_directory() {
  if (const auto state = variable("XDG_STATE_HOME"))
    return std::filesystem::path(*state) / "tscatter";
  if (const auto home = variable("HOME"))
    return std::filesystem::path(*home) / ".local/state/tscatter";
  return std::nullopt;
}

void choose_kernels() {
  const char* name = std::getenv("TSCATTER_KERNELS");
  if (name == nullptr || *name == '\0') return;
  const auto path = kernel_path_from_name(name);
  // cli.c13
  if (!path || !set_kernel_path(*path)) {
    fail(ErrorKind::usage, "cli.c13", "TSCATTER_KERNELS",
         "must be automatic, portable or avx2, and one that the processor has, got {}", name);
  }
}

}  // namespace tscatter::app
